// ptcvm harness: conversations on the command line, one function for each subcommand.
#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <thread>

#include "agents/harness/conversation/settled_doubts.h"
#include "agents/harness/people/conversation_json.h"
#include "agents/harness/people/people.h"
#include "agents/harness/setup/deep_link.h"
#include "tools/ptcvm/agent/agent_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/harness/harness_session.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/text/moments.h"
#include "vm/value/utf8.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr const char* kHarnessExamples = R"(Examples:
  ptcvm harness say --store talk.db --id clinic 'Do you have the notes?'
  ptcvm harness run --store talk.db --id clinic --planner answer.ptc
  ptcvm harness whisper --store talk.db --id clinic 'be brief'
  ptcvm harness answer --store talk.db --id clinic q1 'at noon'
  ptcvm harness approve --store talk.db --id clinic --peer payer

The last line of standard output is {"status", "state", "draft", "question", "facts", …}; the status is in_flight
(`settle` says what became of a message), draft, question, waiting (a program), frozen, given_up (the planner failed
three times: `whisper` or `regenerate`), turn (the other side has it), over or idle. docs/harness.md
explains conversations.)";

// Returns the draft that is named, or the newest one that waits.
std::string named_draft(const HarnessArguments& arguments, HarnessSession& session) {
  if (!arguments.words.empty()) return arguments.words.front();
  return std::string(session.conversation().view().unsent_draft());
}

Result<void> say(const HarnessArguments& arguments, HarnessSession& session) {
  harness::Conversation& conversation = session.conversation();
  return harness::say_for_other_side(conversation, heard_id(conversation.view()), arguments.words.front(),
                                     arguments.next, session.author());
}

Result<void> whisper_to(const HarnessArguments& arguments, HarnessSession& session) {
  return harness::whisper(session.conversation(), arguments.words.front(), session.author());
}

Result<void> answer_to(const HarnessArguments& arguments, HarnessSession& session) {
  return harness::answer(session.conversation(), arguments.words.at(0), arguments.words.at(1), session.author());
}

Result<void> approve(const HarnessArguments& arguments, HarnessSession& session) {
  std::optional<std::string> next;
  if (!arguments.next.empty()) next = arguments.next;
  if (next && !harness::is_next_state(*next)) {
    return Error{Errc::invalid_value, "--next: no message may ask for the state \"" + *next + '"', std::nullopt, {}};
  }
  return session.outbox().send(named_draft(arguments, session), next, session.author());
}

Result<void> settle(const HarnessArguments& arguments, HarnessSession& session) {
  const auto fate = harness::find_known_fate(arguments.words.at(1));
  if (!fate) return Error{Errc::invalid_value, "OUTCOME: must be arrived or lost", std::nullopt, {}};
  return harness::settle_by_hand(session.conversation(), arguments.words.at(0), *fate, session.author());
}

Result<void> dismiss_draft(const HarnessArguments& arguments, HarnessSession& session) {
  return harness::dismiss(session.conversation(), named_draft(arguments, session), session.author());
}

Result<void> edit(const HarnessArguments& arguments, HarnessSession& session) {
  const auto id =
      harness::edit_draft(session.conversation(), arguments.words.at(0), arguments.words.at(1), session.author());
  return id ? Result<void>{} : id.error();
}

Result<void> regenerate(const HarnessArguments&, HarnessSession& session) {
  if (const auto read = session.conversation().refresh(); !read) return read.error();
  const auto allowed = harness::may_regenerate(session.conversation(), session.store(), session.author());
  if (!allowed) return allowed;
  return harness::regenerate(session.conversation(), session.author());
}

Result<void> clear(const HarnessArguments&, HarnessSession& session) {
  return harness::clear(session.conversation(), session.author());
}

// A subcommand that changes a conversation.
struct PersonCommand {
  const char* name;
  const char* what;
  std::vector<const char*> words;   // the positional arguments; one in brackets may be left out
  StoreUse use;
  Result<void> (*act)(const HarnessArguments& arguments, HarnessSession& session);
  bool has_next = false, has_peer = false;
};
const PersonCommand kCommands[] = {
    {"say", "Say something for the other side", {"TEXT"}, StoreUse::Create, say, true},
    {"whisper", "Tell the planner what the other side does not see", {"TEXT"}, StoreUse::Existing, whisper_to},
    {"answer", "Answer a question of the planner", {"QID", "TEXT"}, StoreUse::Existing, answer_to},
    {"approve", "Send a draft: the newest one, or the named one", {"[DRAFT]"}, StoreUse::Existing, approve, true, true},
    {"settle",
     "Say what became of a message that is in flight: it arrived, or it was lost and its draft may be sent again",
     {"DRAFT", "OUTCOME"},
     StoreUse::Existing,
     settle},
    {"dismiss", "Give up a draft: the newest one, or the named one", {"[DRAFT]"}, StoreUse::Existing, dismiss_draft},
    {"edit", "Put a text of your own in the place of a draft", {"DRAFT", "TEXT"}, StoreUse::Existing, edit},
    {"regenerate", "Forget what the planner did since the last message", {}, StoreUse::Existing, regenerate},
    {"clear", "Forget everything that was said; tasks of a program stay done", {}, StoreUse::Existing, clear},
};

// Other processes hold a conversation for the time of a pass or of a line in the log: who comes meanwhile asks again.
Result<void> act_patiently(const PersonCommand& row, const HarnessArguments& arguments, HarnessSession& session) {
  constexpr std::chrono::milliseconds kPause{20};
  constexpr int kMostTries = 250;
  Result<void> done = row.act(arguments, session);
  for (int tries = 1; tries < kMostTries && !done && done.error().code == Errc::busy; ++tries) {
    std::this_thread::sleep_for(kPause);
    done = row.act(arguments, session);
  }
  return done;
}

int act(const PersonCommand& row, const HarnessArguments& arguments, HarnessSession& session) {
  if (const auto failed = session.open(row.use)) return *failed;
  for (std::size_t i = 0; i < arguments.words.size(); ++i) {
    if (ptc::utf8_repaired(arguments.words[i]) == arguments.words[i]) continue;
    return refuse_input(std::string(row.words[i]) + ": must be UTF-8");
  }
  const auto done = act_patiently(row, arguments, session);
  if (!done) return session.refuse(done.error());
  return session.report();
}

void declare_conversation(CLI::App& command, StoreOptions& options) {
  declare_sealed_store(command, options);
  declare_run_id(command, options, "The conversation");
}

const char* meaning_of(std::string_view word) {
  if (word == "TEXT") return "The text";
  return word == "OUTCOME" ? "arrived or lost" : "Its id";
}

const char* example_of(std::string_view word) {
  if (word == "TEXT") return " 'some words'";
  return word == "OUTCOME" ? " arrived" : " c1";
}

void add_person_command(CLI::App& app, const PersonCommand& row, int& status) {
  auto* const command = app.add_subcommand(row.name, row.what);
  auto arguments = std::make_shared<HarnessArguments>();
  declare_conversation(*command, arguments->store);
  std::string shown = std::string("Examples:\n  ptcvm harness ") + row.name + " --store talk.db --id clinic";
  auto words = std::make_shared<std::vector<std::string>>(row.words.size());
  for (std::size_t i = 0; i < row.words.size(); ++i) {
    const bool may_be_missing = row.words[i][0] == '[';
    std::string name = row.words[i];
    if (may_be_missing) name = name.substr(1, name.size() - 2);
    command->add_option(name, (*words)[i], meaning_of(name))->required(!may_be_missing);
    shown += may_be_missing ? "" : example_of(name);
  }
  if (row.has_next) command->add_option("--next", arguments->next, "The state of the task afterwards");
  if (row.has_peer) {
    command->add_option("--peer", arguments->peer, "The conversation of the other side, in the same store");
    command->add_option("--remote", arguments->remote, "The agent of the other side, a URL of a server of A2A");
  }
  command->footer(shown);
  command->callback([&row, arguments, words, &status] {
    for (std::size_t i = 0; i < words->size(); ++i) {
      const bool is_missing = row.words[i][0] == '[' && (*words)[i].empty();
      if (!is_missing) arguments->words.push_back((*words)[i]);
    }
    status = in_session(*arguments, [&](HarnessSession& session) { return act(row, *arguments, session); });
  });
}

// Shows every fact of the log.
int show_whole_log(const harness::Conversation& conversation) {
  Result<json::array> journal = harness::journal_json(conversation);
  if (!journal) return refuse_error(journal.error());
  for (json::value& line : *journal) {
    json::object& fact = line.get_object();
    fact["time"] = moment_text(fact["time"].to_number<std::int64_t>());
    std::cout << json::serialize(fact) << '\n';
  }
  return kSuccess;
}

// Shows what counts in the conversation, or everything.
int show_log(HarnessSession& session, bool is_whole) {
  if (const auto failed = session.open(StoreUse::Existing, false)) return *failed;
  if (is_whole) return show_whole_log(session.conversation());
  for (const harness::Fact& fact : session.conversation().view().facts()) {
    json::object line{
        {"seq", fact.seq}, {"time", moment_text(fact.time_ms)}, {"type", harness::fact_info(fact.type).name}};
    if (!fact.by.empty()) line["by"] = fact.by;
    for (const auto& [name, value] : fact.body) line.emplace(name, value);
    std::cout << json::serialize(line) << '\n';
  }
  return kSuccess;
}

void add_log(CLI::App& app, int& status) {
  auto* const command = app.add_subcommand("log", "Show the facts that count, a line of JSON for each");
  auto arguments = std::make_shared<HarnessArguments>();
  auto is_whole = std::make_shared<bool>(false);
  declare_conversation(*command, arguments->store);
  command->add_flag("--all", *is_whole,
                    "Every fact: notes of the harness and what a rewind dropped, too; \"counts\" says which");
  command->footer("Examples:\n  ptcvm harness log --store talk.db --id clinic | jq -r .type");
  command->callback([arguments, is_whole, &status] {
    status = in_session(*arguments, [&](HarnessSession& session) { return show_log(session, *is_whole); });
  });
}

struct LinkArguments {
  std::string link, config, scenario;
};

// Reads a link, and writes one with another configuration.
int show_link(const LinkArguments& arguments) {
  std::string message;
  std::optional<json::object> scenario, config;
  if (!arguments.scenario.empty() && !(scenario = json_file(arguments.scenario, message))) return refuse_input(message);
  if (!arguments.config.empty() && !(config = json_file(arguments.config, message))) return refuse_input(message);
  harness::DeepLink link([&scenario](const std::string& url) -> Result<json::object> {
    if (scenario) return *scenario;
    return Error{Errc::not_available, "give the scenario of " + url + " with --scenario", std::nullopt, {}};
  });
  const auto fragment = harness::read_fragment(arguments.link);
  if (!fragment) return refuse_error(fragment.error());
  if (const auto read = link.read(*fragment); !read) return refuse_error(read.error());
  if (config) {
    if (const std::string wrong = harness::wrong_config(link.planner(), *config); !wrong.empty()) {
      return refuse_input(arguments.config + ": " + wrong);
    }
    if (scenario) config->insert_or_assign("resolvedScenario", *scenario);
    std::cout << json::serialize(link.apply(*std::move(config))) << '\n';
    return kSuccess;
  }
  std::cout << json::serialize(json::object{{"planner", link.planner()},
                                            {"mode", harness::send_mode_name(link.mode())},
                                            {"ready", link.config().is_ready},
                                            {"config", link.config().config},
                                            {"rev", link.rev()}})
            << '\n';
  return kSuccess;
}

void add_link(CLI::App& app, int& status) {
  auto* const command = app.add_subcommand("link", "Show what a link sets up, or write one with another configuration");
  auto arguments = std::make_shared<LinkArguments>();
  command->add_option("LINK", arguments->link, "The fragment of the link")->required();
  command->add_option("--config", arguments->config, "A configuration of the planner, a file of JSON")
      ->type_name("FILE");
  command->add_option("--scenario", arguments->scenario, "The scenario of the link, a file of JSON")->type_name("FILE");
  command->footer(R"(Examples:
  ptcvm harness link '#{"planner": {"id": "llm-drafter", "mode": "auto"}, "seed": {"targetWords": 50}}'
  ptcvm harness link '#{"planner": {"id": "llm-drafter"}}' --config words.json)");
  command->callback([arguments, &status] { status = show_link(*arguments); });
}

}  // namespace

void add_harness_command(CLI::App& app, int& status) {
  auto* const group = app.add_subcommand("harness", "Conversations: a planner proposes, a person approves");
  group->require_subcommand(1);
  group->footer(kHarnessExamples);
  add_harness_run(*group, status);
  add_harness_serve(*group, status);
  for (const PersonCommand& row : kCommands) add_person_command(*group, row, status);
  add_log(*group, status);
  add_link(*group, status);
}

}  // namespace ptcvm::cli
