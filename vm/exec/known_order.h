// Recognizes comparators whose order is known without calling them: <, >, compare and the like, and functions that only
// call one of these with their two arguments, or with one field of each: (fn [a b] (< (:age a) (:age b))).
#pragma once
#include <optional>

#include "vm/value/value.h"

namespace ptc {

struct KnownOrder {
  Value field;          // a keyword, or nil to compare the elements themselves
  bool numbers_only;    // < and the like fail for other values
  bool descending;
};

std::optional<KnownOrder> known_order(Value borrowed_comparator);

}  // namespace ptc
