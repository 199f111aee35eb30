// Builtins about pending handles. No operation can be in flight yet, so whatever needs the state of one fails
// with unknown_pending; what a handle says about itself works.
#include <string>

#include "vm/builtins/call.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

std::string operation_name(Value v) {
  if (v.is(Tag::Pending)) return std::string(static_cast<const Pending*>(v.object)->id->view());
  if (v.is_string()) return std::string(string_view_of(v));
  return {};
}

Value unknown(Call& call) {
  const std::string id = operation_name(call.arg(0));
  return call.fail(FaultKind::UnknownPending, std::string(call.name()) + ": no operation" +
                                                  (id.empty() ? "" : " " + id) + " is known to this run");
}

}  // namespace

Value builtin_pending_p(Call& call) { return Value::boolean(call.arg(0).is(Tag::Pending)); }

Value builtin_pending_id(Call& call) {
  if (!call.arg(0).is(Tag::Pending)) return call.type_error(1, "pending operation");
  return retained(Value::of(Tag::String, static_cast<const Pending*>(call.arg(0).object)->id));
}

Value builtin_pending(Call& call) { return unknown(call); }
Value builtin_resolved_p(Call& call) { return unknown(call); }
Value builtin_await_all(Call& call) { return unknown(call); }
Value builtin_await_any(Call& call) { return unknown(call); }
Value builtin_await_settled(Call& call) { return unknown(call); }

}  // namespace ptc
