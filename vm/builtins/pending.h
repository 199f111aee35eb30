// Arguments that name an asynchronous operation: a pending handle, or its id as a string.
#pragma once
#include <string_view>

#include "vm/builtins/environment.h"

namespace ptc {

bool names_operation(Value v);
std::string_view operation_name(Value v);     // of one that does
// Parks unknown_pending with the operations that are known; gives Absent.
Value unknown_pending(Environment& env, std::string_view id);

}  // namespace ptc
