#include "compiler/analyze/unary_body.h"

namespace ptc {
namespace {

class UnaryCopy {
 public:
  UnaryCopy(Ast& ast, LocalId rest, LocalId argument) : ast_(ast), rest_(rest), argument_(argument) {}

  // Returns null when the node cannot be copied, or wants the vector.
  Node* copy(const Node& node) {
    switch (node.kind) {
      case NodeKind::Local:
        if (node.local == rest_) return nullptr;
        return plain_copy(node);
      case NodeKind::Const:
      case NodeKind::Global:
      case NodeKind::Builtin:
      case NodeKind::If:
      case NodeKind::Do:
      case NodeKind::Call: return plain_copy(node);
      case NodeKind::Invoke: return hands_on(node) ? handed_on(node) : plain_copy(node);
      default: return nullptr;
    }
  }

 private:
  bool hands_on(const Node& node) const {
    return node.builtin == BuiltinId::apply && node.kids.size() == 2 && node.kids[1]->kind == NodeKind::Local &&
           node.kids[1]->local == rest_;
  }
  Node* handed_on(const Node& node) {
    Node* callee = copy(*node.kids[0]);
    if (callee == nullptr) return nullptr;
    Node* call = ast_.make(NodeKind::Call, node.span);
    Node* argument = ast_.make(NodeKind::Local, node.span);
    argument->local = argument_;
    call->kids = {callee, argument};
    return call;
  }
  Node* plain_copy(const Node& node) {
    Node* made = ast_.make(node.kind, node.span);
    *made = node;
    for (Node*& kid : made->kids) {
      kid = copy(*kid);
      if (kid == nullptr) return nullptr;
    }
    return made;
  }

  Ast& ast_;
  const LocalId rest_, argument_;
};

}  // namespace

void add_unary_body(Ast& ast, Node& function) {
  if (!function.variadic || function.locals.size() != 1 || function.has_recur) return;
  const LocalId argument = ast.new_local(std::string(), function.span);
  Node* body = UnaryCopy(ast, function.locals[0], argument).copy(*function.kids[0]);
  if (body == nullptr) return;
  function.unary = argument;
  function.kids.push_back(body);
}

}  // namespace ptc
