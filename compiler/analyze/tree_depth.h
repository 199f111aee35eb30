// How deep the analysed tree is. The passes after the analyzer recurse over it; this bounds their stack. Each clause of
// a for is inside of the one before, and the body inside of them all.
#pragma once
#include <cstdint>

#include "compiler/analyze/ast.h"

namespace ptc {

inline constexpr std::uint32_t kMaxTreeDepth = 1'000;

// Returns a node that lies deeper than `max_depth`, or null. Iterative.
const Node* find_too_deep(const Node* root, std::uint32_t max_depth);

}  // namespace ptc
