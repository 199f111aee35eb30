#include "tools/ptcvm/agent/agent_stored_commands.h"

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>

#include "tools/ptcvm/agent/agent_cost.h"
#include "tools/ptcvm/agent/agent_report.h"
#include "tools/ptcvm/agent/agent_store.h"
#include "tools/ptcvm/agent/agent_tell.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/store_logs.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

Result<std::vector<std::string>> used_replies(const Store& store, const std::string& id) {
  const auto replies = kept_replies(store, id);
  if (!replies) return replies.error();
  std::vector<std::string> paths;
  for (const KeptReply& kept : *replies) paths.push_back(kept.agent);
  return paths;
}

struct ResumeAgent : ToldAgent {
  AgentArguments arguments;
};

// Gives one answer of the command line to the run.
Result<void> give(AgentHandle& agent, const std::string& text, bool is_value, std::string& message) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return Error{Errc::invalid_value, text + ": OP=… is wanted", std::nullopt, {}};
  const std::string path = text.substr(0, equals);
  const std::string given = text.substr(equals + 1);
  if (!is_value) return agent.reject(path, given);
  const auto value = read_told_value(path, given, message);
  return value ? agent.resolve(path, *value) : Error{Errc::invalid_value, message, std::nullopt, {}};
}

Result<void> raise(AgentHandle& agent, const std::string& text) {
  std::string message;
  const auto raised = read_limit_number(text, message);
  return raised ? agent.raise(raised->limit, raised->number) : Error{Errc::invalid_value, message, std::nullopt, {}};
}

Result<void> give_all(AgentHandle& agent, const ResumeAgent& request) {
  std::string message;
  for (const std::string& text : request.resolved) {
    if (auto given = give(agent, text, true, message); !given) return given;
  }
  for (const std::string& text : request.rejected) {
    if (auto given = give(agent, text, false, message); !given) return given;
  }
  for (const std::string& text : request.raised) {
    if (auto given = raise(agent, text); !given) return given;
  }
  for (const std::string& text : request.said) {
    if (auto given = agent.input(text); !given) return given;
  }
  return {};
}

// Adds the commands that the store keeps: first the commands in files of tools, then the commands of --tool.
bool add_kept_commands(AgentSession& session, const Store& store, const std::string& id, const ToolCommands& words,
                       std::string& message) {
  const auto texts = kept_tools(store, id);
  if (!texts) return message = texts.error().message, false;
  const auto tools = tools_of_texts(*texts, message);
  if (!tools) return false;
  session.add_commands(commands_of(*tools));
  session.add_commands(words);
  return true;
}

// Returns an option that says what only a worker can say of a run of its queue, or "".
std::string_view option_of_worker(const AgentArguments& given) {
  const std::pair<std::string_view, bool> options[] = {
      {"--model", !given.model.empty()}, {"--child-model", !given.child_models.empty()}, {"--stream", given.stream},
      {"--rate", given.rate.has_value()}, {"--prices", !given.prices.empty()}, {"--limit", !given.limits.empty()},
      {"--tools", !given.tools_files.empty()}, {"--tool", !given.tools.empty()}, {"--trace", !given.trace.empty()},
      {"--tool-shell", !given.shell_tools.empty()}, {"--record", !given.record.empty()}};
  const auto* const found = std::ranges::find(options, true, [](const auto& option) { return option.second; });
  return found == std::end(options) ? std::string_view() : found->first;
}

int resume_agent(ResumeAgent& request) {
  AgentArguments& arguments = request.arguments;
  const std::string& id = arguments.store.id;
  std::string message;
  int status = kSuccess;
  const auto store = store_of(arguments.store, StoreUse::Existing, status);
  if (!store) return status;
  if (refuses_answers(*store, id)) return kBadInput;
  if (const auto queued = queued_agent(*store, id)) {
    const std::string_view option = option_of_worker(arguments);
    if (option.empty()) return tell_agent(*store, *queued, request);
    return refuse_input("the run " + id + " is in the queue " + queued->queue +
                        ": its worker has the model, the tools and the limits; leave " + std::string(option) + " out");
  }
  if (request.ends) return refuse_input("--end is for the session of a queue; " + id + " is in none");
  const auto agent = read_agent_of(Engine(), *store, id);
  const auto command = kept_command(*store, id);
  auto replies = used_replies(*store, id);
  if (!agent) return refuse_error(agent.error());
  if (!command) return refuse_error(command.error());
  if (!replies) return refuse_error(replies.error());
  const bool has_other_model = !arguments.model.empty();
  if (!has_other_model) arguments.model = command->model;
  arguments.stream = arguments.stream || command->stream;
  if (!arguments.rate) arguments.rate = command->rate;
  AgentSession session(arguments);
  if (!add_kept_commands(session, *store, id, command->tools, message)) return refuse_input(message);
  session.ask_as(command->choice, command->children);
  session.price_as(command->prices);
  if (!session.open(agent->definition())) return refuse_input(session.message());
  if (const auto kept = keep_choice(*store, id, session.choice(), session.child_models(), now_millis()); !kept) {
    return refuse_error(kept.error());
  }
  std::erase_if(*replies, [&](const std::string& path) {   // a model that is new here has said nothing yet
    const std::string named = definition_path(agent->definition(), path);
    const bool is_of_child = find_child_model(command->children, named) != nullptr;
    return is_of_child ? !arguments.child_models.empty() : has_other_model;
  });
  const auto opened = session.open_stored(*store, "{}", *replies);
  if (!opened) return refuse_error(opened.error());
  if (const auto kept = session.keep_tools_of_files(*store); !kept) return refuse_error(kept.error());
  if (const auto stepped = session.handle().step(); !stepped) return refuse_error(stepped.error());
  auto given = session.lower_limits();
  if (given) given = give_all(session.handle(), request);
  if (!given) {
    session.leave();
    return refuse_error(given.error());
  }
  return session.report(session.drive());
}

json::object turn_json(const loop::TurnView& turn) {
  return {{"turn", turn.number}, {"kind", turn.kind},         {"program", turn.program},
          {"value", turn.value}, {"feedback", turn.feedback}, {"repaired", turn.repaired}};
}

int show_agent(const StoreOptions& options, const std::string& output) {
  int status = kSuccess;
  const auto record = record_of(options, status);
  if (!record) return status;
  const loop::AgentRun* const run = &record->run();
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
  const json::object more{{"history", std::move(turns)}, {"journal", std::move(journal)}};
  std::cout << agent_line(*run, end, output == "json" ? json::serialize(more) : std::string()) << '\n';
  return kSuccess;
}

Result<void> keep_same_tools(const Store& store, const std::string& id, const ToolTexts& tools) {
  const auto kept = keep_tools(store, id, tools);
  return kept ? Result<void>() : kept.error();
}

int fork_agent(const StoreOptions& options, std::uint32_t turns, const std::string& name) {
  int status = kSuccess;
  const auto store = store_of(options, StoreUse::Existing, status);
  if (!store) return status;
  const Engine engine;
  const auto agent = read_agent_of(engine, *store, options.id);
  if (!agent) return refuse_error(agent.error());
  const auto command = kept_command(*store, options.id);
  if (!command) return refuse_error(command.error());
  loop::StoredAgentOptions wanted;
  wanted.start.id = options.id;
  wanted.clock = [] { return now_millis(); };
  auto stored = loop::StoredAgent::open(*agent, *store, std::move(wanted));
  if (!stored) return refuse_error(stored.error());
  const auto forked = stored->fork(*store, turns, name);
  if (const auto parked = stored->park(); !parked) return refuse_error(parked.error());
  if (!forked) return refuse_error(forked.error());
  const auto tools = kept_tools(*store, options.id);
  auto kept = keep_command(*store, name, *command, now_millis());
  if (kept && tools) kept = keep_same_tools(*store, name, *tools);
  if (!tools) return refuse_error(tools.error());
  if (!kept) return refuse_error(kept.error());
  std::cout << json::serialize(json::object{{"status", "forked"}, {"id", name}, {"turns", turns}}) << '\n';
  return kSuccess;
}

json::object cost_json(const CostLine& line) {
  return {{"turn", line.turn},     {"agent", line.agent},   {"model", line.model},
          {"calls", line.calls},   {"input", line.input},   {"cached", line.cached},
          {"cache_written", line.cache_written},            {"output", line.output},
          {"reasoning", line.reasoning},
          {"money", line.money() ? json::value(*line.money()) : json::value()}};
}

std::vector<std::string> cost_row(const CostLine& line, const std::string& turn, const std::string& agent) {
  return {turn, agent, line.model, std::to_string(line.calls), std::to_string(line.input),
          std::to_string(line.cached), std::to_string(line.output), line.money_text()};
}

int show_cost(const StoreOptions& options, const std::string& prices_file, bool as_json) {
  int status = kSuccess;
  const auto store = store_of(options, StoreUse::Existing, status);
  if (!store) return status;
  std::string message;
  const auto read = prices_file.empty() ? loop::ModelPrices() : prices_of_file(prices_file, message);
  if (!read) return refuse_input(message);
  const auto command = kept_command(*store, options.id);
  const auto replies = kept_replies(*store, options.id);
  if (!command) return refuse_error(command.error());
  if (!replies) return refuse_error(replies.error());
  const loop::ModelPrices& prices = prices_file.empty() ? command->prices : *read;
  const std::vector<CostLine> lines = cost_lines(*replies, prices);
  const CostLine sum = sum_of(lines);
  if (const std::string why = unknown_cost(lines); !why.empty()) complain(why);
  if (as_json) {
    json::array rows;
    for (const CostLine& line : lines) rows.push_back(cost_json(line));
    std::cout << json::serialize(json::object{{"lines", std::move(rows)}, {"sum", cost_json(sum)}}) << '\n';
    return kSuccess;
  }
  std::vector<std::vector<std::string>> rows = {
      {"turn", "agent", "model", "calls", "input", "cached", "output", "money"}};
  for (const CostLine& line : lines) {
    rows.push_back(cost_row(line, std::to_string(line.turn), line.agent.empty() ? "(root)" : line.agent));
  }
  rows.push_back(cost_row(sum, "sum", ""));
  std::cout << text_table(rows);
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

int run_agent_in_store(AgentArguments& arguments) {
  std::string message;
  auto definition = agent_definition(arguments, message);
  const auto data = definition ? agent_data(arguments, message) : std::nullopt;
  const auto tools = data ? tool_commands(arguments, message) : std::nullopt;
  if (!tools) return refuse_input(message);
  AgentSession session(arguments);
  if (!session.open(*std::move(definition))) return refuse_input(session.message());
  if (!session.accepts(*data)) return refuse_input(session.message());
  int status = kSuccess;
  const auto store = store_of(arguments.store, StoreUse::Create, status);
  if (!store) return status;
  const std::string& id = arguments.store.id;
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
  if (const auto lowered = session.lower_limits(); !lowered) {
    session.leave();
    return refuse_error(lowered.error());
  }
  return session.report(session.drive());
}

void add_agent_resume(CLI::App& agent, int& status) {
  auto* const command = agent.add_subcommand("resume", "Go on with a run of a store, with the answers that have come");
  auto request = std::make_shared<ResumeAgent>();
  declare_agent_of_store(*command, request->arguments.store);
  declare_agent_model(*command, request->arguments)->required(false);
  declare_agent_run(*command, request->arguments);
  const auto list = [&](const char* name, std::vector<std::string>& into, const char* what, const char* type) {
    command->add_option(name, into, what)->type_name(type)->allow_extra_args(false);
  };
  list("--resolve", request->resolved, "The result of an operation, or @ and its file; repeatable", "OP=JSON");
  list("--reject", request->rejected, "An operation is refused, failed or did not happen; repeatable", "OP=TEXT");
  list("--raise", request->raised, "Adds to a limit: turns, model_calls, tokens, …; repeatable", "LIMIT=NUMBER");
  list("--say", request->said, "What the user says next; repeatable", "TEXT");
  command->add_flag("--end", request->ends, "The session of a queue is over when nothing is open any more");
  command->footer(R"(Examples:
  ptcvm agent resume --store runs.db --id may
  ptcvm agent resume --store runs.db --id may --resolve approve:pay=true
  ptcvm agent resume --store runs.db --id may --reject 'approve:pay=not this month'
  ptcvm agent resume --store runs.db --id may --resolve 'clerk/quote={"price": 7}' --raise turns=2
  ptcvm agent resume --store runs.db --id may --say 'And what does it cost?'

The model and the commands of tools are those with which the run was begun. With --tools, the commands of the files take
the place of those, and what has changed is said. A run of a queue
(ptcvm enqueue --agent) is told, and a worker goes on with it. Exit status: as for agent run; 65 for an answer to
something that nobody waits for, which changes nothing.)");
  command->callback([request, &status] { status = resume_agent(*request); });
}

void add_agent_show(CLI::App& agent, int& status) {
  auto* const command = agent.add_subcommand("show", "Show the turns of a run and what the run waits for");
  auto options = std::make_shared<StoreOptions>();
  auto output = std::make_shared<std::string>("text");
  declare_agent_of_store(*command, *options);
  command->add_option("--output", *output, "text, json, or document: the whole state as JSON")
      ->check(CLI::IsMember({"text", "json", "document"}));
  command->footer(R"(Examples:
  ptcvm agent show --store runs.db --id may
  ptcvm agent show --store runs.db --id may --output json | jq .journal
  ptcvm agent show --store runs.db --id may --output document | jq .root.turns)");
  command->callback([options, output, &status] { status = show_agent(*options, *output); });
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

void add_agent_cost(CLI::App& agent, int& status) {
  struct Cost {
    StoreOptions store;
    std::string prices;
    bool as_json = false;
  };
  auto* const command = agent.add_subcommand("cost", "Show tokens and money by turn, agent and model");
  auto cost = std::make_shared<Cost>();
  declare_agent_of_store(*command, cost->store);
  command->add_option("--prices", cost->prices, "Prices of models for a million tokens, a file of JSON")
      ->type_name("FILE");
  command->add_flag("--json", cost->as_json, "Print JSON");
  command->footer(R"(Examples:
  ptcvm agent cost --store runs.db --id may
  ptcvm agent cost --store runs.db --id may --prices prices.json --json

Prices are for a million tokens: {"gpt-4.1": {"input": 2, "cached": 0.5, "output": 8}, "*": {…}}. Without them the store
has those with which the run was begun; money that nobody knows is "?", and null in JSON.)");
  command->callback([cost, &status] { status = show_cost(cost->store, cost->prices, cost->as_json); });
}

}  // namespace ptcvm::cli
