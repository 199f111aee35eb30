// Pipelines: (reduce + (map f (filter p coll))) as one loop without the collections in between.
//
// One stage after the other means: all of the inner one, then all of the outer one. As one loop, they take turns for
// each element. Nobody can tell the two apart while at most one of them can fail or be seen from outside, so stages
// are fused when that is certain from their text alone.
#pragma once
#include "compiler/analyze/ast.h"

namespace ptc {

// Takes the clauses of the comprehension that `node` (For) runs over into `node`, when it may.
void fuse_with_source(const Ast& ast, Node& node);

// Returns whether every element of that collection is an integer, whatever the data are.
bool gives_integers(const Ast& ast, const Node& collection);

// Returns whether the comprehension runs over one collection and nobody notices when its value is not computed.
bool can_be_counted(const Ast& ast, const Node& comprehension);

}  // namespace ptc
