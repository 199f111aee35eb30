#include "tools/ptcvm/agent/agent_stored_commands.h"

#include <boost/json.hpp>
#include <iostream>
#include <span>

#include "agents/loop/stored_facts.h"
#include "tools/ptcvm/agent/agent_cost.h"
#include "tools/ptcvm/agent/agent_report.h"
#include "tools/ptcvm/agent/agent_snapshot.h"
#include "tools/ptcvm/agent/agent_store.h"
#include "tools/ptcvm/agent/agent_tell.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

json::object turn_json(const loop::TurnView& turn) {
  return {{"turn", turn.number}, {"kind", turn.kind},         {"program", turn.program},
          {"value", turn.value}, {"feedback", turn.feedback}, {"repaired", turn.repaired}};
}

// `store`: where the run is; null for the run of a file.
int show_run(const loop::AgentRun* run, const Store* store, const std::string& output) {
  if (output == "document") {
    std::cout << run->snapshot_json() << '\n';
    return kSuccess;
  }
  json::array turns;
  for (const loop::TurnView& turn : run->turns()) {
    if (output == "json") turns.push_back(turn_json(turn));
    if (output == "json") continue;
    std::cout << "--- turn " << turn.number << ": " << turn.kind << (turn.repaired ? ", repaired" : "") << '\n'
              << turn.program << '\n';
    if (!turn.feedback.empty()) std::cout << "=> " << turn.feedback << '\n';
  }
  const bool is_over = run->state() == loop::AgentState::Ended;
  AgentDriver::End end;
  end.kind = is_over ? AgentDriver::End::Kind::Ended : AgentDriver::End::Kind::Suspended;
  json::object journal;
  for (const auto& [task, value] : run->journal()) journal[task] = value;
  LineParts parts;
  if (output == "json") {
    parts.more = json::serialize(json::object{{"history", std::move(turns)}, {"journal", std::move(journal)}});
  }
  const auto known = store == nullptr ? Result<bool>(run->usage().money != 0) : knows_spent(*store, *run);
  if (!known) return refuse_error(known.error());
  parts.is_cost_known = *known;
  std::cout << agent_line(*run, end, parts) << '\n';
  return kSuccess;
}

int show_agent(const StoreOptions& options, const std::string& output) {
  if (options.id.empty()) throw CLI::RequiredError("ID");
  int status = kSuccess;
  const auto store = store_of(options, StoreUse::Existing, status);
  if (!store) return status;
  const auto record = AgentRecord::read(Engine(), *store, options.id);
  return record ? show_run(&record->run(), &*store, output) : refuse_error(record.error());
}

int show_file(const std::string& file, const StoreOptions& options, const ExpectedSnapshot& expected,
              const std::string& output) {
  std::string message;
  const auto snapshot = read_agent_snapshot(file, options, expected, message);
  if (!snapshot) return refuse_input(message);
  const auto agent = loop::Agent::make(Engine(), snapshot->definition);
  if (!agent) return refuse_error(agent.error());
  auto run = loop::AgentRun::restore(*agent, std::as_bytes(std::span(snapshot->bytes)));
  if (!run) return refuse_error(run.error());
  run->step();
  return show_run(&*run, nullptr, output);
}

Result<void> keep_same_tools(const Store& store, const std::string& id, const ToolTexts& tools) {
  const auto kept = keep_tools(store, id, tools);
  return kept ? Result<void>() : kept.error();
}

int fork_agent(const StoreOptions& options, std::uint32_t turns, const std::string& name) {
  int status = kSuccess;
  const auto store = store_of(options, StoreUse::Existing, status);
  if (!store) return status;
  if (std::string message; !would_stay_with_tenant(*store, options, name, message)) return refuse_input(message);
  const Engine engine;
  auto agents = read_agents_of(engine, *store, options.id);
  if (!agents) return refuse_error(agents.error());
  auto command = kept_command(*store, options.id);
  if (!command) return refuse_error(command.error());
  loop::StoredAgentOptions wanted;
  wanted.start.id = options.id;
  wanted.clock = [] { return now_millis(); };
  const loop::Agent agent = agents->back().agent;
  wanted.agent_at = chosen_from(*std::move(agents));
  auto stored = loop::StoredAgent::open(agent, *store, std::move(wanted));
  if (!stored) return refuse_error(stored.error());
  auto requests = known_requests(*store, stored->run());
  const auto forked = stored->fork(*store, turns, name);
  if (const auto parked = stored->park(); !parked) return refuse_error(parked.error());
  if (!forked) return refuse_error(forked.error());
  if (!requests) return refuse_error(requests.error());
  std::erase_if(*requests, [turns](const KeptRequest& request) { return request.turn > turns; });
  command->knows_past = command->knows_past && knows_cost(*requests);
  const auto tools = kept_tools(*store, options.id);
  auto kept = keep_command(*store, name, *command, now_millis());
  if (kept && tools) kept = keep_same_tools(*store, name, *tools);
  if (!tools) return refuse_error(tools.error());
  if (!kept) return refuse_error(kept.error());
  std::cout << json::serialize(json::object{{"status", "forked"}, {"id", name}, {"turns", turns}}) << '\n';
  return kSuccess;
}

}  // namespace

int refuse_error(const Error& error) {
  if (error.code == Errc::store_failed) return complain_of_store(error);
  const bool is_about_answer = error.code == Errc::already_resolved || error.code == Errc::unknown_operation;
  complain((is_about_answer ? std::string(errc_name(error.code)) + ": " : "") + error.message);
  return error.code == Errc::busy ? kBusy : kBadInput;
}

std::optional<Store> store_of(const StoreOptions& options, StoreUse use, int& status) {
  std::string message;
  auto store = open_store(options, use, message, status);
  if (!store) complain(message);
  return store;
}

void declare_agent_of_store(CLI::App& command, StoreOptions& options) {
  declare_sealed_store(command, options);
  declare_run_id(command, options);
}

std::optional<AgentRecord> record_of(const StoreOptions& options, int& status) {
  const auto store = store_of(options, StoreUse::Existing, status);
  if (!store) return std::nullopt;
  auto record = AgentRecord::read(Engine(), *store, options.id);
  if (record) return std::move(*record);
  status = refuse_error(record.error());
  return std::nullopt;
}

namespace {

// Returns why the run of the store cannot go on with this data, or "". A run keeps the data with which it was begun.
std::string other_data(const Store& store, const AgentArguments& arguments, const std::string& data) {
  if (arguments.data.empty()) return {};
  const std::string& id = arguments.store.id;
  const auto started = HostLog::of(store, id).find(std::string(loop::kStarted));
  if (!started || !*started) return {};            // a new run, or open() says what is wrong
  const auto body = loop::read_start((*started)->body);
  if (!body) return {};
  boost::system::error_code error;
  const json::value kept = json::parse(body->start.data_json, error), given = json::parse(data, error);
  if (error || kept == given) return {};
  return "the run " + id + " was begun with other data than " + arguments.data +
         ", and keeps them; leave --data out to go on with the run, or begin another one with another --id";
}

// Returns whether the store has the run, without a word when there is no store yet.
bool has_begun(const StoreOptions& options) {
  std::string ignored;
  int status = kSuccess;
  const auto store = open_store(options, StoreUse::Existing, ignored, status);
  const auto known = store ? loop::StoredAgent::stored_definition(*store, options.id)
                           : Result<std::optional<std::string>>(std::optional<std::string>());
  return known && *known;
}

}  // namespace

int run_agent_in_store(AgentArguments& arguments) {
  std::string message;
  auto definition = agent_definition(arguments, message);
  const auto data = definition ? agent_data(arguments, message) : std::nullopt;
  const auto tools = data ? tool_commands(arguments, message) : std::nullopt;
  if (!tools) return refuse_input(message);
  require_agent_model(arguments, *definition);
  AgentSession session(arguments);
  if (!session.open(*std::move(definition))) return refuse_input(session.message());
  const bool keeps_data = arguments.data.empty() && has_begun(arguments.store);   // the run has its data
  if (!keeps_data && !session.accepts(*data)) return refuse_input(session.message());
  int status = kSuccess;
  const auto store = store_of(arguments.store, StoreUse::Create, status);
  if (!store) return status;
  const std::string& id = arguments.store.id;
  if (const auto queued = queued_agent(*store, id)) {
    return refuse_input("the run " + id + " is a job of the queue " + queued->queue + ": ptcvm worker executes it");
  }
  if (const std::string why = other_data(*store, arguments, *data); !why.empty()) return refuse_input(why);
  const KeptCommand command{arguments.model, arguments.stream, *tools, session.choice(), session.child_models(),
                            arguments.rate.value_or(0), loop::default_program_limits(), session.prices()};
  auto kept = keep_command(*store, id, command, now_millis());
  if (kept) kept = keep_choice(*store, id, session.choice(), session.child_models(), now_millis());
  if (!kept) return refuse_error(kept.error());
  const auto replies = used_replies(*store, id);
  if (!replies) return refuse_error(replies.error());
  const auto opened = session.open_stored(*store, *data, *replies);
  if (!opened) return refuse_error(opened.error());
  if (const auto same = session.keep_tools_of_files(*store); !same) return refuse_error(same.error());
  if (const auto lowered = lower_limits(session.handle(), arguments); !lowered) {
    session.leave();
    return refuse_error(lowered.error());
  }
  return session.report(session.drive());
}

void add_agent_show(CLI::App& agent, int& status) {
  auto* const command = agent.add_subcommand("show", "Show the turns of a run and what the run waits for");
  auto options = std::make_shared<StoreOptions>();
  auto output = std::make_shared<std::string>("text");
  auto file = std::make_shared<std::string>();
  declare_agent_of_store(*command, *options);
  command->get_option("ID")->required(false);   // a file has one run
  declare_agent_snapshot(*command, *file);
  auto expected = std::make_shared<ExpectedSnapshot>();
  declare_expected_snapshot(*command, *expected);
  command->add_option("--output", *output, "text, json, or document: the whole state as JSON")
      ->check(CLI::IsMember({"text", "json", "document"}));
  command->footer(R"(Examples:
  ptcvm agent show --store runs.db --id may
  ptcvm agent show --store runs.db --id may --output json | jq .journal
  ptcvm agent show --store runs.db --id may --output document | jq .root.turns
  ptcvm agent show --snapshot may.json)");
  command->callback([options, output, file, expected, &status] {
    status = file->empty() ? show_agent(*options, *output) : show_file(*file, *options, *expected, *output);
  });
}

void add_agent_fork(CLI::App& agent, int& status) {
  struct Fork {
    StoreOptions store;
    std::uint32_t turns = 0;
    std::string name;
  };
  auto* const command = agent.add_subcommand("fork", "Begin another run with the first turns of a run as its history");
  auto fork = std::make_shared<Fork>();
  declare_agent_of_store(*command, fork->store);
  command->add_option("--turns", fork->turns, "How many turns the runs share")->required();
  command->add_option("--as", fork->name, "The name of the new run; `agent resume` goes on with it")->required();
  command->footer(R"(Examples:
  ptcvm agent fork --store runs.db --id may --turns 2 --as may-again
  ptcvm agent resume --store runs.db --id may-again --model chat:gpt-4.1)");
  command->callback([fork, &status] { status = fork_agent(fork->store, fork->turns, fork->name); });
}

}  // namespace ptcvm::cli
