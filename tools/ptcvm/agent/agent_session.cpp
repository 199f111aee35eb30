#include "tools/ptcvm/agent/agent_session.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "agents/loop/agent_sequence.h"
#include "tools/ptcvm/agent/agent_report.h"
#include "tools/ptcvm/agent/agent_store.h"
#include "tools/ptcvm/agent/agent_tell.h"
#include "tools/ptcvm/calls/external_tool.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/agent_goes_on.h"
#include "tools/ptcvm/text/json_problem.h"

namespace ptcvm::cli {

void declare_agent_file(CLI::App& command, AgentArguments& arguments) {
  command.add_option("FILE", arguments.file, "The agent, a file of JSON; - is standard input")->required();
  command.add_option("--then", arguments.then, "An agent that goes on with what the one before returned; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_option("--planner", arguments.planner,
                     "An agent that works on the same data; what it returns is the plan")
      ->type_name("FILE");
  command.add_option("--data", arguments.data, "What the agent works on, a file with an object of JSON")
      ->type_name("FILE");
}

CLI::Option* declare_agent_model(CLI::App& command, AgentArguments& arguments) {
  CLI::Option* const model = command.add_option(
      "--model", arguments.model,
      "scripted:FILE, replay:FILE, program:FILE, mailbox:DIR, or chat:NAME, responses:NAME, messages:NAME with "
      "@URL for a server of your own");
  model->required();
  command.add_option("--child-model", arguments.child_models,
                     "Another model for a child and what is below it, by its path: broker/desk=chat:NAME; repeatable")
      ->type_name("PATH=MODEL")
      ->allow_extra_args(false);
  command.add_option("--record", arguments.record, "Adds requests and replies to a file that replay:FILE reads")
      ->type_name("FILE");
  command.add_flag("--stream", arguments.stream, "Asks for streams, and writes the text of replies as it comes");
  return model;
}

void declare_agent_tools(CLI::App& command, AgentArguments& arguments) {
  command
      .add_option("--tools", arguments.tools_files,
                  "A file of tools, JSON or EDN: names, signatures, commands, effects and more; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void declare_agent_run(CLI::App& command, AgentArguments& arguments) {
  declare_agent_tools(command, arguments);
  command.add_option("--tool", arguments.tools, "A command for a tool of the agent; repeatable")
      ->type_name("NAME=COMMAND")
      ->allow_extra_args(false);
  command.add_option("--tool-shell", arguments.shell_tools, "As --tool, but the command is given to sh -c")
      ->type_name("NAME=COMMAND")
      ->allow_extra_args(false);
  command.add_option("--rate", arguments.rate,
                     "At most so many requests a minute to each server, of all runs in the store together");
  command.add_option("--trace", arguments.trace, "Writes requests, calls and answers as lines of JSON")
      ->type_name("FILE");
  command.add_option("--output", arguments.output, "json, or text: the result also in lines of its own")
      ->check(CLI::IsMember({"json", "text"}));
  command.add_flag("--progress", arguments.progress,
                   "Says on standard error what the run does; a terminal is told without it");
  command.add_option("--prices", arguments.prices, "Prices of models for a million tokens, a file of JSON")
      ->type_name("FILE");
  command
      .add_option("--limit", arguments.limits, "The run may use at most so much: money, tokens, turns, …; repeatable")
      ->type_name("LIMIT=NUMBER")
      ->allow_extra_args(false);
}

std::optional<ToolCommands> tool_commands(const AgentArguments& arguments, std::string& message) {
  ToolCommands commands;
  const auto add = [&](const std::vector<std::string>& texts, bool with_shell) {
    for (const std::string& text : texts) {
      auto tool = parse_external_tool(text, with_shell, message);
      if (!tool) return false;
      commands.insert_or_assign(tool->name, std::move(*tool));
    }
    return true;
  };
  if (!add(arguments.tools, false) || !add(arguments.shell_tools, true)) return std::nullopt;
  return commands;
}

std::optional<std::string> agent_data(const AgentArguments& arguments, std::string& message) {
  if (arguments.data.empty()) return std::string("{}");
  auto text = read_file(arguments.data, message);
  const std::string problem = text ? json_problem(*text) : "";
  if (problem.empty()) return text;
  message = arguments.data + " is no JSON: " + problem;
  return std::nullopt;
}

namespace {

std::optional<loop::AgentDefinition> definition_in(const std::string& file, std::string& message) {
  const auto text = read_file(file, message);
  if (!text) return std::nullopt;
  auto definition = loop::read_agent_text(*text);
  if (definition) return *std::move(definition);
  const std::string problem = json_problem(*text);
  message = file + (problem.empty() ? ": " + definition.error().message : " is no JSON: " + problem);
  return std::nullopt;
}

}  // namespace

const std::vector<DeclaredTool>* AgentArguments::declared_tools(std::string& message) const {
  if (!declared_) declared_ = read_agent_tools(tools_files, message);
  return declared_ ? &*declared_ : nullptr;
}

std::optional<loop::AgentDefinition> agent_definition(const AgentArguments& arguments, std::string& message) {
  std::vector<std::string> files{arguments.file};
  files.insert(files.end(), arguments.then.begin(), arguments.then.end());
  std::vector<loop::AgentDefinition> steps;
  for (const std::string& file : files) {
    auto definition = definition_in(file, message);
    if (!definition) return std::nullopt;
    steps.push_back(*std::move(definition));
  }
  const auto* const tools = arguments.declared_tools(message);
  if (tools == nullptr) return std::nullopt;
  give_tools(steps, *tools);
  if (!arguments.planner.empty()) {
    auto planner = definition_in(arguments.planner, message);
    if (!planner) return std::nullopt;
    auto planned = loop::planned_agent(*std::move(planner), std::move(steps.front()));
    if (!planned) message = planned.error().message;
    if (!planned) return std::nullopt;
    steps.front() = *std::move(planned);
  }
  auto sequence = loop::agent_sequence(std::move(steps));
  if (sequence) return std::move(*sequence);
  message = sequence.error().message;
  return std::nullopt;
}

void AgentSession::add_commands(const ToolCommands& commands) {
  for (const auto& [name, command] : commands) commands_.insert_or_assign(name, command);
}

Result<void> AgentSession::keep_tools_of_files(const Store& store) const {
  const std::string& run = arguments_.store.id;
  const auto changes = keep_tools(store, run, tool_texts_);
  if (!changes) return changes.error();
  for (const std::string& change : *changes) complain("warning: the tools of " + run + " have changed: " + change);
  return {};
}

bool AgentSession::open(loop::AgentDefinition definition, std::optional<OpenedModel> model) {
  const auto* const tools = arguments_.declared_tools(message_);
  const auto commands = tools != nullptr ? tool_commands(arguments_, message_) : std::nullopt;
  if (!commands) return false;
  add_commands(commands_of(*tools));
  add_commands(*commands);
  tool_texts_ = texts_of(*tools);
  if (!open_models(definition, std::move(model)) || !open_files() || !has_needed_prices(definition)) return false;
  loop::AgentOptions options;
  options.model = choice_;
  options.prices = prices_;
  options.model_of = [this](std::string_view path) -> std::optional<loop::ModelChoice> {
    const ChildModel* const found = find_child_model(child_models_, path);
    return found == nullptr ? std::nullopt : std::optional(found->choice);
  };
  auto agent = loop::Agent::make(engine_, std::move(definition), std::move(options));
  if (!agent) message_ = arguments_.file + ": " + agent.error().message;
  if (!agent) return false;
  agent_ = std::move(*agent);
  shows_progress_ = arguments_.progress || stderr_has_colour();
  rates_ = std::make_unique<loop::RateLimits>(loop::RateRule{.requests = arguments_.rate.value_or(0)});
  driver_ = std::make_unique<AgentDriver>(AgentDriver::Parts{
      *source_, commands_, *interrupted_.flag(), [this](const AgentMoment& moment) { tell(moment); }, *rates_});
  return true;
}

// Opens the models of the root and of children. Replies that a store has are read as they were asked for.
bool AgentSession::open_models(const loop::AgentDefinition& definition, std::optional<OpenedModel> model) {
  OnBytes on_bytes;
  if (arguments_.stream) {
    on_bytes = [this](std::string_view path, std::string_view bytes) { show_bytes(path, bytes); };
  }
  child_models_ = kept_children_;
  if (!read_child_models(definition, arguments_.child_models, child_models_, message_)) return false;
  if (!model) model = open_model(arguments_.model, arguments_.stream, on_bytes, message_);
  if (!model) return false;
  choice_ = std::move(model->choice);
  source_ = open_child_models(definition, child_models_, std::move(model->source), arguments_.stream, on_bytes,
                              message_);
  if (source_ == nullptr) return false;
  if (!kept_choice_) return true;
  if (!take_kept_manner(choice_, *kept_choice_, arguments_.model)) return false;
  for (auto& [path, child] : child_models_) {
    const ChildModel* const kept = find_child_model(kept_children_, path);
    if (!take_kept_manner(child.choice, kept == nullptr ? *kept_choice_ : kept->choice, child.model)) return false;
  }
  return true;
}

// A limit of money is kept only when the price of each model is known.
bool AgentSession::has_needed_prices(const loop::AgentDefinition& definition) {
  const bool is_lowered = std::ranges::any_of(arguments_.limits, [](const std::string& text) {
    return text.starts_with("money=");
  });
  if (!is_lowered && !limits_money(definition)) return true;
  std::vector<std::string> models{choice_.name};
  for (const auto& [path, child] : child_models_) models.push_back(child.choice.name);
  message_ = missing_price(models, prices_);
  return message_.empty();
}

bool AgentSession::take_kept_manner(loop::ModelChoice& choice, const loop::ModelChoice& kept,
                                    const std::string& model) {
  if (kept.protocol != choice.protocol) {
    message_ = "the run speaks the protocol " + std::string(wire::protocol_name(kept.protocol)) + ", and the model " +
               model + " another one";
    return false;
  }
  choice.is_stream = kept.is_stream;
  return true;
}

// Opens the files of --record, --trace and --prices.
bool AgentSession::open_files() {
  if (!arguments_.record.empty()) {
    source_ = record_model(std::move(source_), arguments_.record, message_);
    if (source_ == nullptr) return false;
  }
  if (!arguments_.trace.empty()) {
    trace_.open(arguments_.trace, std::ios::binary | std::ios::trunc);
    if (!trace_) message_ = "cannot write " + arguments_.trace;
    if (!trace_) return false;
  }
  if (arguments_.prices.empty()) return true;
  auto prices = prices_of_file(arguments_.prices, message_);
  if (prices) prices_ = *std::move(prices);
  return prices.has_value();
}

std::optional<std::uint64_t> AgentSession::spent() const {
  return prices_.empty() ? std::nullopt : std::optional(spent_);
}

Result<void> AgentSession::lower_limits() {
  for (const std::string& text : arguments_.limits) {
    std::string message;
    const auto limit = read_limit_number(text, message);
    if (!limit) return Error{Errc::invalid_value, message, std::nullopt, {}};
    if (auto lowered = handle_->lower(limit->limit, limit->number); !lowered) return lowered;
  }
  return {};
}

bool AgentSession::start(const std::string& data_json) {
  loop::AgentStart start;
  start.data_json = data_json;
  start.time_ms = driver_->now_ms();
  auto run = loop::AgentRun::start(*agent_, start);
  if (!run) message_ = run.error().message;
  if (!run) return false;
  handle_ = std::make_unique<MemoryAgent>(std::move(*run), [this] { return driver_->now_ms(); });
  const auto lowered = lower_limits();
  if (!lowered) message_ = lowered.error().message;
  return static_cast<bool>(lowered);
}

namespace {

bool names_command(const loop::AgentDefinition& agent, const std::string& tool) {
  const auto has_it = [&tool](const loop::AgentTool& known) { return known.name == tool && !known.command.empty(); };
  return std::ranges::any_of(agent.tools, has_it) || std::ranges::any_of(agent.children, [&tool](const auto& child) {
           return child.second != nullptr && names_command(*child.second, tool);
         });
}

}  // namespace

bool AgentSession::has_command(const std::string& tool) const {
  return commands_.contains(tool) || names_command(agent_->definition(), tool);
}

bool AgentSession::accepts(const std::string& data_json) {
  loop::AgentStart start;
  start.data_json = data_json;
  const auto run = loop::AgentRun::start(*agent_, start);
  if (!run) message_ = run.error().message;
  return static_cast<bool>(run);
}

void AgentSession::leave() {
  if (kept_ == nullptr) return;
  if (const auto parked = kept_->stored().park(); !parked) complain(parked.error().message);
}

Result<void> AgentSession::open_stored(const Store& store, const std::string& data_json,
                                       const std::vector<std::string>& replies) {
  for (const std::string& path : replies) source_->skip(path, 1);
  loop::StoredAgentOptions options;
  options.start.id = arguments_.store.id;
  options.start.data_json = data_json;
  options.lease_ms = kStoreLeaseMs;
  options.keeps_requests = [this](std::string_view agent) { return source_->keeps_requests(agent); };
  options.clock = [this] { return driver_->now_ms(); };
  options.effect_of = [this](std::string_view tool) {
    return has_command(std::string(tool)) ? std::nullopt : std::optional(Effect::Keyed);
  };
  auto stored = loop::StoredAgent::open(*agent_, store, std::move(options));
  if (!stored) return stored.error();
  auto kept = std::make_unique<KeptAgent>(std::move(*stored));
  kept_ = kept.get();
  store_ = store;
  *rates_ = loop::RateLimits({.requests = arguments_.rate.value_or(0)}, store);
  handle_ = std::move(kept);
  if (prices_.empty()) return {};
  const auto before = kept_replies(store, arguments_.store.id);
  if (!before) return before.error();
  for (const KeptReply& reply : *before) spent_ += money_of(reply.choice, reply.reply, prices_);
  return {};
}

AgentDriver::End AgentSession::drive() {
  const AgentDriver::End end = driver_->drive(*handle_);
  if (arguments_.stream) std::cout << '\n';
  return end;
}

// Shows the text of a reply as it comes; the run takes the whole reply later.
void AgentSession::show_bytes(std::string_view path, std::string_view bytes) {
  const auto stream = streams_.find(path);
  if (stream == streams_.end()) return;
  stream->second->feed(bytes);
  std::cout << stream->second->new_text() << std::flush;
}

void AgentSession::tell(const AgentMoment& moment) {
  if (arguments_.stream && moment.kind == AgentMoment::Kind::ModelStart) {
    wire::ReplyReader::Answer answer;
    answer.protocol = moment.operation->model.protocol;
    answer.is_stream = moment.operation->model.is_stream;
    streams_[moment.operation->path] = std::make_unique<wire::ReplyReader>(std::move(answer));
  }
  if (moment.reply != nullptr && !prices_.empty()) spent_ += money_of(moment.operation->model, *moment.reply, prices_);
  if (trace_.is_open()) trace_ << trace_line(moment) << std::flush;
  if (!shows_progress_) return;
  const std::string line = progress_line(moment, handle_->run().usage(), spent());
  if (!line.empty()) std::cerr << line << '\n';
}

int AgentSession::report(const AgentDriver::End& end) {
  if (end.kind == AgentDriver::End::Kind::ModelFailed || end.kind == AgentDriver::End::Kind::StoreFailed) {
    complain(end.reason + ": " + end.message);
  }
  const loop::AgentRun& run = handle_->run();
  if (kept_ != nullptr && end.kind != AgentDriver::End::Kind::StoreFailed) {
    if (const auto parked = kept_->stored().park(); !parked) return complain_of_store(parked.error());
    const auto noted = keep_mark(*store_, arguments_.store.id, mark_of(run), driver_->now_ms());
    if (!noted) return complain_of_store(noted.error());
  }
  if (arguments_.output == "text" && end.kind == AgentDriver::End::Kind::Ended) {
    const loop::AgentOutcome outcome = run.outcome();
    std::cout << (outcome.is_ok ? outcome.result_json : outcome.reason + ": " + outcome.message) << '\n';
  }
  std::cout << agent_line(run, end) << std::endl;
  const int status = agent_status(run, end);
  if (status == kSuspended && !arguments_.store.path.empty()) {
    complain(next_of_agent(arguments_.store, run.operations(), [this](const auto& tool) { return has_command(tool); }));
  }
  return status;
}

}  // namespace ptcvm::cli
