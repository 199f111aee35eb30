// Finds places in nested collections, which update, update-in and assoc-in write to.
#pragma once
#include "vm/builtins/call.h"

namespace ptc {

// Returns the place of a key, or the place at the end of a path of keys (a vector, not empty), in *root, which the
// caller owns. Maps and vectors on the way belong to *root alone afterwards, and missing entries are added. Returns
// null after parking a fault.
Value* place_at_key(Call& call, Value* root, Value borrowed_key);
Value* place_at_path(Call& call, Value* root, Value borrowed_path);

}  // namespace ptc
