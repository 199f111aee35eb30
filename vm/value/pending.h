// Pending handles as values: the id of an asynchronous operation and nothing else.
#pragma once
#include <string>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

Value pending_of(Heap& heap, Value taken_id);          // taken_id is a string
inline std::string_view pending_id_of(Value handle) { return static_cast<const Pending*>(handle.object)->id->view(); }

// The first handle inside of plain data, borrowed, or Absent; `path` then says where it is, as "[:a 0]" or "" for the
// value itself. Iterative, and shared parts are looked at once. Costs nothing while the heap holds no handle.
Value find_pending(Heap& heap, Value borrowed, std::string& path);

}  // namespace ptc
