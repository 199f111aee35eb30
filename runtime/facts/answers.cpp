#include "runtime/facts/answers.h"

#include "runtime/facts/run_log.h"

namespace ptc {

StoreResult<bool> settle_doubt(FactStore& store, std::string_view run, std::string_view idempotency_key,
                               DoubtAnswer answer, std::string value_edn, std::string person, std::int64_t now_ms) {
  RunLog log;
  constexpr std::size_t kPage = 1'000;
  for (std::size_t count = kPage; count == kPage;) {
    auto page = store.read(run, log.head(), kPage);
    if (auto* error = std::get_if<StoreError>(&page)) return std::move(*error);
    for (const Fact& fact : std::get<std::vector<Fact>>(page)) log.add(fact);
    count = std::get<std::vector<Fact>>(page).size();
  }
  const LoggedEffect* const effect = log.effect(idempotency_key);
  if (effect == nullptr || effect->state != EffectState::InDoubt) return false;
  Fact fact;
  fact.kind = FactKind::DoubtSettled;
  fact.author = FactAuthor::Person;
  fact.source = std::move(person);
  fact.time_ms = now_ms;
  fact.key = doubt_key(idempotency_key, effect->attempt);
  fact.idempotency_key = idempotency_key;
  fact.number = effect->attempt;
  fact.status = effect_state_name(answer == DoubtAnswer::Happened ? EffectState::Committed
                                  : answer == DoubtAnswer::DidNot ? EffectState::NotDone
                                                                  : EffectState::GivenUp);
  fact.value = std::move(value_edn);
  auto put = store.put(run, 0, {&fact, 1});
  if (auto* error = std::get_if<StoreError>(&put)) return std::move(*error);
  return std::get<std::vector<Put>>(put).front().mine;
}

StoreResult<Put> answer_operation(FactStore& store, std::string_view run, std::string_view operation,
                                  std::string_view status, std::string value_edn, std::string text, std::string source,
                                  std::int64_t now_ms) {
  Fact fact;
  fact.kind = FactKind::OperationResolved;
  fact.author = FactAuthor::Outside;
  fact.source = std::move(source);
  fact.time_ms = now_ms;
  fact.key = resolved_key(operation);
  fact.id = operation;
  fact.status = status;
  fact.value = std::move(value_edn);
  fact.text = std::move(text);
  auto put = store.put(run, 0, {&fact, 1});
  if (auto* error = std::get_if<StoreError>(&put)) return std::move(*error);
  return std::get<std::vector<Put>>(put).front();
}

}  // namespace ptc
