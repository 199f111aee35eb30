// A pending handle is a value that holds only the id of an asynchronous operation.
#pragma once
#include <string>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

Value pending_of(Heap& heap, Value taken_id);          // takes a string
inline std::string_view pending_id_of(Value handle) { return static_cast<const Pending*>(handle.object)->id->view(); }

// Returns the first handle inside of plain data, borrowed, or Absent. `path` says where the handle is, as "[:a 0]", or
// "" for the value itself. The walk is iterative and visits shared parts once. It costs nothing while the heap has no
// handle.
Value find_pending(Heap& heap, Value borrowed, std::string& path);

}  // namespace ptc
