#include "runtime/durable/effect_facts.h"

#include <algorithm>
#include <utility>

#include "runtime/durable/answers.h"
#include "runtime/signature/json_pointer.h"
#include "runtime/text/edn.h"
#include "vm/value/print.h"

namespace ptc {
namespace {

constexpr std::uint64_t kReconcileMemory = 64u << 20;

// A call path holds digits and dots only, so nothing is taken for something else.
std::string key_of(const CallMeta& meta, std::string_view run, const EpochOf& epoch_of) {
  std::string key;
  if (meta.task_id.empty()) {
    constexpr std::string_view kOutside = "run:";   // before the id of the run, which the session writes as it is
    std::string_view place = meta.idempotency_key;
    place.remove_prefix(std::min(place.size(), kOutside.size() + meta.run_id.size()));
    return key.append(kOutside).append(run).append(place);
  }
  key.append(run).append("/").append(meta.idempotency_key);
  if (const std::uint64_t epoch = epoch_of(meta.task_id); epoch > 1) key.append("@").append(std::to_string(epoch));
  return key;
}

}  // namespace

std::string recorded_key(const CallMeta& meta, const EpochOf& epoch_of, LogWriter& writer) {
  const std::string run = pointer_part(meta.run_id);   // with ~0 and ~1, as in a JSON pointer
  if (run != meta.run_id) {
    std::string older = key_of(meta, meta.run_id, epoch_of);
    if (writer.effect(older) != nullptr || writer.log().approval(older) != nullptr) return older;
  }
  return key_of(meta, run, epoch_of);
}

Fact settlement_fact(const LogWriter& writer, std::string_view idempotency_key, std::uint64_t attempt,
                     EffectState state) {
  const bool is_known = state != EffectState::InDoubt;
  Fact fact = writer.made(is_known ? FactKind::EffectSettled : FactKind::EffectDoubted, FactAuthor::Host);
  fact.key = effect_key(idempotency_key, attempt);
  fact.idempotency_key = idempotency_key;
  fact.number = attempt;
  fact.status = effect_state_name(state);
  return fact;
}

AskedTool ask_tool(const Tool* tool, const LoggedEffect& effect, const LogWriter& writer) {
  const bool can_ask = tool != nullptr && tool->reconcile;
  if (!can_ask || effect_info(effect.effect_class).in_doubt != InDoubt::AskTool) return {};
  Heap heap(kReconcileMemory);
  auto args = read_edn(heap, effect.args);
  if (!std::holds_alternative<Value>(args)) return {};
  const Owned owned(heap, std::get<Value>(args));
  const CallMeta meta{writer.name(), writer.log().turn(), effect.task, {}, effect.key, writer.token()};
  Reconciled said = tool->reconcile({tool->definition.name, owned.get(), heap, std::nullopt, nullptr, meta});
  const Owned result(heap, said.result);
  if (said.state == Reconciled::State::Unknown) return {std::nullopt, std::move(said.reason)};
  const bool happened = said.state == Reconciled::State::Happened;
  Fact fact = doubt_fact(effect, happened ? EffectState::Committed : EffectState::NotDone, FactAuthor::Outside,
                         {effect.tool, writer.now()});
  if (happened) append_edn(fact.value, result.get(), heap);
  return {std::move(fact)};
}

EffectClass class_that_counts(const LoggedEffect& effect, const Tool* tool) {
  if (tool == nullptr) return effect.effect_class;
  // The values of InDoubt are in this order: each allows less than the one before it.
  static_assert(InDoubt::CallAgain < InDoubt::AskTool && InDoubt::AskTool < InDoubt::AskPerson);
  const EffectClass now = tool->definition.effect;
  return effect_info(now).in_doubt > effect_info(effect.effect_class).in_doubt ? now : effect.effect_class;
}

Fact doubted_fact(const LogWriter& writer, const LoggedEffect& effect, EffectClass counts) {
  Fact doubt = settlement_fact(writer, effect.key, effect.attempt, EffectState::InDoubt);
  if (counts == effect.effect_class) return doubt;
  doubt.effect = effect_class_name(counts);
  if (effect.state == EffectState::InDoubt) doubt.key += "/class";   // the log has a doubt about it already
  return doubt;
}

std::vector<LoggedEffect> find_doubts(const ToolRegistry& tools, LogWriter& writer) {
  std::vector<LoggedEffect> open, doubts;
  for (const LoggedEffect* effect : writer.log().unsettled(writer.token())) {
    if (!is_called_again(class_that_counts(*effect, tools.find(effect->tool)))) open.push_back(*effect);
  }
  for (LoggedEffect& effect : open) {
    const EffectClass logged = effect.effect_class, counts = class_that_counts(effect, tools.find(effect.tool));
    Fact doubt = doubted_fact(writer, effect, counts);
    effect.effect_class = counts;
    AskedTool asked = ask_tool(tools.find(effect.tool), effect, writer);
    if (asked.fact) {
      writer.put(*std::move(asked.fact));
      continue;
    }
    if (effect.state != EffectState::InDoubt || logged != counts) {
      doubt.text = effect.text = std::move(asked.reason);
      writer.put(std::move(doubt));
      effect.state = EffectState::InDoubt;
    }
    doubts.push_back(std::move(effect));
  }
  return doubts;
}

std::vector<LoggedEffect> noted_doubts(const RunLog& log) {
  std::vector<LoggedEffect> out;
  for (const LoggedEffect* effect : log.unsettled(0)) {
    if (effect->state == EffectState::InDoubt && !is_called_again(effect->effect_class)) out.push_back(*effect);
  }
  return out;
}

}  // namespace ptc
