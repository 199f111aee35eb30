#include "vm/builtins/call.h"

#include "vm/value/print.h"
#include "vm/value/shown_value.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {

Value Call::fail(FaultKind kind, std::string message, std::string hint) {
  env.fault.kind = kind;
  env.fault.message = std::move(message);
  env.fault.hint = std::move(hint);
  env.fault.found.clear();
  return Value::absent();
}

Value Call::type_error(std::uint32_t arg_number, std::string_view expected, std::string hint) {
  const Value got = arg_number >= 1 && arg_number <= args_.size() ? args_[arg_number - 1] : Value::nil();
  std::string text(name());
  text += ": arg " + std::to_string(arg_number);
  if (got.is(Tag::Pending)) {
    text += " is a pending operation (";
    text += static_cast<const Pending*>(got.object)->id->view();
    text += "); use (await …)";
    return fail(FaultKind::TypeError, std::move(text), std::move(hint));
  }
  text += " expected ";
  text += expected;
  text += ", got ";
  text += kind_text(got);
  return fail_about(got, FaultKind::TypeError, std::move(text), std::move(hint));
}

Value Call::fail_about(Value got, FaultKind kind, std::string message, std::string hint) {
  fail(kind, std::move(message), std::move(hint));
  env.fault.found = shown_value(heap, got);
  return Value::absent();
}

Value Call::memory_error() {
  return fail(FaultKind::MemoryExceeded,
              "memory limit of " + std::to_string(heap.limit_bytes()) + " bytes exceeded by " + std::string(name()));
}

bool Call::is_let_go_on() {
  if (!work_is_over(kTurnsBetweenQuestions)) return true;
  fail(FaultKind::Cancelled, "the host stopped the run");
  return false;
}

bool Call::reserve(std::uint64_t bytes) {
  if (heap.can_allocate(bytes)) return true;
  memory_error();
  return false;
}

bool Call::reserve_change(Value vector) {
  const std::uint64_t bytes = vector_change_bytes(vector);
  return bytes == 0 || reserve(bytes);
}

bool Call::reserve_elements(Value vector, std::uint64_t more) {
  return reserve(vector_change_bytes(vector) + vector_bytes(more));
}

namespace {

// Whether it is over at once, whatever its arguments are, or nearly.
constexpr bool is_brief(BuiltinId id) {
  switch (id) {
#define B(id, name, min, max, kind, category, usage, doc) case BuiltinId::id:
#include "schema/builtins/numbers.def"
#undef B
      return id != BuiltinId::eq && id != BuiltinId::eq_eq && id != BuiltinId::not_equal;
    case BuiltinId::get:
    case BuiltinId::nth: return true;
    default: return false;
  }
}

template <PlainBuiltin function>
Value patiently(Call& call) {
  Value result = Value::absent();
  switch (account::within([&] { result = function(call); })) {
    case account::Ending::Done: return result;
    case account::Ending::Stopped: return call.fail(FaultKind::Cancelled, "the host stopped the run");
    case account::Ending::NoMemory: break;
  }
  return call.memory_error();
}

template <BuiltinId id, PlainBuiltin function>
constexpr PlainBuiltin entry() {
  return is_brief(id) ? function : patiently<function>;
}

}  // namespace

PlainBuiltin plain_builtin(BuiltinId id) {
  static constexpr PlainBuiltin kTable[] = {
#define B(id, name, min, max, kind, category, usage, doc) PTC_ENTRY_##kind(id)
#define PTC_ENTRY_Plain(id) entry<BuiltinId::id, builtin_##id>(),
#define PTC_ENTRY_Stepper(id) nullptr,
#define PTC_ENTRY_Prelude(id) nullptr,
#include "schema/builtins.def"
#undef PTC_ENTRY_Plain
#undef PTC_ENTRY_Stepper
#undef PTC_ENTRY_Prelude
#undef B
  };
  return kTable[static_cast<std::size_t>(id)];
}

}  // namespace ptc
