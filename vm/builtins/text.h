// Checks arguments and results of builtins that work on text. Each check parks the fault itself: on false, nullopt or
// Absent the builtin returns Value::absent() at once. Sizes are checked before the result is built.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "vm/builtins/call.h"
#include "vm/value/print.h"
#include "vm/value/scratch.h"

namespace ptc {

// Returns whether arguments [first, last), counted from 0, are strings.
bool check_strings(Call& call, std::uint32_t first, std::uint32_t last);
// Returns whether no argument is a pending handle.
bool check_none_pending(Call& call);
// Parks the fault for a pending handle inside of argument arg_number (from 1).
Value pending_inside(Call& call, std::uint32_t arg_number, Value handle);

// Reads an int, or a float with an integer value (/ always gives floats). A number beyond int64 gives the nearest
// limit.
std::optional<std::int64_t> integer_argument(Call& call, std::uint32_t i);
// Reads a position in something of `count` parts, clamped to [0, count].
std::optional<std::uint32_t> position_argument(Call& call, std::uint32_t i, std::uint32_t count);

// Charges fuel for looking at that many bytes of text.
void charge_bytes(Call& call, std::uint64_t size_bytes);
// Returns the limit of string_bytes, or what a string can hold when the limit is more. One more still fits a number.
std::uint64_t most_text_bytes(const Call& call);
// Returns false after parking string_limit_exceeded or memory_exceeded.
[[nodiscard]] bool check_text_size(Call& call, std::uint64_t size_bytes);
Value text_result(Call& call, std::string_view utf8);    // checks and charges the size

// Appends the str form of v, never much beyond the longest string. Returns false as check_text_size() does.
[[nodiscard]] bool append_str_form(Call& call, ScratchText& out, Value v);
// Does the same with the form that `write` makes. A form that is cut is charged, although nobody gets it.
using FormWriter = void(std::string& out, Value v, Heap& heap, PrintLimit limit);
[[nodiscard]] bool append_form(Call& call, ScratchText& out, Value v, FormWriter* write);

// Reads an integer from decimal text of any length. Returns nil when the text is not an integer, and Absent when the
// integer is wider than the limit.
Value integer_of_text(Call& call, std::string_view text);

// The same call under the name of another builtin, for functions that complain in the name of what the user wrote.
// Borrows everything; the alias must not take arguments.
class NamedCall {
 public:
  NamedCall(Call& call, BuiltinId as);
  Call& get() { return call_; }
  void swap_first_two() { std::swap(args_[0], args_[1]); }   // for functions with their arguments in another order

 private:
  static constexpr std::size_t kMaxArgs = 4;
  Value args_[kMaxArgs];
  Call call_;
};

}  // namespace ptc
