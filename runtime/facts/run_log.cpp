#include "runtime/facts/run_log.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ptc {
namespace {

constexpr std::array<std::string_view, 8> kEffectStates = {"intended", "committed", "failed",   "partial",
                                                           "pending",  "in_doubt",  "not_done", "given_up"};

std::string numbered(std::string_view kind, std::string_view name, std::uint64_t number) {
  return std::string(kind).append("/").append(name).append("#").append(std::to_string(number));
}

std::string named(std::string_view kind, std::string_view name) {
  return std::string(kind).append("/").append(name);
}

}  // namespace

std::string task_key(std::string_view id, std::uint64_t epoch) { return numbered("task", id, epoch); }
std::string reset_key(std::string_view id, std::uint64_t epoch) { return numbered("reset", id, epoch); }
std::string intent_key(std::string_view key, std::uint64_t attempt) { return numbered("intent", key, attempt); }
std::string effect_key(std::string_view key, std::uint64_t attempt) { return numbered("effect", key, attempt); }
std::string doubt_key(std::string_view key, std::uint64_t attempt) { return numbered("doubt", key, attempt); }
std::string operation_key(std::string_view operation) { return named("operation", operation); }
std::string resolved_key(std::string_view operation) { return named("resolved", operation); }
std::string external_key(std::string_view id) { return named("external", id); }

std::string_view effect_state_name(EffectState state) { return kEffectStates[static_cast<std::size_t>(state)]; }

std::optional<EffectState> find_effect_state(std::string_view name) {
  const auto at = std::find(kEffectStates.begin(), kEffectStates.end(), name);
  if (at == kEffectStates.end()) return std::nullopt;
  return static_cast<EffectState>(at - kEffectStates.begin());
}

void RunLog::add(const Fact& fact) {
  head_ = fact.seq;
  switch (fact.kind) {
    case FactKind::RunStarted: is_over_ = false; break;
    case FactKind::TurnEnded:
      ++turns_ended_;
      is_over_ = true;
      last_end_ = fact;
      break;
    case FactKind::TaskCommitted: commit(fact.id, fact, {}); break;
    case FactKind::ExternalValue: commit(fact.id, fact, fact.source); break;
    case FactKind::TaskReset: reset(fact); break;
    case FactKind::Intent: intend(fact); break;
    case FactKind::EffectSettled:
    case FactKind::DoubtSettled: settle(fact); break;
    case FactKind::OperationOpened: open(fact); break;
    case FactKind::OperationResolved: resolve(fact); break;
    case FactKind::StepDone: add_summaries(summaries_, {{fact.id, fact.text}}); break;
    case FactKind::PlanSet: set_plan(fact); break;
    case FactKind::RunSuspended:
    case FactKind::RunResumed: break;
  }
}

const LoggedTask* RunLog::task(std::string_view id) const {
  const auto at = task_index_.find(id);
  return at == task_index_.end() ? nullptr : &tasks_[at->second];
}

std::uint64_t RunLog::epoch(std::string_view id) const {
  const auto at = epochs_.find(id);
  return at == epochs_.end() ? 1 : at->second;
}

const LoggedEffect* RunLog::effect(std::string_view idempotency_key) const {
  const auto at = effect_index_.find(idempotency_key);
  return at == effect_index_.end() ? nullptr : &effects_[at->second];
}

const LoggedOperation* RunLog::operation(std::string_view id) const {
  const auto at = operation_index_.find(id);
  return at == operation_index_.end() ? nullptr : &operations_[at->second];
}

std::vector<const LoggedEffect*> RunLog::unsettled(std::uint64_t token) const {
  std::vector<const LoggedEffect*> out;
  for (const LoggedEffect& effect : effects_) {
    const bool open = effect.state == EffectState::Intended || effect.state == EffectState::InDoubt;
    if (open && effect.writer != token) out.push_back(&effect);
  }
  return out;
}

// The first value of an id stays until it is reset, whoever said it.
void RunLog::commit(std::string_view id, const Fact& fact, std::string source) {
  if (!task_index_.try_emplace(std::string(id), tasks_.size()).second) return;
  tasks_.push_back({std::string(id), fact.value, std::move(source)});
}

void RunLog::reset(const Fact& fact) {
  if (const auto known = task_index_.find(fact.id); known != task_index_.end()) {
    const std::size_t at = known->second;
    task_index_.erase(known);
    tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(at));
    for (std::size_t k = at; k < tasks_.size(); ++k) task_index_.find(tasks_[k].id)->second = k;
  }
  std::uint64_t& next = epochs_.try_emplace(fact.id, 1).first->second;
  next = std::max(next, fact.number) + 1;
}

void RunLog::intend(const Fact& fact) {
  const auto [at, is_new] = effect_index_.try_emplace(fact.idempotency_key, effects_.size());
  if (is_new) effects_.emplace_back();
  LoggedEffect& effect = effects_[at->second];
  if (!is_new && fact.number <= effect.attempt) return;
  effect = {fact.idempotency_key, fact.number, EffectState::Intended, fact.tool, fact.args, fact.effect, fact.task,
            {}, {}, turn(), fact.writer};
}

// Of an attempt that is not the newest any more nothing is learnt.
void RunLog::settle(const Fact& fact) {
  const auto at = effect_index_.find(fact.idempotency_key);
  const auto state = find_effect_state(fact.status);
  if (at == effect_index_.end() || !state || effects_[at->second].attempt != fact.number) return;
  LoggedEffect& effect = effects_[at->second];
  const bool is_known = effect.state != EffectState::Intended && effect.state != EffectState::InDoubt;
  if (is_known) return;
  effect.state = *state;
  effect.value = fact.value;
  effect.text = fact.text;
}

void RunLog::open(const Fact& fact) {
  const auto [at, is_new] = operation_index_.try_emplace(fact.id, operations_.size());
  if (is_new) operations_.emplace_back().id = fact.id;
  LoggedOperation& operation = operations_[at->second];
  if (fact.kind != FactKind::OperationOpened || operation.is_opened) return;
  operation.is_opened = true;
  operation.tool = fact.tool;
  operation.args = fact.args;
  operation.task = fact.task;
  operation.opened = fact.text;
  operation.opened_ms = fact.time_ms;
}

// An answer may come before the log says that the operation was started.
void RunLog::resolve(const Fact& fact) {
  if (operation(fact.id) == nullptr) open(fact);
  LoggedOperation& operation = operations_[operation_index_.find(fact.id)->second];
  if (!operation.status.empty()) return;
  operation.status = fact.status;
  operation.value = fact.value;
  operation.text = fact.text;
  operation.source = fact.source;
  operation.resolved_seq = fact.seq;
}

void RunLog::set_plan(const Fact& fact) {
  if (plan_) return;   // a plan never changes
  std::string why;
  plan_ = read_plan(fact.value, why);
}

}  // namespace ptc
