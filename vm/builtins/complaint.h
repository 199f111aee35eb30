// Makes type errors about values that are not plain arguments of the running call: elements, values inside of a path,
// and arguments that a hidden builtin checks in the name of a prelude function. All of them have one spelling.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "vm/builtins/call.h"

namespace ptc {

// Parks "function: subject expected …, got …" (or names await for a pending handle) and returns Absent. Borrows `got`.
Value wrong_kind(Call& call, std::string_view function, std::string_view subject, std::string_view expected,
                 Value got, std::string hint = {});

// Parks the same error about argument number `arg_number` (from 1) of that function.
Value wrong_argument(Call& call, std::string_view function, std::int64_t arg_number,
                     std::string_view expected, Value got, std::string hint = {});

// Returns readable text of a value for an error message, cut after about 60 bytes.
std::string shown(Call& call, Value borrowed);

}  // namespace ptc
