// Arguments and results of builtins that work on text. Each check parks the fault itself: on false, nothing or Absent
// the builtin returns Value::absent() at once. Sizes are checked before the result is built.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "vm/builtins/call.h"

namespace ptc {

// Arguments [first, last), 0-based, are strings.
bool check_strings(Call& call, std::uint32_t first, std::uint32_t last);
// No argument is a pending handle.
bool check_none_pending(Call& call);
// The fault for a pending handle inside of argument arg_number (1-based).
Value pending_inside(Call& call, std::uint32_t arg_number, Value handle);

// An int, or a float with an integer value (/ always gives floats); beyond int64 the nearest limit.
std::optional<std::int64_t> integer_argument(Call& call, std::uint32_t i);
// Same as a position in something of `count` parts: clamped to [0, count].
std::optional<std::uint32_t> position_argument(Call& call, std::uint32_t i, std::uint32_t count);

// Fuel for looking at that many bytes of text.
void charge_bytes(Call& call, std::uint64_t size_bytes);
// False parks string_limit_exceeded or memory_exceeded.
[[nodiscard]] bool check_text_size(Call& call, std::uint64_t size_bytes);
Value text_result(Call& call, std::string_view utf8);    // checked and charged

// The str form of v after what is in out, never much longer than a string may be: false as check_text_size.
[[nodiscard]] bool append_str_form(Call& call, std::string& out, Value v);

// An integer from decimal text of any length: nil when it is none, Absent when it is wider than the limit.
Value integer_of_text(Call& call, std::string_view text);

// The same call under the name of another builtin: for helpers that complain in the name of what the user wrote.
// Borrows all; the alias must not take arguments.
class NamedCall {
 public:
  NamedCall(Call& call, BuiltinId as);
  Call& get() { return call_; }
  void swap_first_two() { std::swap(args_[0], args_[1]); }   // for helpers with their arguments in another order

 private:
  static constexpr std::size_t kMaxArgs = 4;
  Value args_[kMaxArgs];
  Call call_;
};

}  // namespace ptc
