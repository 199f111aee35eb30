// Small nodes that expansions are made of.
#include "compiler/analyze/analysis.h"

namespace ptc {

Node* Analyzer::make_constant(SourceSpan span, std::uint32_t constant) {
  Node* node = ast_.make(NodeKind::Const, span);
  node->constant = constant;
  return node;
}

Node* Analyzer::make_nil(SourceSpan span) { return make_constant(span, constants_.nil()); }
Node* Analyzer::make_boolean(SourceSpan span, bool value) {
  return make_constant(span, constants_.boolean(value));
}
Node* Analyzer::make_integer(SourceSpan span, std::int64_t value) {
  return make_constant(span, constants_.integer(value));
}
Node* Analyzer::make_string(SourceSpan span, std::string_view text) {
  return make_constant(span, constants_.string(text));
}

Node* Analyzer::make_local(SourceSpan span, LocalId local) {
  Node* node = ast_.make(NodeKind::Local, span);
  node->local = local;
  return node;
}

Node* Analyzer::make_if(SourceSpan span, Node* test, Node* then, Node* otherwise) {
  if (test == nullptr || then == nullptr || otherwise == nullptr) return nullptr;
  Node* node = ast_.make(NodeKind::If, span);
  node->kids = {test, then, otherwise};
  return fold_if(node);
}

Node* Analyzer::make_invoke(SourceSpan span, BuiltinId builtin, std::initializer_list<Node*> arguments) {
  Node* node = ast_.make(NodeKind::Invoke, span);
  node->builtin = builtin;
  node->kids = arguments;
  return node;
}

Node* Analyzer::make_call(SourceSpan span, Node* callee) {
  Node* node = ast_.make(NodeKind::Call, span);
  node->kids.push_back(callee);
  return node;
}

Analyzer::Bindings Analyzer::start_let(SourceSpan span) { return {ast_.make(NodeKind::Let, span)}; }

Node* Analyzer::finish_let(Bindings bindings, Node* body) {
  if (body == nullptr) return nullptr;
  if (bindings.let->locals.empty()) return body;
  bindings.let->kids.push_back(body);
  return bindings.let;
}

const Form* Analyzer::alias(SourceSpan span, LocalId local) {
  Form* form = arena_.make(FormKind::LocalAlias, span);
  form->local = local;
  return form;
}

}  // namespace ptc
