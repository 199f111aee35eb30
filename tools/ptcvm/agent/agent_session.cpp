#include "tools/ptcvm/agent/agent_session.h"

#include <algorithm>
#include <iostream>
#include <span>
#include <utility>

#include "ptcvm/effects.hpp"
#include "tools/ptcvm/agent/agent_report.h"
#include "tools/ptcvm/agent/agent_snapshot.h"
#include "tools/ptcvm/agent/agent_store.h"
#include "tools/ptcvm/agent/agent_tell.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/agent_goes_on.h"
#include "tools/ptcvm/text/shell_arguments.h"

namespace ptcvm::cli {

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
  message_ = unknown_tool(definition, *commands);
  if (!message_.empty()) return false;
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
  if (!model && arguments_.model.empty()) model = open_no_model();
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

std::string AgentSession::spent_text() const {
  if (prices_.empty()) return "";
  return is_spent_known_ ? loop::money_text(spent_) : "?";
}

void AgentSession::count_cost(const loop::ModelChoice& choice, const loop::ModelReply& reply) {
  const auto cost = reply.money ? reply.money : cost_of(choice, reply, prices_);   // the log may have it
  is_spent_known_ = is_spent_known_ && cost;
  spent_ += cost.value_or(0);
}

Result<void> lower_limits(AgentHandle& agent, const AgentArguments& arguments) {
  for (const std::string& text : arguments.limits) {
    std::string message;
    const auto limit = read_limit_number(text, message);
    if (!limit) return Error{Errc::invalid_value, message, std::nullopt, {}};
    if (auto lowered = agent.lower(limit->limit, limit->number); !lowered) return lowered;
  }
  return {};
}

bool AgentSession::start(const std::string& data_json) {
  loop::AgentStart start;
  if (!arguments_.store.id.empty()) start.id = arguments_.store.id;
  start.data_json = data_json;
  start.time_ms = driver_->now_ms();
  auto run = loop::AgentRun::start(*agent_, start);
  if (!run) message_ = run.error().message;
  if (!run) return false;
  handle_ = std::make_unique<MemoryAgent>(std::move(*run), [this] { return driver_->now_ms(); });
  const auto lowered = lower_limits(*handle_, arguments_);
  if (!lowered) message_ = lowered.error().message;
  return static_cast<bool>(lowered);
}

bool AgentSession::restore(const std::string& document, std::uint64_t sequence) {
  sequence_ = sequence;
  auto run = loop::AgentRun::restore(*agent_, std::as_bytes(std::span(document)));
  if (!run) message_ = run.error().message;
  if (!run) return false;
  is_spent_known_ = run->usage().model_calls == 0 || run->usage().money != 0;
  handle_ = std::make_unique<MemoryAgent>(std::move(*run), [this] { return driver_->now_ms(); });
  auto gone = handle_->step();
  for (const loop::Operation& call : handle_->run().operations()) {
    const bool is_call = call.kind == loop::OperationKind::Tool && call.definition != nullptr && has_command(call.tool);
    if (!gone || !is_call) continue;
    const bool may_repeat = is_called_again(call.definition->effect);
    if (const auto said = may_repeat ? Result<void>() : handle_->doubt(call.path); !said) gone = said.error();
  }
  if (gone) {
    if (const auto lowered = lower_limits(*handle_, arguments_); !lowered) gone = lowered.error();
  }
  if (!gone) message_ = gone.error().message;
  return static_cast<bool>(gone);
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
  for (const loop::Operation& request : kept_->run().operations()) {
    if (request.kind != loop::OperationKind::Model || source_->keeps_requests(request.agent)) continue;
    const auto unsent = kept_->unsend_model(request.path);
    if (!unsent) complain(unsent.error().message);
  }
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
  const auto known = loop::StoredAgent::stored_definition(store, options.start.id);
  if (!known) return known.error();
  if (*known) {
    auto answered = agent_of_log(engine_, store, options.start.id);
    if (!answered) return answered.error();
    options.agent_at = *std::move(answered);
  }
  auto stored = loop::StoredAgent::open(*agent_, store, std::move(options));
  if (!stored) return stored.error();
  auto kept = std::make_unique<KeptAgent>(std::move(*stored));
  kept_ = kept.get();
  store_ = store;
  *rates_ = loop::RateLimits({.requests = arguments_.rate.value_or(0)}, store);
  handle_ = std::move(kept);
  const auto before = kept_requests(store, arguments_.store.id);
  if (!before) return before.error();
  for (const KeptRequest& request : *before) {
    if (request.reply) count_cost(request.choice, *request.reply);
  }
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
  if (moment.reply != nullptr) count_cost(moment.operation->model, *moment.reply);
  if (trace_.is_open()) trace_ << trace_line(moment) << std::flush;
  if (!shows_progress_) return;
  const std::string line = progress_line(moment, handle_->run().usage(), spent_text());
  if (!line.empty()) std::cerr << line << '\n';
}

// The log knows also of replies that were lost with their processes.
bool AgentSession::knows_what_is_spent() const {
  if (kept_ == nullptr) return is_spent_known_;
  const auto known = knows_spent(*store_, handle_->run());
  return known && *known;
}

int AgentSession::report(const AgentDriver::End& end) {
  if (end.kind == AgentDriver::End::Kind::ModelFailed || end.kind == AgentDriver::End::Kind::StoreFailed) {
    complain(end.reason + ": " + end.message);
  }
  const loop::AgentRun& run = handle_->run();
  if (kept_ != nullptr && end.kind != AgentDriver::End::Kind::StoreFailed) {
    if (const auto parked = kept_->stored().park(); !parked) return complain_of_store(parked.error());
    const std::string reason = end.kind == AgentDriver::End::Kind::ModelFailed ? end.reason : "";
    const auto noted = keep_mark(*store_, arguments_.store.id, mark_of(run), reason, driver_->now_ms());
    if (!noted) return complain_of_store(noted.error());
  }
  if (arguments_.output == "text" && end.kind == AgentDriver::End::Kind::Ended) {
    const loop::AgentOutcome outcome = run.outcome();
    std::cout << (outcome.is_ok ? outcome.result_json : outcome.reason + ": " + outcome.message) << '\n';
  }
  std::cout << agent_line(run, end, {.is_cost_known = knows_what_is_spent()}) << std::endl;
  const int status = agent_status(run, end);
  if (!arguments_.snapshot.empty()) {
    std::string why;
    if (!write_agent_snapshot(arguments_.snapshot, run, arguments_.store, sequence_ + 1, why)) {
      return complain(why), kStoreFailed;
    }
    if (status == kSuspended) {
      complain("the run waits; go on with: ptcvm agent resume --snapshot " + shell_quoted(arguments_.snapshot) +
               ring_words(arguments_.store) + " --model MODEL --resolve PATH=JSON");
    }
    return status;
  }
  const bool may_go_on = status == kSuspended || end.kind == AgentDriver::End::Kind::ModelFailed;
  if (may_go_on && !arguments_.store.path.empty()) {
    complain(next_of_agent(arguments_.store, run.operations(), [this](const auto& tool) { return has_command(tool); }));
  }
  return status;
}

}  // namespace ptcvm::cli
