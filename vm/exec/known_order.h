// Comparators whose order is known without calling them: <, >, compare and their kin, and functions that are nothing
// but one of these over their two arguments, or over one field of each: (fn [a b] (< (:age a) (:age b))).
#pragma once
#include <optional>

#include "vm/value/value.h"

namespace ptc {

struct KnownOrder {
  Value field;          // a keyword, or nil: the elements themselves
  bool numbers_only;    // < and its kin fail for anything else
  bool descending;
};

std::optional<KnownOrder> known_order(Value borrowed_comparator);

}  // namespace ptc
