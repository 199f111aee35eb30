#include "runtime/recorded_tools.h"

#include "runtime/edn.h"
#include "vm/value/print.h"

namespace ptc {

bool is_called_again(std::string_view effect_class) {
  return effect_class == "pure" || effect_class == "idempotent" || effect_class == "keyed";
}

Fact settlement_fact(const LogWriter& writer, std::string_view idempotency_key, std::uint64_t attempt,
                     EffectState state) {
  Fact fact = writer.made(FactKind::EffectSettled, FactAuthor::Host);
  fact.key = effect_key(idempotency_key, attempt);
  fact.idempotency_key = idempotency_key;
  fact.number = attempt;
  fact.status = effect_state_name(state);
  return fact;
}

namespace {

class CallRecorder {
 public:
  CallRecorder(const Tool& tool, LogWriter& writer) : tool_(tool), writer_(writer) {}

  ToolReply serve(const ToolCall& call) {
    if (writer_.stopped()) return ToolReply::error("the run was stopped: " + writer_.error().message);
    std::string args;
    append_edn(args, call.args, call.heap);
    std::uint64_t attempt = 1;
    bool is_intended = false;
    if (const LoggedEffect* const known = writer_.log().effect(call.meta.idempotency_key)) {
      if (known->tool != call.name || known->args != args) {
        return ToolReply::error("task_id_conflict: under " + known->key + " the log has " + known->tool + ' ' +
                                known->args + ", not " + std::string(call.name) + ' ' + args);
      }
      if (auto answer = recorded_answer(*known, call)) return std::move(*answer);
      is_intended = known->state == EffectState::Intended;
      attempt = known->attempt + (is_intended ? 0 : 1);
    }
    if (!is_intended && !intend(call, args, attempt)) return ToolReply::error("the run was stopped");
    ToolReply reply = tool_.handler(call);
    settle(call, attempt, reply);
    return reply;
  }

 private:
  // Nothing: it has to be called (again).
  std::optional<ToolReply> recorded_answer(const LoggedEffect& known, const ToolCall& call) {
    switch (known.state) {
      case EffectState::Committed:
      case EffectState::Partial: {
        auto value = read_edn(call.heap, known.value);
        if (const auto* good = std::get_if<Value>(&value)) return ToolReply::value(*good);
        return ToolReply::error("its recorded answer cannot be read");
      }
      case EffectState::Pending: return ToolReply::pending(known.text);
      case EffectState::Failed:
        if (known.turn == writer_.log().turn()) return ToolReply::error(known.text);
        return std::nullopt;
      case EffectState::GivenUp: return ToolReply::error("given up" + (known.text.empty() ? "" : ": " + known.text));
      default: return std::nullopt;
    }
  }

  // Durable before the tool is called, in every mode of the store.
  bool intend(const ToolCall& call, const std::string& args, std::uint64_t attempt) {
    Fact fact = writer_.made(FactKind::Intent, FactAuthor::Host);
    fact.key = intent_key(call.meta.idempotency_key, attempt);
    fact.idempotency_key = call.meta.idempotency_key;
    fact.number = attempt;
    fact.tool = call.name;
    fact.args = args;
    fact.effect = tool_.definition.effect;
    fact.task = call.meta.task_id;
    return writer_.put(std::move(fact)) && writer_.flush();
  }

  void settle(const ToolCall& call, std::uint64_t attempt, const ToolReply& reply) {
    const EffectState state = reply.failed       ? EffectState::Failed
                              : reply.is_pending ? EffectState::Pending
                                                 : EffectState::Committed;
    Fact fact = settlement_fact(writer_, call.meta.idempotency_key, attempt, state);
    fact.source = call.name;
    if (reply.failed) {
      fact.text = reply.message;
    } else if (reply.is_pending) {
      fact.text = reply.operation_id;
    } else {
      append_edn(fact.value, reply.result, call.heap);
    }
    writer_.put(std::move(fact));
  }

  const Tool& tool_;
  LogWriter& writer_;
};

}  // namespace

ToolRegistry recorded_tools(const ToolRegistry& tools, LogWriter& writer) {
  ToolRegistry recorded;
  for (const std::string_view name : tools.names()) {
    const Tool& tool = *tools.find(name);
    if (tool.definition.effect == "pure") {
      recorded.add(tool.definition, tool.handler);
    } else {
      recorded.add(tool.definition, [&tool, &writer](const ToolCall& call) {
        return CallRecorder(tool, writer).serve(call);
      });
    }
  }
  return recorded;
}

}  // namespace ptc
