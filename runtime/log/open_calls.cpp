#include "runtime/log/open_calls.h"

#include <algorithm>

#include "runtime/log/run_log.h"

namespace ptc {

CallMark call_mark(const Fact& fact) {
  const CallMark mark = fact_info(fact.kind).call;
  switch (mark) {
    case CallMark::None:
    case CallMark::Opens: return mark;
    case CallMark::Resets: return fact.id.empty() ? CallMark::None : mark;
    case CallMark::Settles: break;
  }
  const auto state = find_effect_state(fact.status);
  const bool is_known = state && *state != EffectState::Intended && *state != EffectState::InDoubt;
  return is_known ? CallMark::Settles : CallMark::None;
}

void OpenCalls::add(const Fact& fact) {
  switch (call_mark(fact)) {
    case CallMark::None: return;
    case CallMark::Opens:
      open_.erase(open_.lower_bound({fact.idempotency_key, 0}), open_.upper_bound({fact.idempotency_key, fact.number}));
      open_.emplace(std::pair(fact.idempotency_key, fact.number), fact);
      return;
    case CallMark::Settles: open_.erase({fact.idempotency_key, fact.number}); return;
    case CallMark::Resets: std::erase_if(open_, [&](const auto& call) { return call.second.task == fact.id; }); return;
  }
}

std::vector<Fact> OpenCalls::intents() const {
  std::vector<Fact> out;
  for (const auto& [call, intent] : open_) out.push_back(intent);
  std::ranges::sort(out, {}, &Fact::seq);
  return out;
}

}  // namespace ptc
