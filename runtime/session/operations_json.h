// The operations of a run as a JSON list and back. Values are EDN texts inside of it, so that nothing is lost;
// everything else is plain JSON.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "vm/builtins/operations.h"
#include "vm/value/heap.h"

namespace ptc {

// Appends one operation, an element of the list.
void append_operation_json(std::string& out, const Operation& operation, Heap& heap);
// Opens the operations of a list in the table, whose values are in the heap. Returns a message about the first element
// that is refused; the elements before it stay in the table.
std::optional<std::string> read_operations_json(std::string_view text, Operations& table, Heap& heap);

}  // namespace ptc
