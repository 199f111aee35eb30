// One call of a plain builtin. The arguments are in registers. The interpreter owns them, and releases what is left in
// them after the call: arg(i) borrows, take(i) moves an argument out (so that a vector or map with one owner is changed
// in place). A builtin returns a value with a reference of its own. A builtin that fails calls one of the fail
// functions and returns Absent: `return call.type_error(1, "number");`.
//
// The arity was checked before the call. A builtin cannot call guest code.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "schema/builtin_id.h"
#include "vm/builtins/environment.h"
#include "vm/value/account.h"

namespace ptc {

// What a new vector takes for each element, and what a short vector takes in another one beside its own elements.
inline constexpr std::uint64_t kSlotBytes = 16, kGroupBytes = 48;

class Call {
 public:
  Call(Environment& environment, BuiltinId id, std::span<Value> arguments)
      : heap(environment.heap), env(environment), id_(id), args_(arguments) {}

  Heap& heap;
  Environment& env;

  std::uint32_t count() const { return static_cast<std::uint32_t>(args_.size()); }
  std::span<const Value> args() const { return args_; }
  Value arg(std::uint32_t i) const { return args_[i]; }            // borrowed; counts from 0
  Value arg_or_nil(std::uint32_t i) const { return i < args_.size() ? args_[i] : Value::nil(); }
  Value take(std::uint32_t i) {                                    // the caller owns the value
    const Value v = args_[i];
    args_[i] = Value::nil();
    return v;
  }
  std::string_view name() const { return builtin_info(id_).name; }
  BuiltinId id() const { return id_; }

  // Each function parks a fault and returns Absent. Argument numbers count from 1.
  Value fail(FaultKind kind, std::string message, std::string hint = {});
  // Parks a fault about a borrowed value, which FaultReport::found shows.
  Value fail_about(Value got, FaultKind kind, std::string message, std::string hint = {});
  // Parks "name: arg 2 expected seqable, got number". Names await when the argument is a pending handle.
  Value type_error(std::uint32_t arg_number, std::string_view expected, std::string hint = {});
  Value memory_error();      // parks memory_exceeded
  // Call it before allocating more than a page in one go. Returns false and parks memory_exceeded when there is too
  // little memory.
  [[nodiscard]] bool reserve(std::uint64_t bytes);
  // Call it before changing a vector, which may be a range that holds no elements yet.
  [[nodiscard]] bool reserve_change(Value vector);
  // Call it before appending that many elements to a vector.
  [[nodiscard]] bool reserve_elements(Value vector, std::uint64_t more);
  // Call it in loops whose result has no known size. Returns false and parks memory_exceeded when there is too little
  // memory.
  [[nodiscard]] bool within_memory() {
    if (!heap.over_limit()) [[likely]] return true;
    memory_error();
    return false;
  }
  // Call it at each turn of a loop that holds values in plain variables, so that no exception may leave it. Returns
  // false and parks the fault when there is too little memory, or when the host stops the run.
  [[nodiscard]] bool goes_on(std::uint64_t turn) {
    return within_memory() && (turn % kTurnsBetweenQuestions != 0 || is_let_go_on());
  }
  // Charges work in proportion to data: one unit is about one element visited.
  void charge(std::uint64_t units) { env.fuel_debt += units; }

 private:
  static constexpr std::uint32_t kTurnsBetweenQuestions = 64;
  bool is_let_go_on();

  BuiltinId id_;
  std::span<Value> args_;
};

using PlainBuiltin = Value (*)(Call&);

// Returns null for builtins that are not Plain.
PlainBuiltin plain_builtin(BuiltinId id);

#define B(id, name, min, max, kind, category, usage, doc) PTC_DECLARE_##kind(id)
#define PTC_DECLARE_Plain(id) Value builtin_##id(Call& call);
#define PTC_DECLARE_Stepper(id)
#define PTC_DECLARE_Prelude(id)
#include "schema/builtins.def"
#undef PTC_DECLARE_Plain
#undef PTC_DECLARE_Stepper
#undef PTC_DECLARE_Prelude
#undef B

}  // namespace ptc
