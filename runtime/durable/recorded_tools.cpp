#include "runtime/durable/recorded_tools.h"

#include "runtime/text/edn.h"
#include "runtime/durable/answers.h"
#include "vm/value/print.h"

namespace ptc {

namespace {

constexpr std::uint64_t kReconcileMemory = 64u << 20;

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

}  // namespace

// A call path holds digits and dots only, so nothing is taken for something else.
std::string recorded_key(const CallMeta& meta, const EpochOf& epoch_of) {
  if (meta.task_id.empty()) return std::string(meta.idempotency_key);
  std::string key(meta.run_id);
  key.append("/").append(meta.idempotency_key);
  if (const std::uint64_t epoch = epoch_of(meta.task_id); epoch > 1) key.append("@").append(std::to_string(epoch));
  return key;
}

namespace {

EffectState state_of(const ToolReply& reply) {
  if (reply.is_unknown) return EffectState::InDoubt;
  if (reply.failed) return EffectState::Failed;
  if (reply.is_pending) return EffectState::Pending;
  return reply.is_partial ? EffectState::Partial : EffectState::Committed;
}

class CallRecorder {
 public:
  CallRecorder(const Tool& tool, LogWriter& writer, const ToolCall& call, std::string key)
      : tool_(tool), writer_(writer), call_(call), key_(std::move(key)) {
    append_edn(args_, call.args, call.heap);
  }

  ToolReply serve() {
    if (writer_.stopped()) return stopped();
    std::uint64_t attempt = 1;
    bool is_intended = false;
    if (const LoggedEffect* const known = writer_.effect(key_)) {
      if (known->tool != call_.name || known->args != args_) return conflict(*known);
      if (is_open_question(*known)) return ask_for(*known);
      if (auto answer = recorded_answer(*known)) {
        answer->attempt = known->attempt;
        return std::move(*answer);
      }
      is_intended = known->state == EffectState::Intended;
      attempt = known->attempt + (is_intended ? 0 : 1);
    }
    if (!is_intended && !intend(attempt)) return stopped();
    CallMeta meta = call_.meta;
    meta.idempotency_key = key_;
    ToolReply reply =
        tool_.handler({call_.name, call_.args, call_.heap, call_.deadline, call_.cancelled, meta, attempt});
    reply.attempt = attempt;
    settle(attempt, reply);
    return reply;
  }

 private:
  ToolReply stopped() const { return ToolReply::error("the run was stopped: " + writer_.error().message); }

  ToolReply conflict(const LoggedEffect& known) const {
    const std::string what = known.task.empty() ? "the call " + known.key : "task \"" + known.task + '"';
    ToolReply reply = ToolReply::error(what + " first called " + known.tool + ' ' + known.args + ", now " +
                                       std::string(call_.name) + ' ' + args_);
    reply.fault = FaultKind::TaskIdConflict;
    return reply;
  }

  // Of a claim that somebody else's hid when the run was opened (find_doubts).
  bool is_open_question(const LoggedEffect& known) const {
    const bool is_open = known.state == EffectState::Intended || known.state == EffectState::InDoubt;
    return is_open && known.writer != writer_.token() && !is_called_again(known.effect_class);
  }

  // The turn ends with it, and the question is put when the run is opened the next time.
  ToolReply ask_for(const LoggedEffect& known) {
    const std::string key = known.key;
    if (known.state == EffectState::Intended) {
      writer_.put(settlement_fact(writer_, key, known.attempt, EffectState::InDoubt));
    }
    return ToolReply::unknown("nobody knows whether the call " + key + " happened");
  }

  bool ended_since(const LoggedEffect& known) const { return known.ends_before < writer_.log().ends(); }

  // Nothing: it has to be called (again).
  std::optional<ToolReply> recorded_answer(const LoggedEffect& known) const {
    switch (known.state) {
      case EffectState::Committed: return value_of(known);
      case EffectState::Partial: {
        ToolReply reply = value_of(known);
        reply.is_partial = true;
        return reply;
      }
      case EffectState::Pending: {
        const LoggedOperation* const operation = known.text.empty()
                                                     ? writer_.log().operation_of(call_.meta.idempotency_key)
                                                     : writer_.log().operation(known.text);
        const bool is_lost = operation != nullptr && !operation->status.empty() && operation->status != "ok";
        if (is_lost && operation->ends_before < writer_.log().ends()) return std::nullopt;
        return ToolReply::pending(operation == nullptr ? known.text : operation->id, value_of(known).result);
      }
      case EffectState::Failed:
        if (ended_since(known) || known.attempt < tool_.definition.retry.max_attempts) return std::nullopt;
        return ToolReply::error(known.text);
      case EffectState::GivenUp: return ToolReply::error("given up" + (known.text.empty() ? "" : ": " + known.text));
      case EffectState::Intended:
      case EffectState::InDoubt:
      case EffectState::NotDone:
      case EffectState::Reset: break;
    }
    return std::nullopt;
  }

  ToolReply value_of(const LoggedEffect& known) const {
    if (known.value.empty()) return ToolReply::value(Value::nil());
    auto value = read_edn(call_.heap, known.value);
    if (const auto* good = std::get_if<Value>(&value)) return ToolReply::value(*good);
    return ToolReply::error("its recorded answer cannot be read");
  }

  // Durable before the tool is called, in every mode of the store.
  bool intend(std::uint64_t attempt) {
    Fact fact = writer_.made(FactKind::Intent, FactAuthor::Host);
    fact.key = intent_key(key_, attempt);
    fact.idempotency_key = key_;
    fact.number = attempt;
    fact.tool = call_.name;
    fact.args = args_;
    fact.effect = effect_class_name(tool_.definition.effect);
    fact.task = call_.meta.task_id;
    return writer_.put(std::move(fact), Durability::Now).has_value();
  }

  void settle(std::uint64_t attempt, const ToolReply& reply) {
    Fact fact = settlement_fact(writer_, key_, attempt, state_of(reply));
    fact.source = call_.name;
    if (reply.failed) {
      fact.text = reply.message;
    } else {
      if (reply.is_pending) fact.text = reply.operation_id;
      append_edn(fact.value, reply.result, call_.heap);
    }
    writer_.put(std::move(fact));
  }

  const Tool& tool_;
  LogWriter& writer_;
  const ToolCall& call_;
  const std::string key_;
  std::string args_;
};

// What the tool itself knows. Nothing: there is nobody to ask, or nobody knows.
std::optional<Fact> reconcile(const Tool* tool, const LoggedEffect& effect, const LogWriter& writer) {
  const bool can_ask = tool != nullptr && tool->reconcile != nullptr;
  if (!can_ask || effect_info(effect.effect_class).in_doubt != InDoubt::AskTool) return std::nullopt;
  Heap heap(kReconcileMemory);
  auto args = read_edn(heap, effect.args);
  if (!std::holds_alternative<Value>(args)) return std::nullopt;
  const Owned owned(heap, std::get<Value>(args));
  const CallMeta meta{writer.name(), writer.log().turn(), effect.task, {}, effect.key};
  const Reconciled said = tool->reconcile({tool->definition.name, owned.get(), heap, std::nullopt, nullptr, meta});
  const Owned result(heap, said.result);
  if (said.state == Reconciled::State::Unknown) return std::nullopt;
  const bool happened = said.state == Reconciled::State::Happened;
  Fact fact = doubt_fact(effect, happened ? EffectState::Committed : EffectState::NotDone, FactAuthor::Outside,
                         {effect.tool, writer.now()});
  if (happened) append_edn(fact.value, result.get(), heap);
  return fact;
}

}  // namespace

ToolRegistry recorded_tools(const ToolRegistry& tools, LogWriter& writer, const EpochOf& epoch_of) {
  ToolRegistry recorded;
  for (const std::string_view name : tools.names()) {
    const Tool& tool = *tools.find(name);
    if (is_recorded(tool.definition.effect)) {
      recorded.add(tool.definition, [&tool, &writer, epoch_of](const ToolCall& call) {
        return CallRecorder(tool, writer, call, recorded_key(call.meta, epoch_of)).serve();
      });
    } else {
      recorded.add(tool.definition, tool.handler);
    }
  }
  return recorded;
}

std::vector<LoggedEffect> find_doubts(const ToolRegistry& tools, LogWriter& writer) {
  std::vector<LoggedEffect> open, doubts;
  for (const LoggedEffect* effect : writer.log().unsettled(writer.token())) {
    if (!is_called_again(effect->effect_class)) open.push_back(*effect);
  }
  for (LoggedEffect& effect : open) {
    if (auto known = reconcile(tools.find(effect.tool), effect, writer)) {
      writer.put(std::move(*known));
      continue;
    }
    if (effect.state != EffectState::InDoubt) {
      writer.put(settlement_fact(writer, effect.key, effect.attempt, EffectState::InDoubt));
      effect.state = EffectState::InDoubt;
    }
    doubts.push_back(std::move(effect));
  }
  return doubts;
}

}  // namespace ptc
