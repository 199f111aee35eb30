#include "agents/chain/run/steps_run.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "agents/chain/check/verification.h"
#include "agents/chain/plan/plan_program.h"
#include "agents/chain/plan/step_values.h"
#include "agents/chain/planning/prompts.h"
#include "agents/chain/risk/confirmation.h"
#include "agents/chain/run/step_verdict.h"
#include "agents/chain/text/json_member.h"
#include "ptcvm/effects.hpp"
#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

Value value_of(const json::value& value) { return Value::of(value); }

// Carries what the other side knows as the program expects answers of tools.
std::function<Reconciled(ToolCall&)> carried(const std::function<Reconciled(ToolCall&)>& reconcile) {
  if (!reconcile) return {};
  return [reconcile](ToolCall& call) {
    Reconciled known = reconcile(call);
    if (known.state == Reconciled::State::Happened) {
      known.result = value_of(json::object{{"value", to_json(known.result)}, {"ms", 0}});
    }
    return known;
  };
}

void add_usage(json::object& answer, const ModelUsage& usage) {
  if (usage.is_known()) answer["tokens"] = usage_json(usage);
  if (usage.calls != 1) answer["modelCalls"] = usage.calls;
  if (usage.tool_calls != 0) answer["toolCalls"] = usage.tool_calls;
}

}  // namespace

std::string steps_run_id(std::string_view task_id) { return std::string(task_id) + "/steps"; }

StepsRun::StepsRun(const Engine& engine, const Store& store, const ChainOptions& options,
                   const ToolSignatures& signatures, OperationTable& operations)
    : engine_(engine), store_(store), options_(options), signatures_(signatures), operations_(operations),
      run_id_(steps_run_id(options.id)) {}

const PlanStep* StepsRun::find(std::string_view id) const {
  const auto found = step_at_.find(id);
  return found == step_at_.end() ? nullptr : &plan_.steps[found->second];
}

Tools StepsRun::program_tools() const {
  Tools tools;
  const auto defer = [&tools](std::string name, ToolOptions options) {
    [[maybe_unused]] const auto added = tools.defer(std::move(name), "", std::move(options));
  };
  for (const ChainTool& tool : options_.tools) {
    ToolOptions how;
    how.effect = tool.effect;
    how.reconcile = carried(tool.reconcile);
    defer(program_tool(tool.name), std::move(how));
  }
  ToolOptions again;
  again.effect = Effect::Idempotent;
  defer(program_tool({}), again);
  ToolOptions judged = again;
  if (options_.verifier != Verifier::Model) judged.effect = Effect::Pure;
  defer("chain_verify", judged);
  judged.effect = Effect::Pure;
  defer("chain_settled", judged);
  again.mode = ToolMode::Auto;
  defer("chain_gate", again);
  return tools;
}

Result<void> StepsRun::start(const Plan& plan, std::uint32_t revision, const PlanHistory& history) {
  plan_ = plan;
  policy_ = policy_after(options_.policy, history);
  step_at_.clear();
  settled_by_call_.clear();
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const PlanStep& step = plan_.steps[i];
    step_at_.emplace(step.id, i);
    if (is_settled_by_call(step, policy_, options_.verifier, history.trust)) settled_by_call_.insert(step.id);
  }
  revision_ = revision;
  history_ = history;
  rows_.clear();
  error_.clear();
  if (auto learned = learn_decisions(); !learned) return learned;
  source_ = plan_source(plan_, {.task_id = options_.id,
                                .revision = revision,
                                .policy = &policy_,
                                .verifier = options_.verifier,
                                .yields_between_steps = options_.yields_between_steps,
                                .parallel = options_.parallel,
                                .history = history});
  return open();
}

// Begins the run, or goes on with it as its log says.
Result<void> StepsRun::open() {
  unknown_calls_.clear();
  StoredOptions how;
  how.id = run_id_;
  how.name = "plan@" + std::to_string(revision_);
  how.limits.fuel = UINT64_MAX;
  how.limits.tool_calls = UINT32_MAX;
  how.limits.operation_ttl_ms = 0;
  how.limits.pending_operations = 10'000;
  how.limits.memory_bytes = options_.memory_bytes;
  how.lease_ms = options_.lease_ms;
  how.clock = options_.clock;
  how.parallel_calls = std::max<std::size_t>(options_.parallel, 1);
  how.branches_go_on = true;
  auto run = StoredRun::start(engine_, store_, program_tools(), source_, how);
  if (!run) return std::move(run).error();
  run_ = std::move(*run);
  return {};
}

// Learns from the log what people said about calls of this task.
Result<void> StepsRun::learn_decisions() {
  const auto journal = store_.journal(run_id_, JournalExtent::Notable);
  if (!journal) return journal.error();
  for (const JournalOperation& operation : journal->operations) {
    if (const auto id = read_confirmation_id(operation.id); id && operation.status == "ok") {
      decisions_[std::string(id->signature)] = operation.value_edn == "nil";
    }
  }
  return {};
}

Result<StepsState> StepsRun::step(std::uint64_t fuel) {
  for (;;) {
    const Result<StoredStep> led_to = run_->step(fuel);
    if (!led_to) return led_to.error();
    if (*led_to == StoredStep::Yielded) return StepsState::Yielded;
    if (*led_to == StoredStep::Done) {
      const StoredEnd end = run_->outcome().end;
      if (end == StoredEnd::Ended || end == StoredEnd::EndedBefore) return end_turn();
      if (end == StoredEnd::InDoubt) {
        list_doubts();
        return StepsState::Waits;
      }
      const Result<bool> goes_on = list_questions();
      if (!goes_on) return goes_on.error();
      if (*goes_on) continue;
      return StepsState::Waits;
    }
    bool is_open = false, is_between = false, is_answered = false;
    for (const WaitingCall& call : run_->calls()) {
      if (unknown_calls_.contains(call.id)) continue;
      if (operations_.has(OperationOwner::Steps, call.id)) {
        is_open = true;
        continue;
      }
      is_between = is_between || call.tool == "chain_settled";
      const Result<bool> answered = dispatch(call);
      if (!answered) return answered.error();
      (*answered ? is_answered : is_open) = true;
    }
    if (!unknown_calls_.empty() && !is_open && !is_answered) {
      run_.reset();   // as when the process had died: the calls are open in the log, and a person is asked
      if (auto opened = open(); !opened) return opened.error();
      continue;
    }
    if (is_between && !is_open) return StepsState::Yielded;
    if (is_open && !is_answered) return StepsState::Waits;   // else what was answered here goes on at once
  }
}

// Answers what the executor knows, and hands everything else out; true: the call is answered.
Result<bool> StepsRun::dispatch(const WaitingCall& call) {
  if (call.tool == "chain_gate") return gate(call);
  if (call.tool == "chain_verify") return verify(call);
  if (call.tool == "chain_settled") {
    if (auto said = run_->answer(call.id, {}); !said) return said.error();
    return true;
  }
  return hand_out(call);
}

ChainOperation StepsRun::operation_for(const PlanStep& step, OperationKind kind, const WaitingCall& call) const {
  ChainOperation operation;
  operation.kind = kind;
  operation.key = call.key;
  operation.step = step.id;
  operation.task = call.task_id;
  operation.tool = step.tool;
  operation.revision = revision_;
  operation.attempt = call.attempt;
  operation.trust = history_.trust;
  operation.doubted_tools = policy_.doubted_tools;
  operation.called_tools = policy_.called_tools;
  operation.fencing_token = call.fencing_token;
  return operation;
}

Result<bool> StepsRun::gate(const WaitingCall& call) {
  const json::object given = call_args(call);
  const PlanStep* const step = find(member_text(given, "step"));
  const json::value* const args = given.if_contains("args");
  GateVerdict verdict;
  if (step != nullptr && !step->tool.empty()) {
    const bool has_args = args != nullptr && args->is_object();
    const auto exact = signatures_.args_of(*step, has_args ? args->get_object() : json::object());
    if (const json::object* const found = std::get_if<json::object>(&exact)) {   // else the call fails
      verdict = judge_call(*step, *found, policy_, decisions_, history_.trust);
    }
  } else if (step != nullptr) {
    verdict = judge_call(*step, {{"prompt", step->description}}, policy_, decisions_, history_.trust);
  }
  if (verdict.kind != GateVerdict::Kind::Ask) {
    const json::value answer = verdict.error.empty() ? json::value() : json::value(verdict.error);
    if (auto said = run_->answer(call.id, value_of(answer)); !said) return said.error();
    return true;
  }
  const std::string id = confirmation_id(revision_, step->id, verdict.signature);
  ChainOperation question = operation_for(*step, OperationKind::Question, call);
  question.purpose = "confirm";
  question.key = id;
  question.text = verdict.question;
  question.signature = verdict.signature;
  if (auto said = run_->answer_pending(call.id, id); !said) return said.error();
  operations_.add(std::move(question), OperationOwner::Steps);
  return true;
}

Result<bool> StepsRun::verify(const WaitingCall& call) {
  const json::object given = call_args(call);
  const PlanStep* const step = find(member_text(given, "step"));
  const std::string output = joined_outputs(given);
  const CheckMode mode = options_.verifier == Verifier::Heuristic ? CheckMode::Heuristic : CheckMode::Grammar;
  const Verification verification =
      verify_output(step == nullptr ? std::vector<std::string>() : step->verification, output, mode);
  if (step != nullptr && options_.verifier == Verifier::Model && !verification.pending.empty()) {
    ChainOperation judge = operation_for(*step, OperationKind::Model, call);
    judge.purpose = "verify";
    judge.text = judge_prompt(verification.pending, output);
    judge.args = judge_args(verification, output);
    operations_.add(std::move(judge), OperationOwner::Steps, call.id);
    return false;
  }
  const json::value verdict = verdict_of(member_text(given, "step"), verification, output);
  if (auto said = run_->answer(call.id, value_of(verdict)); !said) return said.error();
  return true;
}

Result<bool> StepsRun::hand_out(const WaitingCall& call) {
  const PlanStep* const step = find(step_of_key(call.task_id, options_.id));
  auto args = step == nullptr ? std::variant<json::object, std::string>("UNKNOWN_STEP")
                              : signatures_.args_of(*step, call_args(call));
  if (const std::string* const fault = std::get_if<std::string>(&args)) {
    const json::object error{{"error", *fault}, {"ms", 0}};
    if (auto said = run_->answer(call.id, value_of(error)); !said) return said.error();
    return true;
  }
  ChainOperation operation =
      operation_for(*step, step->tool.empty() ? OperationKind::Model : OperationKind::Tool, call);
  operation.args = std::move(std::get<json::object>(args));
  if (step->tool.empty()) {
    operation.purpose = "step";
    operation.text = step->description;
  }
  operations_.add(std::move(operation), OperationOwner::Steps, call.id);
  return false;
}

void StepsRun::list_doubts() {
  const auto doubts = store_.doubts(run_id_);
  if (!doubts) return;
  for (const JournalCall& doubt : *doubts) {
    ChainOperation operation;
    operation.kind = OperationKind::Doubt;
    operation.key = doubt.key;
    operation.step = step_of_key(doubt.task, options_.id);
    const PlanStep* const step = find(operation.step);
    operation.tool = step == nullptr ? doubt.tool : step->tool;
    operation.text = doubt.args_edn;
    operation.revision = revision_;
    operation.attempt = doubt.attempt;
    operations_.add(std::move(operation), OperationOwner::Steps);
  }
}

// Begins the answer of a call. It names the revision where no other task of the step may do so.
json::object StepsRun::call_answer(const OperationTable::Entry& entry, std::int64_t ms) const {
  json::object answer{{"ms", ms}};
  if (settled_by_call_.contains(entry.operation.step)) answer["revision"] = revision_;
  return answer;
}

Result<void> StepsRun::answer(const OperationTable::Entry& entry, json::value value, std::int64_t ms,
                              const ModelUsage& usage) {
  if (entry.operation.kind == OperationKind::Question) return answer_question(entry, value);
  if (entry.operation.purpose == "verify") return answer_verdict(entry, value, usage);
  if (std::string fault = signatures_.fit_output(entry.operation.tool, value, options_.most_output_bytes);
      !fault.empty()) {
    return answer_error(entry, std::move(fault), ms, usage);
  }
  json::object answer = call_answer(entry, ms);
  add_usage(answer, usage);
  answer["value"] = std::move(value);
  return run_->answer(entry.call, value_of(answer));
}

Result<void> StepsRun::answer_error(const OperationTable::Entry& entry, std::string message, std::int64_t ms,
                                    const ModelUsage& usage) {
  if (entry.operation.purpose == "verify") return answer_verdict(entry, json::value(), usage);
  if (message.empty()) message = "Unknown failure";
  json::object answer = call_answer(entry, ms);
  add_usage(answer, usage);
  answer["error"] = cut_text(message, options_.most_output_bytes);
  return run_->answer(entry.call, value_of(answer));
}

// A call that may be made again fails, and is planned again. The others wait until nothing else is under way.
Result<void> StepsRun::answer_unknown(const OperationTable::Entry& entry, std::string message) {
  const auto tool = std::ranges::find(options_.tools, entry.operation.tool, &ChainTool::name);
  const Effect effect = tool == options_.tools.end() ? Effect::Unsafe : tool->effect;
  if (is_called_again(effect)) {
    return answer_error(entry, "nobody knows what became of the call: " + message, 0, {});
  }
  unknown_calls_.insert(entry.call);
  return {};
}

Result<void> StepsRun::settle(const OperationTable::Entry& entry, DoubtAnswer answer, json::value value) {
  json::object result = call_answer(entry, 0);
  if (answer == DoubtAnswer::Happened) {
    std::string fault = signatures_.fit_output(entry.operation.tool, value, options_.most_output_bytes);
    if (!fault.empty()) return Error{Errc::invalid_value, std::move(fault), std::nullopt};
    result["value"] = std::move(value);
  }
  if (answer != DoubtAnswer::GiveUp) return run_->settle(entry.operation.key, answer, value_of(result));
  // Giving up is an error of the step, not of the program.
  result["error"] = "GIVEN_UP";
  return run_->settle(entry.operation.key, DoubtAnswer::Happened, value_of(result));
}

Result<void> StepsRun::answer_verdict(const OperationTable::Entry& entry, const json::value& reply,
                                      const ModelUsage& usage) {
  json::value verdict = judged(entry.operation.step, entry.operation.args, reply);
  if (usage.is_known() || usage.calls != 1) verdict.as_object()["tokens"] = reply_usage_json(usage);
  return run_->answer(entry.call, value_of(verdict));
}

// Reads what the program gave. When it was stopped by a limit, the log knows what had been settled.
Result<StepsState> StepsRun::end_turn() {
  operations_.remove_all(OperationOwner::Steps);
  operations_.remove_all(OperationOwner::StepAgent);
  const StoredOutcome& ended = run_->outcome();
  json::value rows = to_json(ended.outcome.value);
  if (ended.outcome.state == RunState::Failed || !rows.is_array()) {
    const auto& fault = ended.outcome.diagnostic;
    error_ = "LIMIT_REACHED: " + (fault ? fault->kind + ": " + fault->message : std::string("the plan did not end"));
    rows_ = recorded_rows(store_, options_, plan_, revision_, history_);
  } else {
    rows_ = std::move(rows.get_array());
  }
  return StepsState::Over;
}

}  // namespace ptcvm::chain
