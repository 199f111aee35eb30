#include "runtime/durable/recorded_calls.h"

#include <algorithm>
#include <utility>

#include "runtime/calls/further_attempt.h"
#include "runtime/calls/retry.h"
#include "runtime/text/edn.h"
#include "vm/value/print.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

constexpr std::size_t kMostErrorBytes = 4096;

// Returns the end of what a tool wrote to its standard error, which mostly says why.
std::string kept_errors(std::string_view text) {
  if (text.size() <= kMostErrorBytes) return utf8_repaired(std::string(text));
  text.remove_prefix(text.size() - kMostErrorBytes);
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xc0U) == 0x80U) text.remove_prefix(1);
  return "…" + utf8_repaired(std::string(text));
}

EffectState state_of(const ToolReply& reply) {
  if (reply.is_unknown) return EffectState::InDoubt;
  if (reply.failed) return EffectState::Failed;
  if (reply.is_pending) return EffectState::Pending;
  return reply.is_partial ? EffectState::Partial : EffectState::Committed;
}

bool is_open(const LoggedEffect& effect) {
  return effect.state == EffectState::Intended || effect.state == EffectState::InDoubt;
}

bool is_recorded_tool(const Tool& tool) { return is_recorded(tool.definition.effect); }

// The attempts of a call that is retried are counted in the log, whatever its class.
bool has_facts(const Tool& tool) { return is_recorded_tool(tool) || tool.definition.retry.max_attempts > 1; }

ToolReply conflict_of(const LoggedEffect& known, const OpenCall& call) {
  const std::string what = known.task.empty() ? "the call " + known.key : "task \"" + known.task + '"';
  ToolReply reply = ToolReply::error(what + " first called " + known.tool + ' ' + known.args + ", now " +
                                     call.tool->definition.name + ' ' + call.args_edn);
  reply.fault = FaultKind::TaskIdConflict;
  return reply;
}

}  // namespace

void RecordedCalls::clear() {
  in_flight_.clear();
  paused_.clear();
  doubted_.clear();
  has_new_intents_ = false;
}

std::optional<std::int64_t> RecordedCalls::next_attempt_ms() const {
  std::optional<std::int64_t> first;
  for (const auto& [id, pause] : paused_) first = std::min(first.value_or(pause.until_ms), pause.until_ms);
  return first;
}

// Returns calls with ids from `from` on that are neither in flight nor paused nor in doubt, at most `most` of them.
// They are copies: an answer moves the requests of the session, and with them the texts that its handed calls refer to.
std::vector<OpenCall> RecordedCalls::new_calls(Session& session, std::uint64_t from, std::size_t most) const {
  std::vector<OpenCall> calls;
  for (const HandedCall& call : session.calls().handed().all()) {
    if (calls.size() >= most) break;
    const bool is_known = in_flight_.contains(call.id) || paused_.contains(call.id) || doubted_.contains(call.id);
    if (call.id < from || is_known) continue;
    OpenCall& made = calls.emplace_back();
    made.id = call.id;
    made.tool = call.tool;
    made.key = recorded_key(call.meta, [this](std::string_view id) { return facts_.epoch(id); }, writer_);
    made.task = call.meta.task_id;
    made.path = call.meta.idempotency_key;
    append_edn(made.args_edn, call.args, session.heap());
  }
  return calls;
}

// What somebody outside said about a doubt is looked up as any recorded answer is.
bool RecordedCalls::forget_settled_doubts() {
  const auto is_settled = [this](const auto& doubted) {
    const LoggedEffect* const known = writer_.effect(doubted.second.call.key);
    return known == nullptr || !is_open(*known);
  };
  return std::erase_if(doubted_, is_settled) != 0;
}

bool RecordedCalls::open(Session& session, std::size_t most) {
  forget_settled_doubts();
  if (has_doubts()) return false;
  begin_due(session, most);
  bool is_answered = false;
  for (std::uint64_t from = 0; in_flight_.size() < most;) {
    std::vector<OpenCall> calls = new_calls(session, from, most - in_flight_.size());
    if (calls.empty()) break;
    from = calls.back().id + 1;
    for (OpenCall& call : calls) is_answered |= look_up(session, call);
    if (has_doubts()) break;
  }
  return is_answered;
}

// Makes the calls again whose pauses are over.
void RecordedCalls::begin_due(Session& session, std::size_t most) {
  for (auto paused = paused_.begin(); paused != paused_.end() && in_flight_.size() < most;) {
    if (writer_.now() < paused->second.until_ms) {
      ++paused;
      continue;
    }
    OpenCall again = std::move(paused->second.call);
    paused = paused_.erase(paused);
    begin(session, std::move(again), true);
  }
}

// Returns true when the log answers the call; else the call is in flight, paused or in doubt.
bool RecordedCalls::look_up(Session& session, OpenCall& made) {
  const LoggedEffect* const known = has_facts(*made.tool) ? writer_.effect(made.key) : nullptr;
  if (known == nullptr) {
    begin(session, std::move(made), true);
    return false;
  }
  if (known->tool != made.tool->definition.name || known->args != made.args_edn) {
    return session.calls().answer(made.id, conflict_of(*known, made));
  }
  // A call of a claim that somebody else's hid when the run was opened (find_doubts).
  const EffectClass counts = class_that_counts(*known, made.tool);
  if (is_open(*known) && known->writer != writer_.token() && !is_called_again(counts)) {
    made.attempt = known->attempt;
    if (counts != known->effect_class) facts_.stage(doubted_fact(writer_, *known, counts));
    doubt(session, std::move(made), ToolReply::unknown("its process is gone"));
    return false;
  }
  if (auto answer = recorded_answer(*known, made, session.heap())) {
    answer->attempt = known->attempt;
    return session.calls().answer(made.id, std::move(*answer));
  }
  const bool is_intended = known->state == EffectState::Intended;
  made.attempt = known->attempt + (is_intended ? 0 : 1);
  const bool is_retry = known->state == EffectState::Failed && known->ends_before == writer_.log().ends();
  const std::int64_t until = known->settled_ms + retry_pause_ms(made.tool->definition.retry, made.path,
                                                                known->attempt);
  if (is_retry && writer_.now() < until) {
    paused_.insert_or_assign(made.id, Pause{std::move(made), until});
  } else {
    begin(session, std::move(made), !is_intended);
  }
  return false;
}

void RecordedCalls::begin(Session& session, OpenCall call, bool needs_intent) {
  if (needs_intent && is_recorded_tool(*call.tool)) {
    facts_.stage(intent(call));
    has_new_intents_ = true;
  }
  session.calls().note_call(call.id, call.attempt);
  in_flight_.emplace(call.id, std::move(call));
}

// Returns nullopt when somebody must make the call (again).
std::optional<ToolReply> RecordedCalls::recorded_answer(const LoggedEffect& known, const OpenCall& call,
                                                        Heap& heap) const {
  switch (known.state) {
    case EffectState::Committed: return value_of(known, heap);
    case EffectState::Partial: {
      ToolReply reply = value_of(known, heap);
      reply.is_partial = true;
      return reply;
    }
    case EffectState::Pending: {
      const LoggedOperation* const operation = known.text.empty()
                                                   ? writer_.log().operation_of(call.path)
                                                   : writer_.log().operation(known.text);
      const bool is_lost = operation != nullptr && !operation->status.empty() && operation->status != "ok";
      if (is_lost && operation->ends_before < writer_.log().ends()) return std::nullopt;
      return ToolReply::pending(operation == nullptr ? known.text : operation->id, value_of(known, heap).result);
    }
    case EffectState::Failed:
      if (known.ends_before < writer_.log().ends()) return std::nullopt;
      if (known.attempt < call.tool->definition.retry.max_attempts) return std::nullopt;
      return ToolReply::error(known.text);
    case EffectState::GivenUp: return ToolReply::error("given up" + (known.text.empty() ? "" : ": " + known.text));
    case EffectState::Intended:
    case EffectState::InDoubt:
    case EffectState::NotDone:
    case EffectState::Reset: break;
  }
  return std::nullopt;
}

ToolReply RecordedCalls::value_of(const LoggedEffect& known, Heap& heap) const {
  if (known.value.empty()) return ToolReply::value(Value::nil());
  auto value = read_edn(heap, known.value);
  if (const auto* good = std::get_if<Value>(&value)) return ToolReply::value(*good);
  return ToolReply::error("its recorded answer cannot be read");
}

Fact RecordedCalls::intent(const OpenCall& call) const {
  Fact fact = writer_.made(FactKind::Intent, FactAuthor::Host);
  fact.key = intent_key(call.key, call.attempt);
  fact.idempotency_key = call.key;
  fact.number = call.attempt;
  fact.tool = call.tool->definition.name;
  fact.args = call.args_edn;
  fact.effect = effect_class_name(call.tool->definition.effect);
  fact.task = call.task;
  return fact;
}

void RecordedCalls::stage_settlement(const OpenCall& call, const ToolReply& reply, Heap& heap) {
  Fact fact = settlement_fact(writer_, call.key, call.attempt, state_of(reply));
  fact.source = call.tool->definition.name;
  fact.errors = reply.errors;
  if (reply.failed) {
    fact.text = reply.message;
  } else {
    if (reply.is_pending) fact.text = reply.operation_id;
    append_edn(fact.value, reply.result, heap);
  }
  facts_.stage(std::move(fact));
}

// Stages that nobody knows what became of the call, which the log may know already.
void RecordedCalls::doubt(Session& session, OpenCall call, ToolReply reply) {
  stage_settlement(call, reply, session.heap());
  session.heap().release(reply.result);
  const std::uint64_t id = call.id;
  doubted_.insert_or_assign(id, Doubt{std::move(call), std::move(reply.message)});
}

bool RecordedCalls::settle_doubts(Session& session) {
  bool is_any = forget_settled_doubts();
  for (auto doubted = doubted_.begin(); doubted != doubted_.end();) {
    const LoggedEffect* const known = writer_.effect(doubted->second.call.key);
    std::optional<Fact> said;
    if (known != nullptr) said = ask_tool(doubted->second.call.tool, *known, writer_).fact;
    if (!said || !writer_.put(*std::move(said))) {
      ++doubted;
      continue;
    }
    Doubt learnt = std::move(doubted->second);
    doubted = doubted_.erase(doubted);
    is_any = true;
    const LoggedEffect* const told = writer_.effect(learnt.call.key);   // a person may have been first
    if (told != nullptr && told->state == EffectState::NotDone) {
      tell(session, std::move(learnt.call), ToolReply::error(std::move(learnt.why)), 0);
    }
  }
  return is_any;
}

void RecordedCalls::leave_calls(Session& session, const std::string& why) {
  std::map<std::uint64_t, OpenCall> left = std::exchange(in_flight_, {});
  paused_.clear();
  for (auto& [id, call] : left) {
    if (!is_called_again(call.tool->definition.effect)) doubt(session, std::move(call), ToolReply::unknown(why));
  }
}

bool RecordedCalls::answer(Session& session, std::uint64_t id, ToolReply reply, std::uint64_t micros) {
  const auto at = in_flight_.find(id);
  if (at == in_flight_.end()) {
    session.heap().release(reply.result);
    return false;
  }
  OpenCall call = std::move(at->second);
  in_flight_.erase(at);
  refuse_too_large(session.heap(), call.tool->definition.name, reply);
  if (!utf8_is_valid(reply.message)) reply.message = utf8_repaired(reply.message);
  reply.errors = kept_errors(reply.errors);
  if (reply.is_unknown && !is_called_again(call.tool->definition.effect)) {
    doubt(session, std::move(call), std::move(reply));
    return true;
  }
  const bool is_tried_again = wants_further_attempt(*call.tool, reply, call.attempt);
  const bool counts_attempts = !is_recorded_tool(*call.tool) && (is_tried_again || call.attempt > 1);
  if (counts_attempts) facts_.stage(intent(call));
  if (is_recorded_tool(*call.tool) || counts_attempts) stage_settlement(call, reply, session.heap());
  return tell(session, std::move(call), std::move(reply), micros);
}

// Answers the session, unless the call is made again after a pause.
bool RecordedCalls::tell(Session& session, OpenCall call, ToolReply reply, std::uint64_t micros) {
  const std::uint64_t id = call.id;
  reply.attempt = call.attempt;
  if (!wants_further_attempt(*call.tool, reply, call.attempt)) {
    return session.calls().answer(id, std::move(reply), micros);
  }
  const std::int64_t pause = retry_pause_ms(call.tool->definition.retry, call.path, call.attempt);
  session.calls().note_retry(id, reply.message, call.attempt, pause, micros);
  ++call.attempt;
  paused_.insert_or_assign(id, Pause{std::move(call), writer_.now() + pause});
  return true;
}

}  // namespace ptc
