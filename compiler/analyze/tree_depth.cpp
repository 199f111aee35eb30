// See tree_depth.h.
#include "compiler/analyze/tree_depth.h"

namespace ptc {

const Node* find_too_deep(const Node* root, std::uint32_t max_depth) {
  struct Visit {
    const Node* node;
    std::uint32_t depth;
  };
  std::vector<Visit> open = {{root, 1}};
  while (!open.empty()) {
    const Visit visit = open.back();
    open.pop_back();
    if (visit.depth > max_depth) return visit.node;
    std::uint32_t inside = visit.depth + 1;
    for (const ForClause& clause : visit.node->clauses) {
      open.push_back({clause.expression, inside});
      if (++inside > max_depth) return clause.expression;
    }
    for (const Node* kid : visit.node->kids) open.push_back({kid, inside});
  }
  return nullptr;
}

}  // namespace ptc
