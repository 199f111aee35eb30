#include "runtime/log/run_log.h"

#include <array>
#include <charconv>
#include <utility>

namespace ptc {
namespace {

constexpr std::array<std::string_view, 9> kEffectStates = {"intended", "committed", "failed",   "partial", "pending",
                                                           "in_doubt", "not_done",  "given_up", "reset"};

// Make the key of a fact of this kind: KEY/NAME, with a number KEY/NAME#NUMBER.
std::string named(FactKind kind, std::string_view name) {
  return std::string(fact_info(kind).key).append("/").append(name);
}

std::string numbered(FactKind kind, std::string_view name, std::uint64_t number) {
  return named(kind, name).append("#").append(std::to_string(number));
}

// Returns 12 for an operation that the run named itself, "op12" or "op12.0.1", and 0 for other operations.
std::uint64_t own_number(std::string_view operation) {
  std::uint64_t number = 0;
  if (!operation.starts_with("op")) return 0;
  std::from_chars(operation.data() + 2, operation.data() + operation.size(), number);
  return number;
}

}  // namespace

std::string task_key(std::string_view id, std::uint64_t epoch) { return numbered(FactKind::TaskCommitted, id, epoch); }
std::string reset_key(std::string_view id, std::uint64_t epoch) { return numbered(FactKind::TaskReset, id, epoch); }
std::string intent_key(std::string_view key, std::uint64_t attempt) { return numbered(FactKind::Intent, key, attempt); }
std::string effect_key(std::string_view key, std::uint64_t attempt) {
  return numbered(FactKind::EffectSettled, key, attempt);
}
std::string doubt_key(std::string_view key, std::uint64_t attempt) {
  return numbered(FactKind::DoubtSettled, key, attempt);
}
std::string operation_key(std::string_view operation) { return named(FactKind::OperationOpened, operation); }
std::string resolved_key(std::string_view operation) { return named(FactKind::OperationResolved, operation); }
std::string judged_key(std::string_view key) { return named(FactKind::CallJudged, key); }
std::string decided_key(std::string_view key) { return named(FactKind::CallDecided, key); }
std::string external_key(std::string_view id, std::uint64_t version) {
  return numbered(FactKind::ExternalValue, id, version);
}

bool is_named_by_run(std::string_view operation) { return own_number(operation) != 0; }

std::string_view effect_state_name(EffectState state) { return kEffectStates[static_cast<std::size_t>(state)]; }

std::optional<EffectState> find_effect_state(std::string_view name) {
  const auto at = std::find(kEffectStates.begin(), kEffectStates.end(), name);
  if (at == kEffectStates.end()) return std::nullopt;
  return static_cast<EffectState>(at - kEffectStates.begin());
}

// A kind of fact that this switch does not fold does not compile.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
void RunLog::add(const Fact& fact) {
  head_ = fact.seq;
  switch (fact.kind) {
    case FactKind::RunStarted: start_turn(fact); break;
    case FactKind::TurnEnded: end_turn(fact); break;
    case FactKind::TaskCommitted:
      commit(fact.id, fact, {});
      if (fact.status == "return") returned_from_.try_emplace(fact.id, true);
      break;
    case FactKind::ExternalValue: put_external(fact); break;
    case FactKind::CallJudged: judge(fact); break;
    case FactKind::CallDecided: decide(fact); break;
    case FactKind::TaskReset:
      has_news_ = true;
      reset(fact);
      break;
    case FactKind::Intent: intend(fact); break;
    case FactKind::DoubtSettled:
      has_news_ = true;
      settle(fact);
      break;
    case FactKind::EffectDoubted:
      doubted_.insert_or_assign(fact.idempotency_key, fact.number);
      settle(fact);
      break;
    case FactKind::EffectSettled: settle(fact); break;
    case FactKind::OperationOpened: open(fact); break;
    case FactKind::OperationResolved: resolve(fact); break;
    case FactKind::OperationProgressed: progress(fact); break;
    case FactKind::StepDone: add_summaries(summaries_, {{fact.id, fact.text}}); break;
    case FactKind::PlanSet: set_plan(fact); break;
    case FactKind::RunResumed: deliver(fact); break;
    case FactKind::RunSuspended:
    case FactKind::RunMoved:
    case FactKind::RunForked: break;
    case FactKind::RunCopied: is_copy_ = true; break;
    case FactKind::HostObserved:
    case FactKind::HostEffected:
    case FactKind::HostDecided:
    case FactKind::HostNoted: has_host_facts_ = true; break;
  }
}
#pragma GCC diagnostic pop

void RunLog::recall(const Fact& fact) {
  if (fact.kind == FactKind::Intent) {
    intend(fact);
    LoggedEffect& effect = effects_[effect_index_.find(fact.idempotency_key)->second];
    const auto doubt = doubted_.find(fact.idempotency_key);
    const bool is_doubted = doubt != doubted_.end() && doubt->second == effect.attempt;
    if (is_doubted && effect.state == EffectState::Intended) effect.state = EffectState::InDoubt;
  } else {
    settle(fact);
  }
}

void RunLog::let_go(const Fact& fact) {
  if (fact.kind == FactKind::TurnEnded && last_end_) std::string().swap(last_end_->value);
  if (fact.kind == FactKind::TaskCommitted) {
    const auto at = task_index_.find(fact.id);
    if (at == task_index_.end() || tasks_[at->second].seq != fact.seq) return;
    tasks_[at->second].is_let_go = true;
    std::string().swap(tasks_[at->second].value_edn);
  } else if (fact.kind == FactKind::EffectSettled) {
    const auto at = effect_index_.find(fact.idempotency_key);
    if (at == effect_index_.end() || effects_[at->second].attempt != fact.number) return;
    LoggedEffect& effect = effects_[at->second];
    effect.is_let_go = true;
    for (std::string* const text : {&effect.args, &effect.value, &effect.text, &effect.errors}) {
      std::string().swap(*text);
    }
  } else if (fact.kind == FactKind::OperationOpened) {
    const auto at = operation_index_.find(fact.id);
    if (at == operation_index_.end()) return;
    LoggedOperation& operation = operations_[at->second];
    std::string().swap(operation.opened);
    if (!is_signal(operation)) std::string().swap(operation.args);
  }
}

std::size_t RunLog::bytes_to_let_go(const Fact& fact) const {
  switch (fact.kind) {
    case FactKind::TaskCommitted: return fact.value.size() + fact.text.size();
    case FactKind::EffectSettled: {
      const LoggedEffect* const settled = effect(fact.idempotency_key);
      return fact.value.size() + fact.text.size() + (settled == nullptr ? 0 : settled->args.size());
    }
    case FactKind::OperationOpened: return fact.args.size() + fact.text.size();
    case FactKind::TurnEnded: return fact.value.size();
    default: return 0;
  }
}

void RunLog::take_back(const Fact& intent, const Fact& settled) {
  const auto at = effect_index_.find(intent.idempotency_key);
  if (at == effect_index_.end()) return;
  LoggedEffect& effect = effects_[at->second];
  effect.is_let_go = false;
  effect.args = intent.args;
  effect.value = settled.value;
  effect.text = settled.text;
  effect.errors = settled.errors;
}

std::uint64_t RunLog::ends_before(std::uint64_t seq) const {
  const auto after = std::lower_bound(end_seqs_.begin(), end_seqs_.end(), seq);
  return static_cast<std::uint64_t>(after - end_seqs_.begin());
}

const LoggedTask* RunLog::task(std::string_view id) const {
  const auto at = task_index_.find(id);
  return at == task_index_.end() ? nullptr : &tasks_[at->second];
}

std::uint64_t RunLog::epoch(std::string_view id) const {
  const auto at = epochs_.find(id);
  return at == epochs_.end() ? 1 : at->second;
}

std::uint64_t RunLog::epoch_at(std::string_view id, std::uint64_t seq) const {
  if (const auto known = past_epochs_.find(id); known != past_epochs_.end()) {
    for (const PastEpoch& past : known->second) {
      if (past.reset_seq > seq) return past.epoch;
    }
  }
  return epoch(id);
}

const std::string* RunLog::value_in(std::string_view id, std::uint64_t wanted) const {
  if (wanted == epoch(id)) {
    const LoggedTask* const held = task(id);
    return held == nullptr || held->is_let_go ? nullptr : &held->value_edn;
  }
  const auto known = past_epochs_.find(id);
  if (known == past_epochs_.end()) return nullptr;
  for (const PastEpoch& past : known->second) {
    if (past.epoch == wanted) return past.value ? &*past.value : nullptr;
  }
  return nullptr;
}

std::uint64_t RunLog::external_version(std::string_view id) const {
  const auto at = externals_.find(id);
  return at == externals_.end() ? 0 : at->second;
}

bool RunLog::has_effects(std::string_view task) const {
  const auto at = effects_of_task_.find(task);
  if (at == effects_of_task_.end()) return false;
  return std::any_of(at->second.begin(), at->second.end(), [this](std::size_t k) {
    const EffectState state = effects_[k].state;
    return state != EffectState::Failed && state != EffectState::NotDone && state != EffectState::Reset;
  });
}

const LoggedEffect* RunLog::effect(std::string_view idempotency_key) const {
  const auto at = effect_index_.find(idempotency_key);
  return at == effect_index_.end() ? nullptr : &effects_[at->second];
}

const LoggedOperation* RunLog::operation(std::string_view id) const {
  const auto at = operation_index_.find(id);
  return at == operation_index_.end() ? nullptr : &operations_[at->second];
}

const LoggedOperation* RunLog::operation_of(std::string_view call) const {
  const auto at = operation_of_call_.find(call);
  return at == operation_of_call_.end() ? nullptr : &operations_[at->second];
}

// A program that was told something and did not go on by it says so again, with the same number.
std::optional<std::uint64_t> RunLog::delivered(std::uint64_t number) const {
  if (number == 0 || number >= deliveries_.size() || deliveries_[number - 1] == 0) return std::nullopt;
  return deliveries_[number - 1];
}

void RunLog::deliver(const Fact& fact) {
  constexpr std::uint64_t kMostSuspensions = 1'000'000;
  if (fact.number == 0 || fact.number > kMostSuspensions) return;
  if (deliveries_.size() < fact.number) deliveries_.resize(fact.number);
  deliveries_[fact.number - 1] = fact.seq;
}

std::vector<const LoggedEffect*> RunLog::unsettled(std::uint64_t token) const {
  std::vector<const LoggedEffect*> out;
  for (const LoggedEffect& effect : effects_) {
    const bool open = effect.state == EffectState::Intended || effect.state == EffectState::InDoubt;
    if (open && effect.writer != token) out.push_back(&effect);
  }
  return out;
}

// Keeps the first value of an id until the id is reset.
void RunLog::commit(std::string_view id, const Fact& fact, std::string source) {
  if (!task_index_.try_emplace(std::string(id), tasks_.size()).second) return;
  tasks_.push_back({std::string(id), fact.value, std::move(source), fact.seq});
}

// A value from outside replaces an earlier one when its author had seen the earlier one (the version).
const LoggedApproval* RunLog::approval(std::string_view idempotency_key) const {
  const auto at = approval_index_.find(idempotency_key);
  return at == approval_index_.end() ? nullptr : &approvals_[at->second];
}

void RunLog::judge(const Fact& fact) {
  const auto [at, is_new] = approval_index_.try_emplace(fact.idempotency_key, approvals_.size());
  if (is_new) approvals_.push_back({fact.idempotency_key, fact.tool, fact.args, fact.status, fact.text, false});
}

// Only of what was asked: others cannot decide beforehand.
void RunLog::decide(const Fact& fact) {
  const auto at = approval_index_.find(fact.idempotency_key);
  if (at == approval_index_.end() || approvals_[at->second].state != "open") return;
  LoggedApproval& approval = approvals_[at->second];
  approval.state = fact.status;
  approval.text = fact.text;
  approval.is_decided = true;
}

void RunLog::put_external(const Fact& fact) {
  has_news_ = true;
  std::uint64_t& version = externals_.try_emplace(fact.id, 0).first->second;
  const auto known = task_index_.find(fact.id);
  if (known != task_index_.end() && version != 0 && fact.number > version) {
    tasks_[known->second] = {fact.id, fact.value, fact.source, fact.seq};
  } else {
    commit(fact.id, fact, fact.source);
  }
  version = std::max({version, fact.number, std::uint64_t{1}});
  if (const auto said = signal_answers_.find(fact.id); said != signal_answers_.end()) signal_answers_.erase(said);
  signal(fact.id);
}

void RunLog::start_turn(const Fact& fact) {
  const std::uint64_t turn = std::max<std::uint64_t>(fact.number, 1);
  if (turn != turn_) {
    turn_began_ = fact.seq;
    past_epochs_.clear();
    returned_from_.clear();
  }
  turn_ = turn;
  is_over_ = false;
  last_start_ = {fact.text, fact.id, fact.value, fact.args};
}

void RunLog::end_turn(const Fact& fact) {
  end_seqs_.push_back(fact.seq);
  is_over_ = true;
  has_news_ = false;
  last_end_ = fact;
  operations_before_ = last_operation_;
  deliveries_.clear();
}

// A reset by somebody else holds for a program that runs again from the top.
void RunLog::reset(const Fact& fact) {
  if (fact.author == FactAuthor::Program) {
    const LoggedTask* const held = task(fact.id);
    past_epochs_[fact.id].push_back(
        {epoch(fact.id), fact.seq,
         held == nullptr || held->is_let_go ? std::nullopt : std::optional(held->value_edn)});
  } else {
    past_epochs_.erase(fact.id);
    outside_resets_.insert_or_assign(fact.id, fact.seq);
  }
  if (const auto known = task_index_.find(fact.id); known != task_index_.end()) {
    const std::size_t at = known->second;
    task_index_.erase(known);
    tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(at));
    for (std::size_t k = at; k < tasks_.size(); ++k) task_index_.find(tasks_[k].id)->second = k;
  }
  returned_from_.erase(fact.id);
  std::uint64_t& next = epochs_.try_emplace(fact.id, 1).first->second;
  next = std::max(next, fact.number) + 1;
  if (const auto calls = effects_of_task_.find(fact.id); calls != effects_of_task_.end()) {
    for (const std::size_t k : calls->second) effects_[k].state = EffectState::Reset;
    effects_of_task_.erase(calls);
  }
}

void RunLog::intend(const Fact& fact) {
  const auto [at, is_new] = effect_index_.try_emplace(fact.idempotency_key, effects_.size());
  if (is_new) {
    effects_.emplace_back();
    if (!fact.task.empty()) effects_of_task_[fact.task].push_back(at->second);
  }
  LoggedEffect& effect = effects_[at->second];
  if (!is_new && fact.number <= effect.attempt) return;
  effect = {fact.idempotency_key, fact.number, EffectState::Intended, fact.tool, fact.args,
            read_effect_class(fact.effect), fact.task, {}, {}, {}, ends_before(fact.seq), fact.writer, 0};
}

// Ignores an attempt that is not the newest any more.
void RunLog::settle(const Fact& fact) {
  const auto at = effect_index_.find(fact.idempotency_key);
  const auto state = find_effect_state(fact.status);
  if (at == effect_index_.end() || !state || effects_[at->second].attempt != fact.number) return;
  LoggedEffect& effect = effects_[at->second];
  if (effect.state != EffectState::Intended && effect.state != EffectState::InDoubt) return;
  if (!fact.effect.empty()) effect.effect_class = read_effect_class(fact.effect);   // stricter than its intent says
  effect.state = *state;
  effect.value = fact.value;
  effect.text = fact.text;
  if (!fact.errors.empty()) effect.errors = fact.errors;   // a person who settles a doubt adds none
  effect.settled_ms = fact.time_ms;
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
  operation.epoch = epoch(fact.task);
  operation.opened = fact.text;
  operation.opened_ms = fact.time_ms;
  operation.created_ms = static_cast<std::int64_t>(fact.number);
  if (!fact.idempotency_key.empty()) operation_of_call_.insert_or_assign(fact.idempotency_key, at->second);
  last_operation_ = std::max(last_operation_, own_number(fact.id));
  wait_for_signal(at->second);
}

// A report may come before the log says that the operation was started, and is too late after its answer.
void RunLog::progress(const Fact& fact) {
  if (operation(fact.id) == nullptr) open(fact);
  LoggedOperation& operation = operations_[operation_index_.find(fact.id)->second];
  if (operation.status.empty()) operation.progress.emplace_back(fact.seq, fact.value);
}

void RunLog::set_plan(const Fact& fact) {
  if (plan_) return;   // a plan never changes
  std::string why;
  plan_ = read_plan(fact.value, why);
}

}  // namespace ptc
