// Constant folding: only what is exact and cannot fail.
#include "compiler/analysis.h"

namespace ptc {

Node* Analyzer::fold_invoke(Node* node) { return node; }

Node* Analyzer::fold_if(Node* node) {
  if (!options_.optimize || node->kids[0]->kind != NodeKind::Const) return node;
  const Constant::Kind kind = ast_.constants[node->kids[0]->constant].kind;
  return node->kids[kind == Constant::Kind::Nil || kind == Constant::Kind::False ? 2 : 1];
}

}  // namespace ptc
