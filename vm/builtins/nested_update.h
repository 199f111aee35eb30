// Places in nested collections: what update, update-in and assoc-in write to.
#pragma once
#include "vm/builtins/call.h"

namespace ptc {

// The place of a key, or at the end of a path of keys (a vector, not empty), in *root, which the caller owns. Maps and
// vectors on the way become *root's alone and get the entries that are missing. Null: a fault is parked.
Value* place_at_key(Call& call, Value* root, Value borrowed_key);
Value* place_at_path(Call& call, Value* root, Value borrowed_path);

}  // namespace ptc
