// Reading one entry of a collection, the way every accessor of the language does: maps with flexible keys,
// vectors and strings by position, sets by member, a pending handle through its operation's immediate value.
#pragma once
#include "vm/builtins/call.h"

namespace ptc {

bool has_entries(Value v);  // nil, map, vector, set, string or pending handle
// The entry, with a reference of the caller's own, or Absent when there is none (also for values without
// entries).
Value lookup(Environment& env, Value borrowed_coll, Value borrowed_key);
// Along a path of keys; Absent as soon as one is missing. Values without entries end the path.
Value lookup_path(Environment& env, Value borrowed_root, Value borrowed_path_vector);
// A key that can be a position in a vector or string of that size.
bool index_below(Value key, std::uint32_t count, std::uint32_t& out);

}  // namespace ptc
