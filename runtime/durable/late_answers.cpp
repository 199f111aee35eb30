#include "runtime/durable/late_answers.h"

#include <algorithm>
#include <vector>

#include "runtime/log/open_calls.h"
#include "runtime/log/run_log.h"

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

bool keep(FactStore& store, std::string_view run, Fact settled) {
  settled.kind = FactKind::DoubtSettled;
  settled.key = doubt_key(settled.idempotency_key, settled.number);
  const auto put = store.put(run, Cut::blind(), {&settled, 1}, Durability::Now);
  const auto* const written = std::get_if<Written>(&put);
  return written != nullptr && written->puts.front().mine;
}

}  // namespace

std::size_t keep_late_answers(FactStore& store, std::string_view run, std::uint64_t token,
                              std::span<const Fact> refused) {
  if (std::ranges::none_of(refused, is_end_of_call)) return 0;
  const auto open = store.open_calls(run);
  const auto* const intents = std::get_if<std::vector<Fact>>(&open);
  if (intents == nullptr) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(refused, [&](const Fact& settled) {
    const auto is_its = [&](const Fact& intent) { return is_own_open_call(intent, settled, token); };
    return is_end_of_call(settled) && std::ranges::any_of(*intents, is_its) && keep(store, run, settled);
  }));
}

}  // namespace ptc
