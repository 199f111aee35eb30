// Builtins about pending handles that need not wait: what a handle says about itself and what is known of its
// operation. They read the visible side of the operations only, so asking again and again cannot see a change.
#include "vm/builtins/pending.h"

#include <string>

#include "vm/builtins/call.h"
#include "vm/value/pending.h"
#include "vm/value/string.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

constexpr std::size_t kMostIdBytes = 160;   // shown in a message; a program may ask with megabytes
constexpr std::string_view kHandleExpected = "pending handle or id";

}  // namespace

bool names_operation(Value v) { return v.is(Tag::Pending) || v.is_string(); }

std::string_view operation_name(Value v) { return v.is_string() ? string_view_of(v) : pending_id_of(v); }

Value unknown_pending(Environment& env, std::string_view id) {
  const std::string shown = std::string(utf8_prefix(id, kMostIdBytes)) + (id.size() > kMostIdBytes ? "…" : "");
  env.fault = {FaultKind::UnknownPending,
               "no pending operation \"" + shown + "\". Known: " + env.operations.known_text(), {}};
  return Value::absent();
}

Value builtin_pending_p(Call& call) { return Value::boolean(call.arg(0).is(Tag::Pending)); }

Value builtin_pending_id(Call& call) {
  if (!call.arg(0).is(Tag::Pending)) return call.type_error(1, "pending operation");
  return retained(Value::of(Tag::String, static_cast<const Pending*>(call.arg(0).object)->id));
}

Value builtin_pending(Call& call) {
  if (!names_operation(call.arg(0))) return call.type_error(1, kHandleExpected);
  const std::string_view id = operation_name(call.arg(0));
  if (call.env.operations.find(id) == nullptr) return unknown_pending(call.env, id);
  return call.arg(0).is_string() ? pending_of(call.heap, call.take(0)) : call.take(0);
}

Value builtin_resolved_p(Call& call) {
  if (!names_operation(call.arg(0))) return call.type_error(1, kHandleExpected);
  const std::string_view id = operation_name(call.arg(0));
  const Operation* operation = call.env.operations.find(id);
  return operation == nullptr ? unknown_pending(call.env, id) : Value::boolean(operation->delivered);
}

}  // namespace ptc
