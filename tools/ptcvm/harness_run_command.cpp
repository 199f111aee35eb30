// ptcvm harness run: lets a planner plan until it waits for somebody.
#include <algorithm>
#include <boost/json.hpp>
#include <sstream>

#include "agents/harness/planner_seed.h"
#include "agents/harness/program_planner.h"
#include "agents/harness/scenario_planner.h"
#include "agents/harness/simple_planners.h"
#include "ptcvm/engine.hpp"
#include "tools/ptcvm/agent_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/files.h"
#include "tools/ptcvm/harness_session.h"
#include "tools/ptcvm/moments.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr int kMostPasses = 1'000;

// One line of a file of replies: the reply to each question that has all of the texts.
struct RecordedReply {
  std::vector<std::string> when;
  std::string reply;
};

std::optional<RecordedReply> read_reply(const std::string& line) {
  boost::system::error_code error;
  const json::value value = json::parse(line, error);
  const json::object* const object = error ? nullptr : value.if_object();
  const json::value* const when = object == nullptr ? nullptr : object->if_contains("when");
  const json::value* const reply = object == nullptr ? nullptr : object->if_contains("reply");
  if (when == nullptr || !when->is_array() || reply == nullptr) return std::nullopt;
  RecordedReply recorded;
  for (const json::value& text : when->get_array()) {
    if (!text.is_string()) return std::nullopt;
    recorded.when.emplace_back(text.get_string());
  }
  recorded.reply = reply->is_string() ? std::string(reply->get_string()) : json::serialize(*reply);
  return recorded;
}

// A model whose replies are in a file. The first line that fits answers, in whatever process the question is asked.
std::optional<harness::AskModel> recorded_model(const std::string& path, std::string& message) {
  std::vector<RecordedReply> replies;
  if (!path.empty()) {
    const auto text = read_file(path, message);
    if (!text) return std::nullopt;
    std::istringstream lines(*text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.empty()) continue;
      auto reply = read_reply(line);
      if (!reply) {
        message = path + ":" + std::to_string(number) + R"(: a line must be {"when": [text, …], "reply": value})";
        return std::nullopt;
      }
      replies.push_back(*std::move(reply));
    }
  }
  return [replies](const harness::ModelQuestion& question) -> Result<std::string> {
    for (const RecordedReply& recorded : replies) {
      const bool fits = std::all_of(recorded.when.begin(), recorded.when.end(), [&](const std::string& text) {
        return question.prompt.find(text) != std::string::npos;
      });
      if (fits) return recorded.reply;
    }
    return Error{Errc::not_available, "--replies has no reply to this question", std::nullopt, {}};
  };
}

// Sends what the planner drafted; what a person wrote waits for approval.
Result<bool> send_drafts(HarnessSession& session) {
  const harness::ConversationView& view = session.conversation().view();
  const std::vector<std::string> drafts = view.unsent_drafts();
  bool any = false;
  for (const std::string& id : drafts) {
    const harness::DraftState* const draft = view.draft(id);
    if (draft == nullptr || draft->writer == 0) continue;
    const Result<void> sent = session.outbox().send(id, std::nullopt, session.author());
    if (!sent) return sent.error();
    any = true;
  }
  return any;
}

// Plans once. Returns whether to look again.
Result<bool> plan_once(HarnessSession& session, harness::Harness& harness, harness::Planner& planner) {
  harness.schedule();
  const auto verdict = harness.begin(now_millis());
  if (!verdict) return verdict.error();
  if (*verdict == harness::Verdict::Dismiss) return true;
  if (*verdict != harness::Verdict::Run) return false;
  const auto end = harness.finish(planner, now_millis());
  if (!end) return end.error();
  if (*end == harness::PassEnd::Waiting) return false;
  if (session.outbox().mode() != harness::SendMode::Auto) return true;
  const auto sent = send_drafts(session);
  if (!sent) return sent.error();
  return true;
}

int run_harness(const HarnessArguments& arguments) {
  HarnessSession session(arguments);
  if (const auto failed = session.open(StoreUse::Create)) return *failed;
  std::string message;
  const auto planner = planner_of(arguments, session, message);
  if (planner == nullptr) return refuse_input(message);
  const auto mode = session.outbox().set_mode(*harness::find_send_mode(arguments.mode), session.author());
  if (!mode) return refuse_error(mode.error());
  if (arguments.begins && session.conversation().view().facts().empty()) {
    if (const auto armed = session.conversation().arm_kickoff(session.author()); !armed) {
      return refuse_error(armed.error());
    }
  }
  harness::Harness harness(session.conversation());
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const auto more = plan_once(session, harness, *planner);
    if (!more) return refuse_error(more.error());
    if (!*more) break;
  }
  const bool is_frozen = harness.last_decision().verdict == harness::Verdict::Freeze;
  return session.report(is_frozen ? "frozen" : "");
}

}  // namespace

std::unique_ptr<harness::Planner> planner_of(const HarnessArguments& arguments, HarnessSession& session,
                                             std::string& message) {
  json::object config;
  if (!arguments.config.empty()) {
    auto read = json_file(arguments.config, message);
    if (!read) return nullptr;
    config = *std::move(read);
  }
  if (!arguments.scenario.empty()) {
    auto scenario = json_file(arguments.scenario, message);
    if (!scenario) return nullptr;
    config["resolvedScenario"] = *std::move(scenario);
  }
  const auto ask = recorded_model(arguments.replies, message);
  if (!ask) return nullptr;
  if (arguments.planner == harness::kDemoPlanner) return std::make_unique<harness::DemoPlanner>(config);
  const auto pause = [](std::int64_t) {};
  if (arguments.planner == harness::kDrafterPlanner) {
    return std::make_unique<harness::DrafterPlanner>(std::move(config), *ask, pause);
  }
  if (arguments.planner == harness::kScenarioPlanner) {
    auto made = harness::ScenarioPlanner::make(config, *ask, pause);
    if (made) return std::make_unique<harness::ScenarioPlanner>(*std::move(made));
    message = made.error().message;
    return nullptr;
  }
  auto source = read_file(arguments.planner, message);
  if (!source) return nullptr;
  harness::FactProgramOptions options;
  options.id = arguments.store.id + "/planner";
  options.source = *std::move(source);
  return std::make_unique<harness::ProgramPlanner>(
      harness::FactProgram(Engine(), session.store(), session.conversation(), std::move(options)), now_millis);
}

void add_harness_run(CLI::App& app, int& status) {
  auto* const command = app.add_subcommand("run", "Let the planner plan until it waits for somebody");
  auto arguments = std::make_shared<HarnessArguments>();
  declare_default_store(*command, arguments->store);
  command->add_option("--id", arguments->store.id, "The conversation")->required();
  command->add_option("--planner", arguments->planner,
                      "simple-demo, llm-drafter, scenario-v0.3, or the file of a program")->required();
  command->add_option("--config", arguments->config, "The configuration of the planner, a file of JSON")
      ->type_name("FILE");
  command->add_option("--scenario", arguments->scenario, "The scenario of scenario-v0.3, a file of JSON")
      ->type_name("FILE");
  command->add_option("--replies", arguments->replies, "Recorded replies of a model, a file of JSON lines")
      ->type_name("FILE");
  command->add_option("--peer", arguments->peer, "The conversation of the other side, in the same store");
  command->add_option("--mode", arguments->mode, "approve: a person approves drafts; auto: they are sent")
      ->check(CLI::IsMember({"approve", "auto"}));
  command->add_flag("--begin", arguments->begins, "Begin an empty conversation");
  command->footer(R"(Examples:
  ptcvm harness run --store talk.db --id clinic --planner answer.ptc
  ptcvm harness run --store talk.db --id clinic --planner scenario-v0.3 --scenario visit.json --replies model.jsonl
  ptcvm harness run --store talk.db --id clinic --planner simple-demo --peer payer --mode auto --begin

A line of --replies is {"when": [text, …], "reply": value}: the first line whose texts are all in the question answers
it. Exit status: 0 nothing waits for you, 75 a draft, a question or a program waits.)");
  command->callback([arguments, &status] { status = run_harness(*arguments); });
}

}  // namespace ptcvm::cli
