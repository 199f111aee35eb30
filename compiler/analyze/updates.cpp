// (update m k f …) and (update-in m [k …] f …) where f is a literal function, a builtin, or (fnil builtin constant):
// the value is taken out of the collection, f is called in place, and its result put back.
#include <algorithm>

#include "compiler/analyze/analysis.h"

namespace ptc {
namespace {

// Reading it early or late makes no difference.
bool is_inert(const Node* node) { return node->kind == NodeKind::Const || node->kind == NodeKind::Local; }

}  // namespace

bool Analyzer::is_literal_path(const Node& path) const {
  if (path.kind == NodeKind::MakeVector) return !path.kids.empty();
  if (path.kind != NodeKind::Const) return false;
  const Constant& constant = ast_.constants[path.constant];
  return constant.kind == Constant::Kind::Vector && !constant.items.empty();
}

// The call of the function with the old value and the further arguments; null: not one that is inlined.
Node* Analyzer::update_body(SourceSpan span, Node* function, const std::vector<Node*>& more, LocalId& old_value) {
  if (function->kind == NodeKind::Fn) {
    const bool fits = !function->variadic && function->local == kNoLocal && function->locals.size() == 1 + more.size();
    if (!fits) return nullptr;
    if (more.empty()) return inlined_body(function, span, {&old_value, 1});
    old_value = new_temporary(span);
    Node* call = make_call(span, function);
    call->kids.push_back(make_local(span, old_value));
    call->kids.insert(call->kids.end(), more.begin(), more.end());
    return inline_literal_call(call);
  }
  Node* fallback = nullptr;
  if (function->kind == NodeKind::Invoke && function->builtin == BuiltinId::fnil && function->kids.size() == 2 &&
      function->kids[1]->kind == NodeKind::Const) {
    fallback = function->kids[1];
    function = function->kids[0];
  }
  if (!is_plain_builtin(*function, 1 + more.size())) return nullptr;
  old_value = new_temporary(span);
  Node* value = make_local(span, old_value);
  if (fallback != nullptr) {
    Node* choice = ast_.make(NodeKind::If, span);
    choice->kids = {make_invoke(span, BuiltinId::nil_p, {value}), fallback, make_local(span, old_value)};
    value = choice;
  }
  Node* call = make_invoke(span, function->builtin, {value});
  call->kids.insert(call->kids.end(), more.begin(), more.end());
  return call;
}

Node* Analyzer::inline_update(Node* call) {
  const bool is_update = call->builtin == BuiltinId::update || call->builtin == BuiltinId::update_in;
  if (!options_.optimize || !is_update) return nullptr;
  if (call->builtin == BuiltinId::update_in && !is_literal_path(*call->kids[1])) return nullptr;
  const std::vector<Node*> more(call->kids.begin() + 3, call->kids.end());
  const Node& function = *call->kids[2];
  const SourceSpan literal = function.kind == NodeKind::Fn ? function.span : SourceSpan{};
  if (!std::all_of(more.begin(), more.end(), is_inert)) return nullptr;
  Node* update = ast_.make(NodeKind::Update, call->span);
  LocalId old_value = kNoLocal;
  Node* body = update_body(call->span, call->kids[2], more, old_value);
  if (body == nullptr) return nullptr;
  note_inlined(builtin_info(call->builtin).name, call->span, literal);
  update->builtin = call->builtin;
  update->kids = {call->kids[0], call->kids[1], body};
  update->locals = {old_value};
  return update;
}

}  // namespace ptc
