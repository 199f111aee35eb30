// What a callback sees of its call, and what it says.
#include "api/c/tools.h"

namespace ptcvm::c {
namespace {

void expect(const ptcvm_call& call, ptcvm_call::Asked asked) {
  if (call.asked != asked) throw Failure{{Errc::wrong_state, "that is not what this callback is asked", {}}};
  const bool is_said = call.reply || call.reconciled || call.verdict;
  if (is_said) throw Failure{{Errc::wrong_state, "the call has its answer", {}}};
}

// reply(ToolCall&) gives the answer of a tool.
template <class F>
ptcvm_status answered(ptcvm_call* call, ptcvm_error** error, F&& reply) noexcept {
  return guarded(error, [&] {
    expect(the(call), ptcvm_call::Asked::Answer);
    call->reply.emplace(reply(call->call));
  });
}

void answer_value(ptcvm_call& call, ValueView value) {
  if (call.asked == ptcvm_call::Asked::Reconcile) {
    expect(call, ptcvm_call::Asked::Reconcile);
    call.reconciled.emplace(Reconciled{Reconciled::State::Happened, Value::copy_of(value)});
  } else {
    expect(call, ptcvm_call::Asked::Answer);
    call.reply.emplace(call.call.value(value));
  }
}

template <class F>
ptcvm_status judged(ptcvm_call* call, F&& verdict) noexcept {
  return guarded(nullptr, [&] {
    expect(the(call), ptcvm_call::Asked::Verdict);
    call->verdict.emplace(verdict());
  });
}

template <class T, class F>
T seen(const ptcvm_call* call, T otherwise, F&& look) noexcept {
  return call == nullptr ? otherwise : quietly(otherwise, [&] { return look(call->call); });
}

ptcvm_text seen_text(const ptcvm_call* call, std::string_view (ToolCall::*look)() const) noexcept {
  return seen(call, ptcvm_text{nullptr, 0}, [look](ToolCall& c) { return text_out((c.*look)()); });
}

}  // namespace
}  // namespace ptcvm::c

namespace c = ptcvm::c;
using ptcvm::ToolCall;

ptcvm_text ptcvm_call_name(const ptcvm_call* call) { return c::seen_text(call, &ToolCall::name); }
ptcvm_text ptcvm_call_run_id(const ptcvm_call* call) { return c::seen_text(call, &ToolCall::run_id); }
ptcvm_text ptcvm_call_task_id(const ptcvm_call* call) { return c::seen_text(call, &ToolCall::task_id); }
ptcvm_text ptcvm_call_idempotency_key(const ptcvm_call* call) { return c::seen_text(call, &ToolCall::idempotency_key); }
ptcvm_view ptcvm_call_args(const ptcvm_call* call) {
  return c::seen(call, ptcvm_view{}, [](ToolCall& seen) { return c::view_out(seen.args()); });
}
uint64_t ptcvm_call_turn(const ptcvm_call* call) {
  return c::seen(call, uint64_t{0}, [](ToolCall& seen) { return seen.turn(); });
}
uint32_t ptcvm_call_attempt(const ptcvm_call* call) {
  return c::seen(call, uint32_t{0}, [](ToolCall& seen) { return seen.attempt(); });
}
int32_t ptcvm_call_is_expired(const ptcvm_call* call) {
  return c::seen(call, int32_t{0}, [](ToolCall& seen) { return seen.expired() ? 1 : 0; });
}

ptcvm_status ptcvm_call_answer(ptcvm_call* call, ptcvm_view value) {
  return c::guarded(nullptr, [&] { c::answer_value(c::the(call), c::view_in(value)); });
}
ptcvm_status ptcvm_call_answer_json(ptcvm_call* call, ptcvm_text json, ptcvm_error** error) {
  return c::guarded(error, [&] {
    c::answer_value(c::the(call), c::taken(ptcvm::Value::from_json(c::text_in(json))));
  });
}
ptcvm_status ptcvm_call_answer_error(ptcvm_call* call, ptcvm_text message) {
  return c::answered(call, nullptr, [&](ToolCall& of) { return of.error(c::string_in(message)); });
}
ptcvm_status ptcvm_call_answer_unknown(ptcvm_call* call, ptcvm_text message) {
  return c::answered(call, nullptr, [&](ToolCall& of) { return of.unknown(c::string_in(message)); });
}
ptcvm_status ptcvm_call_answer_pending(ptcvm_call* call, ptcvm_text operation) {
  return c::answered(call, nullptr, [&](ToolCall& of) { return of.pending(c::string_in(operation)); });
}
ptcvm_status ptcvm_call_timed_out(ptcvm_call* call) {
  return c::answered(call, nullptr, [](ToolCall& of) { return of.timed_out(); });
}
ptcvm_status ptcvm_call_report_partial(ptcvm_call* call, ptcvm_view value) {
  return c::guarded(nullptr, [&] {
    c::expect(c::the(call), ptcvm_call::Asked::Answer);
    call->call.report_partial(c::view_in(value));
  });
}

ptcvm_status ptcvm_call_did_not_happen(ptcvm_call* call) {
  return c::guarded(nullptr, [&] {
    c::expect(c::the(call), ptcvm_call::Asked::Reconcile);
    call->reconciled.emplace(ptcvm::Reconciled{ptcvm::Reconciled::State::DidNot, {}});
  });
}

ptcvm_status ptcvm_call_deny(ptcvm_call* call, ptcvm_text why) {
  return c::judged(call, [&] { return ptcvm::HookVerdict::deny(c::string_in(why)); });
}
ptcvm_status ptcvm_call_ask(ptcvm_call* call, ptcvm_text question) {
  return c::judged(call, [&] { return ptcvm::HookVerdict::ask(c::string_in(question)); });
}
ptcvm_status ptcvm_call_change(ptcvm_call* call, ptcvm_view args) {
  return c::judged(call, [&] {
    const ptcvm::ValueView wanted = c::view_in(args);
    if (wanted.kind() != ptcvm::ValueKind::Map) {
      throw c::Failure{{ptcvm::Errc::invalid_value, "arguments must be a map", {}}};
    }
    return ptcvm::HookVerdict::change(ptcvm::Value::copy_of(wanted));
  });
}
