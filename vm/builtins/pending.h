// Reads arguments that name an asynchronous operation: a pending handle, or its id as a string.
#pragma once
#include <string_view>

#include "vm/builtins/environment.h"

namespace ptc {

bool names_operation(Value v);
std::string_view operation_name(Value v);     // takes a value that names an operation
// Parks unknown_pending with the known operations and returns Absent.
Value unknown_pending(Environment& env, std::string_view id);

}  // namespace ptc
