// Last uses: where each local of a function is read for the last time on each path, and where a path starts on which a
// local is not needed any more. The code generator turns the first into moves and the second into drops, so that every
// value is given up exactly once and a value with one owner can be changed in place.
//
// Only locals that live in a register of their own function take part: captured values and a function's own name are
// read from the closure. One backward pass over the tree, in the reverse of the order in which the generator evaluates.
#pragma once
#include <unordered_map>
#include <vector>

#include "compiler/analyze/ast.h"
#include "compiler/analyze/captures.h"

namespace ptc {

struct Liveness {
  // Locals that are live before this node's parent branches but not in this node: dropped before it runs.
  // Keys: branches of If and Case, bodies of Let, Loop, Fn.
  std::unordered_map<const Node*, std::vector<LocalId>> entry_drops;
  // By Task or defonce node: what only its last kid needed, dropped on the path that skips that kid.
  std::unordered_map<const Node*, std::vector<LocalId>> skip_drops;
  // By For node, then clause index. Bind: when the loop is over. When, While: on the path that leaves the iteration.
  std::unordered_map<const Node*, std::vector<std::vector<LocalId>>> exit_drops;
  // By For node, then clause index: bound by the clause but never read.
  std::unordered_map<const Node*, std::vector<bool>> unused;
  // By Recur node, parallel to its kids: the kid only counts its own local up or down and cannot fail, because the
  // local is a number from the start. Such kids are evaluated last, in place.
  std::unordered_map<const Node*, std::vector<bool>> counts_in_place;
  // By Fn node, parallel to FunctionScope::captures: the capture is the enclosing function's last use of it.
  std::unordered_map<const Node*, std::vector<bool>> capture_is_last;
};

// Sets Node::last_use on Local nodes.
Liveness find_last_uses(Ast& ast, const Captures& captures);

}  // namespace ptc
