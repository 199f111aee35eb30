// Reads one entry of a collection, as every accessor of the language does: maps with flexible keys, vectors and strings
// by position, sets by member, a pending handle through the immediate value of its operation.
#pragma once
#include "vm/builtins/call.h"

namespace ptc {

bool has_entries(Value v);  // returns true for nil, maps, vectors, sets, strings and pending handles
// Returns the entry, which the caller owns, or Absent when there is no entry (also for values without entries).
Value lookup(Environment& env, Value borrowed_coll, Value borrowed_key);
// Looks up a path of keys. Returns Absent as soon as a key is missing. Values without entries end the path.
Value lookup_path(Environment& env, Value borrowed_root, Value borrowed_path_vector);
// Returns whether the key is a position in a vector or string of that size.
bool index_below(Value key, std::uint32_t count, std::uint32_t& out);

}  // namespace ptc
