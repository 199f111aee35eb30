#include "runtime/durable/late_answers.h"

#include <algorithm>
#include <vector>

#include "runtime/log/open_calls.h"
#include "runtime/log/run_log.h"
#include "runtime/log/take_answer.h"

namespace ptc {
namespace {

bool is_end_of_call(const Fact& fact) {
  return fact.kind == FactKind::EffectSettled && call_mark(fact) == CallMark::Settles;
}

bool is_own_open_call(const Fact& intent, const Fact& settled, std::uint64_t token) {
  if (intent.idempotency_key != settled.idempotency_key || intent.number != settled.number) return false;
  const auto effect = find_effect_class(intent.effect);
  return intent.writer == token && effect && !is_called_again(*effect);
}

StoreResult<bool> keep(FactStore& store, std::string_view run, Fact settled) {
  settled.kind = FactKind::DoubtSettled;
  settled.key = doubt_key(settled.idempotency_key, settled.number);
  auto put = store.put(run, Cut::blind(), {&settled, 1}, Durability::Now);
  if (auto* error = std::get_if<StoreError>(&put)) return std::move(*error);
  return std::get<Written>(put).puts.front().mine;
}

}  // namespace

StoreResult<std::size_t> keep_late_answers(FactStore& store, std::string_view run, std::uint64_t token,
                                           std::span<const Fact> refused) {
  if (std::ranges::none_of(refused, is_end_of_call)) return std::size_t{0};
  PTC_TAKE(intents, store.open_calls(run));
  std::size_t kept = 0;
  for (const Fact& settled : refused) {
    const auto is_its = [&](const Fact& intent) { return is_own_open_call(intent, settled, token); };
    if (!is_end_of_call(settled) || std::ranges::none_of(intents, is_its)) continue;
    PTC_TAKE(is_mine, keep(store, run, settled));
    if (is_mine) ++kept;
  }
  return kept;
}

}  // namespace ptc
