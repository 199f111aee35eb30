#include "runtime/durable/answers.h"

#include <algorithm>

#include "runtime/durable/effect_facts.h"
#include "runtime/durable/turn_options.h"
#include "runtime/log/log_writer.h"
#include "runtime/log/process_owner.h"

namespace ptc {
namespace {

Fact fact_of(FactKind kind, FactAuthor author, Said said) {
  Fact fact;
  fact.kind = kind;
  fact.author = author;
  fact.source = std::move(said.by);
  fact.time_ms = said.time_ms;
  return fact;
}

StoreResult<Put> put_one(FactStore& store, std::string_view run, const Fact& fact) {
  auto put = store.put(run, Cut::blind(), {&fact, 1});
  if (auto* error = std::get_if<StoreError>(&put)) return std::move(*error);
  return std::move(std::get<Written>(put).puts.front());
}

EffectState state_of(DoubtAnswer answer) {
  switch (answer) {
    case DoubtAnswer::Happened: return EffectState::Committed;
    case DoubtAnswer::DidNot: return EffectState::NotDone;
    case DoubtAnswer::GiveUp: break;
  }
  return EffectState::GivenUp;
}

StoreError run_is_copy(std::string_view run) {
  return {StoreError::Kind::RunIsCopy, std::string(run) + " is a copy for reading, which nobody goes on with: give the "
                                                          "answer to the run itself"};
}

// Reads what others have said to a run, or refuses a copy.
std::optional<StoreError> read_answers(FactStore& store, std::string_view run, RunLog& log) {
  if (auto error = visit_notable(store, run, [&log](const Fact& fact) { log.add(fact); })) return error;
  return log.is_copy() ? std::optional(run_is_copy(run)) : std::nullopt;
}

// Refuses a value that the run, with the limits it was begun with, could not take. A run that was not begun has none.
std::optional<StoreError> too_large(const RunLog& log, std::string_view operation, std::string_view value_edn) {
  SessionOptions begun;
  if (!log.last_start() || read_turn_options(log.last_start()->limits, begun)) return std::nullopt;
  if (value_edn.size() <= begun.limits.result_bytes) return std::nullopt;
  return StoreError{StoreError::Kind::ResultTooLarge, "the result of " + std::string(operation) + " is larger than " +
                                                          std::to_string(begun.limits.result_bytes) +
                                                          " bytes; keep it elsewhere and answer with its place"};
}

// Returns whether the run waits for the signal.
bool waits_for_signal(const RunLog& log, std::string_view name) {
  return std::ranges::any_of(log.operations(), [name](const LoggedOperation& operation) {
    return operation.status.empty() && RunLog::signal_of(operation) == name;
  });
}

Fact answer_fact(const LoggedOperation& operation) {
  Fact fact = fact_of(FactKind::OperationResolved, FactAuthor::Outside, {operation.source, 0});
  fact.seq = operation.resolved_seq;
  fact.id = operation.id;
  fact.status = operation.status;
  fact.value = operation.value;
  fact.text = operation.text;
  return fact;
}

}  // namespace

Fact doubt_fact(const LoggedEffect& effect, EffectState state, FactAuthor author, Said said) {
  Fact fact = fact_of(FactKind::DoubtSettled, author, std::move(said));
  fact.key = doubt_key(effect.key, effect.attempt);
  fact.idempotency_key = effect.key;
  fact.number = effect.attempt;
  fact.status = effect_state_name(state);
  return fact;
}

namespace {

// Returns the doubts of a log that was read.
StoreResult<std::vector<LoggedEffect>> doubts_in(FactStore& store, std::string_view run, const RunLog& log) {
  auto info = store.info(run);
  if (auto* error = std::get_if<StoreError>(&info)) return std::move(*error);
  const auto& known = std::get<std::optional<RunInfo>>(info);
  const bool is_executed = known && !known->owner.empty() && !owner_is_gone(known->owner);
  std::vector<LoggedEffect> doubts;
  for (const LoggedEffect* effect : log.unsettled(0)) {
    const bool is_open = effect->state == EffectState::InDoubt || !is_executed;
    if (is_open && !is_called_again(effect->effect_class)) doubts.push_back(*effect);
  }
  return doubts;
}

// Reads what a log says about its open calls. The other calls, whose arguments and results may be large, are not read.
std::optional<StoreError> read_open_calls(FactStore& store, std::string_view run, std::span<const Fact> open,
                                          RunLog& log) {
  std::vector<Fact> doubted;
  auto error = visit_notable(store, run, [&](const Fact& fact) {
    log.add(fact);
    if (fact.kind == FactKind::EffectDoubted) doubted.push_back(fact);
  });
  for (const Fact& intent : open) log.recall(intent);
  for (const Fact& fact : doubted) log.recall(fact);   // says why there is no answer
  return error;
}

}  // namespace

StoreResult<std::vector<LoggedEffect>> open_doubts(FactStore& store, std::string_view run) {
  const auto open = store.open_calls(run);   // few runs have any
  if (const auto* error = std::get_if<StoreError>(&open)) return *error;
  const auto& calls = std::get<std::vector<Fact>>(open);
  if (calls.empty()) return std::vector<LoggedEffect>();
  RunLog log;
  if (auto error = read_open_calls(store, run, calls, log)) return *std::move(error);
  return doubts_in(store, run, log);
}

StoreResult<bool> settle_doubt(FactStore& store, std::string_view run, std::string_view idempotency_key,
                               DoubtAnswer answer, std::string value_edn, Said said) {
  RunLog log;
  if (auto error = read_on(store, run, log)) return *std::move(error);
  auto open = doubts_in(store, run, log);
  if (auto* error = std::get_if<StoreError>(&open)) return std::move(*error);
  if (log.is_copy()) return run_is_copy(run);
  const auto& doubts = std::get<std::vector<LoggedEffect>>(open);
  const auto effect = std::find_if(doubts.begin(), doubts.end(), [idempotency_key](const LoggedEffect& doubt) {
    return doubt.key == idempotency_key;
  });
  if (effect == doubts.end()) return false;
  Fact fact = doubt_fact(*effect, state_of(answer), FactAuthor::Person, std::move(said));
  fact.value = std::move(value_edn);
  auto put = put_one(store, run, fact);
  if (auto* error = std::get_if<StoreError>(&put)) return std::move(*error);
  return std::get<Put>(put).mine;
}

// Two that answer a signal by its two names write under one key: the second one looks again.
StoreResult<Put> answer_operation(FactStore& store, std::string_view run, std::string_view operation,
                                  std::string_view status, std::string value_edn, std::string text, Said said) {
  Fact fact = fact_of(FactKind::OperationResolved, FactAuthor::Outside, std::move(said));
  fact.id = operation;
  fact.status = status;
  fact.value = std::move(value_edn);
  fact.text = std::move(text);
  for (;;) {
    RunLog log;
    if (auto error = read_answers(store, run, log)) return std::move(*error);
    const LoggedOperation* const known = log.operation(operation);
    if (known == nullptr && log.head() != 0 && is_named_by_run(operation)) {
      return StoreError{StoreError::Kind::Missing, "the run has no operation " + std::string(operation) + " yet"};
    }
    if (auto error = too_large(log, operation, fact.value)) return std::move(*error);
    const std::string name = known == nullptr ? std::string() : RunLog::signal_of(*known);
    if (!name.empty() && !known->status.empty()) return Put{answer_fact(*known), false};
    fact.number = name.empty() ? 0 : log.external_version(name) + 1;
    fact.key = name.empty() ? resolved_key(operation) : external_key(name, fact.number);
    auto put = put_one(store, run, fact);
    if (std::holds_alternative<StoreError>(put) || name.empty() || std::get<Put>(put).mine) return put;
  }
}

StoreResult<Put> progress_operation(FactStore& store, std::string_view run, std::string_view operation,
                                    std::string value_edn, Said said) {
  Fact fact = fact_of(FactKind::OperationProgressed, FactAuthor::Outside, std::move(said));
  fact.id = operation;
  fact.value = std::move(value_edn);
  RunLog log;
  if (auto error = read_answers(store, run, log)) return std::move(*error);
  if (auto error = too_large(log, operation, fact.value)) return std::move(*error);
  return put_one(store, run, fact);
}

StoreResult<DecideEnd> decide_call(FactStore& store, std::string_view run, std::string_view idempotency_key,
                                   bool is_allowed, std::string reason, const std::optional<std::string>& args_edn,
                                   Said said) {
  RunLog log;
  if (auto error = read_answers(store, run, log)) return std::move(*error);
  const LoggedApproval* const asked = log.approval(idempotency_key);
  if (asked == nullptr) return DecideEnd::NotAsked;
  if (args_edn && *args_edn != asked->args) return DecideEnd::OtherArguments;
  Fact fact = fact_of(FactKind::CallDecided, FactAuthor::Person, std::move(said));
  fact.key = decided_key(idempotency_key);
  fact.idempotency_key = idempotency_key;
  fact.tool = asked->tool;
  fact.args = asked->args;
  fact.status = is_allowed ? "allowed" : "denied";
  fact.text = std::move(reason);
  if (asked->state != "open") return asked->state == fact.status ? DecideEnd::Done : DecideEnd::DecidedOtherwise;
  auto put = put_one(store, run, fact);
  if (auto* error = std::get_if<StoreError>(&put)) return std::move(*error);
  return std::get<Put>(put).fact.status == fact.status ? DecideEnd::Done : DecideEnd::DecidedOtherwise;
}

// Two that saw the same version write under the same key: the second one looks again.
StoreResult<ExternalPut> put_external(FactStore& store, std::string_view run, std::string_view id,
                                      std::string value_edn, const std::optional<std::string>& instead_of, Said said) {
  Fact fact = fact_of(FactKind::ExternalValue, FactAuthor::Outside, std::move(said));
  fact.id = id;
  fact.value = std::move(value_edn);
  RunLog log;
  for (;;) {
    if (auto error = read_on(store, run, log)) return std::move(*error);
    if (log.is_copy()) return run_is_copy(run);
    if (waits_for_signal(log, id)) {
      if (auto error = too_large(log, id, fact.value)) return std::move(*error);
    }
    fact.number = log.external_version(id) + 1;
    fact.key = external_key(id, fact.number);
    if (const LoggedTask* const held = log.task(id)) {
      const bool is_next = instead_of && *instead_of == held->value_edn && !held->source.empty();
      if (!is_next || held->value_edn == fact.value) return ExternalPut{false, *held, std::nullopt};
    } else if (instead_of) {
      return ExternalPut{};
    } else if (const LoggedOperation* const answered = log.answered_signal(id)) {
      return ExternalPut{false, std::nullopt, *answered};
    }
    auto put = put_one(store, run, fact);
    if (auto* error = std::get_if<StoreError>(&put)) return std::move(*error);
    if (std::get<Put>(put).mine) return ExternalPut{true, std::nullopt, std::nullopt};
  }
}

StoreResult<TaskResetEnd> reset_task(FactStore& store, std::string_view run, std::string_view task, std::string reason,
                                     Said said) {
  constexpr std::int64_t kLeaseMs = 60'000;
  LogWriter writer(store, std::string(run), [time = said.time_ms] { return time; }, kLeaseMs);
  const auto claim = writer.claim(process_owner());
  if (!claim) return writer.error();
  if (!claim->granted) return TaskResetEnd::Busy;
  TaskResetEnd end = TaskResetEnd::Done;
  const bool is_copy = writer.catch_up() && writer.log().is_copy();
  if (!writer.stopped() && !is_copy) {
    if (writer.log().task(task) == nullptr && !writer.log().has_effects(task)) {
      end = TaskResetEnd::NoTask;
    } else if (reason.empty() && writer.log().has_effects(task)) {
      end = TaskResetEnd::NeedsReason;
    } else {
      Fact fact = fact_of(FactKind::TaskReset, FactAuthor::Person, std::move(said));
      fact.number = writer.log().epoch(task);
      fact.key = reset_key(task, fact.number);
      fact.id = task;
      fact.text = std::move(reason);
      writer.put(std::move(fact));
    }
  }
  writer.release();
  if (writer.stopped()) return writer.error();
  if (is_copy) return run_is_copy(run);
  return end;
}

}  // namespace ptc
