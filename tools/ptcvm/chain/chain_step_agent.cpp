#include "tools/ptcvm/chain/chain_step_agent.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <set>
#include <utility>

#include "agents/chain/plan/gate.h"
#include "agents/chain/report/step_results.h"
#include "agents/loop/agent.h"
#include "agents/loop/stored_facts.h"
#include "agents/loop/stored_intents.h"
#include "ptcvm/effects.hpp"
#include "ptcvm/json.hpp"
#include "tools/ptcvm/chain/chain_agent_doubts.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

// A planner wrote the description: what looks like a template in it is text.
std::string plain_text(std::string text) {
  for (std::size_t at = text.find("{{"); at != std::string::npos; at = text.find("{{", at)) text.insert(at + 1, " ");
  return text;
}

// Returns the tools of the task that may not be called twice.
std::set<std::string> unsafe_tools(const StepAgentTask& task) {
  std::set<std::string> names;
  for (const loop::AgentTool& tool : task.tools) {
    const auto said = task.effect_of ? task.effect_of(tool.name) : std::nullopt;
    if (!is_called_again(said.value_or(tool.effect))) names.insert(tool.name);
  }
  return names;
}

}  // namespace

Result<std::unique_ptr<StepAgent>> StepAgent::open(const Engine& engine, const Store& store,
                                                   const chain::ChainOperation& step, const StepAgentTask& task,
                                                   const loop::ModelChoice& model, bool is_virtual) {
  loop::AgentDefinition definition;
  definition.name = step.step;
  definition.prompt = plain_text(step.text);
  definition.tools = task.tools;
  loop::AgentOptions options;
  options.model = model;
  options.program_limits = task.program_limits;
  if (task.budget != nullptr) options.prices = task.budget->prices();
  chain::ChainPolicy policy = task.policy;
  policy.doubted_tools = step.doubted_tools;
  policy.called_tools = step.called_tools;
  options.hooks.before_tool = [policy = std::move(policy), trust = step.trust](
                                  std::string_view, const loop::AgentTool& tool, ToolCall& call) {
    const json::value args = to_json(call.args());
    const chain::GateVerdict verdict =
        chain::judge_agent_call(tool.name, args.is_object() ? args.get_object() : json::object(), policy, trust);
    if (verdict.kind == chain::GateVerdict::Kind::Allow) return HookVerdict::allow();
    return HookVerdict::deny(verdict.error + ": the task does not allow this call here; a step of its own may ask");
  };
  auto agent = loop::Agent::make(engine, std::move(definition), std::move(options));
  if (!agent) return std::move(agent).error();
  const std::function<std::int64_t()> clock = task.clock ? task.clock : now_millis;
  std::unique_ptr<StepAgent> made(new StepAgent(is_virtual, clock));
  made->step_ = step.step;
  made->unsafe_tools_ = unsafe_tools(task);
  made->asks_people_ = task.policy.has_person;
  made->budget_ = task.budget;
  loop::StoredAgentOptions how;
  how.start.id = step_agent_run(task.runs, step.key, step.step, step.revision);   // a later revision begins again
  const json::value* const args = step.args.if_contains("args");
  if (args != nullptr && args->is_object()) how.start.data_json = json::serialize(*args);
  how.clock = [self = made.get()] { return self->now_ms(); };
  how.effect_of = task.effect_of;
  how.keeps_requests = task.keeps_requests;
  made->log_.emplace(HostLog::of(store, how.start.id));
  auto stored = loop::StoredAgent::open(*agent, store, std::move(how));
  if (!stored) return std::move(stored).error();
  made->stored_.emplace(*std::move(stored));
  return made;
}

std::string StepAgent::refusal() const {
  const bool has_paid = stored_->run().usage().money != 0;   // then its own limit ends it
  return budget_ == nullptr || has_paid ? std::string() : budget_->refusal();
}

// The agent may use what it has used and what the task has left. When other agents use some of that, its limit is
// lowered.
Result<void> StepAgent::keep_within_budget() {
  if (budget_ == nullptr || !budget_->is_limited()) return {};
  const std::uint64_t most = stored_->run().usage().money + budget_->left();
  return most == 0 ? Result<void>() : stored_->lower("money", most);
}

Result<std::optional<StepAgent::End>> StepAgent::step() {
  for (;;) {
    if (auto advanced = stored_->advance(); !advanced) return advanced.error();
    if (auto kept = keep_within_budget(); !kept) return kept.error();
    const auto state = stored_->step();
    if (!state) return state.error();
    if (*state == loop::AgentState::Ended) return end();
    std::optional<std::int64_t> due;
    std::set<std::string> doubted;
    for (const loop::Operation& operation : stored_->run().operations()) {
      const bool is_made = operation.kind == loop::OperationKind::Model || operation.kind == loop::OperationKind::Tool;
      if (is_made) return std::optional<End>();
      if (operation.kind == loop::OperationKind::Doubt) doubted.insert(operation.tool);
      if (operation.kind != loop::OperationKind::Timer) continue;
      due = std::min(due.value_or(operation.due_ms), operation.due_ms);
    }
    if (!doubted.empty() && !asks_people_) {
      const auto called = called_unsafe();
      if (!called) return called.error();
      doubted.insert(called->begin(), called->end());
      return fail(chain::doubt_error(doubted));
    }
    if (!due && !doubted.empty()) return std::optional<End>();
    if (!due) return fail("NOBODY_ANSWERS: the program of the step waits for a signal");
    if (!is_virtual_) return std::optional<End>();
    virtual_ms_ = std::max(virtual_ms_, *due);
  }
}

std::optional<std::int64_t> StepAgent::due_ms() const {
  std::optional<std::int64_t> due;
  for (const loop::Operation& operation : stored_->run().operations()) {
    if (operation.kind == loop::OperationKind::Doubt) continue;
    if (operation.kind != loop::OperationKind::Timer) return std::nullopt;
    due = std::min(due.value_or(operation.due_ms), operation.due_ms);
  }
  return due;
}

bool StepAgent::is_in_doubt() const {
  bool has_doubt = false;
  for (const loop::Operation& operation : stored_->run().operations()) {
    if (operation.kind == loop::OperationKind::Model || operation.kind == loop::OperationKind::Tool) return false;
    has_doubt = has_doubt || operation.kind == loop::OperationKind::Doubt;
  }
  return has_doubt;
}

Result<chain::DoubtingAgent> StepAgent::doubting() const {
  auto called = called_unsafe();
  if (!called) return called.error();
  chain::DoubtingAgent agent;
  agent.called_tools = *std::move(called);
  agent.usage = usage();
  for (const loop::Operation& operation : stored_->run().operations()) {
    if (operation.kind != loop::OperationKind::Doubt) continue;
    agent.doubts.push_back({agent_doubt_key(log_->id(), operation.path), operation.path, doubted_tool(operation.path),
                            operation.args_json});
  }
  return agent;
}

chain::ModelUsage StepAgent::usage() const {
  const loop::AgentUsage used = stored_->run().usage();
  return {static_cast<std::int64_t>(used.input), static_cast<std::int64_t>(used.output), used.model_calls,
          used.tool_calls};
}

std::optional<StepAgent::End> StepAgent::fail(std::string why) const {
  return End{nullptr, std::move(why), usage()};
}

// The log has an intent for each call that went out. "pay#2" is the second call of pay.
Result<std::set<std::string>> StepAgent::called_unsafe() const {
  constexpr std::size_t kPage = 1'000;
  std::set<std::string> called;
  for (std::uint64_t seen = 0;;) {
    const auto facts = log_->read(seen, kPage);
    if (!facts) return facts.error();
    for (const HostFact& fact : *facts) {
      seen = fact.seq;
      if (!fact.is_of_host || fact.name != loop::kIntent) continue;
      const std::string path = loop::answered_path(fact.body);
      const std::string tool = path.substr(0, path.find('#'));
      if (unsafe_tools_.contains(tool)) called.insert(tool);
    }
    if (facts->size() < kPage) return called;
  }
}

Result<std::optional<StepAgent::End>> StepAgent::end() {
  const loop::AgentOutcome outcome = stored_->run().outcome();
  End end;
  end.usage = usage();
  if (outcome.is_ok) {
    end.value = json::parse(outcome.result_json);
  } else {
    const auto called = called_unsafe();
    if (!called) return called.error();
    end.error = outcome.reason + ": " + chain::called_message(*called, outcome.message);
  }
  if (auto parked = stored_->park(); !parked) return parked.error();
  return std::optional(std::move(end));
}

Result<void> StepAgent::answer(std::string_view path, const loop::ModelReply& reply) {
  return stored_->resolve_model(path, reply);
}

Result<void> StepAgent::answer_call(std::string_view path, const json::value& value) {
  auto told = stored_->resolve(path, Value::of(value));
  if (told || told.error().code != Errc::invalid_value) return told;
  return stored_->reject(path, told.error().message);   // it does not fit the signature of the tool
}

Result<void> StepAgent::answer_call_error(std::string_view path, std::string_view message) {
  return stored_->reject(path, message);
}

}  // namespace ptcvm::cli
