// Literal functions that are called where they stand: ((fn [x] …) 1) becomes a let, (map (fn [x] …) coll) and
// its like a comprehension. The function's own node is turned into the loop when some recur has it as its
// target, so that the targets stay right.
#include "compiler/analysis.h"

namespace ptc {
namespace {

struct InlinedCall {
  BuiltinId id;
  std::string_view name;
};

constexpr InlinedCall kInlinedCalls[] = {
    {BuiltinId::map, "map"},         {BuiltinId::mapv, "mapv"}, {BuiltinId::filter, "filter"},
    {BuiltinId::filterv, "filterv"}, {BuiltinId::remove, "remove"}, {BuiltinId::keep, "keep"},
    {BuiltinId::run_x, "run!"},
};

bool takes_exactly(const Node& function, std::size_t count) {
  return function.kind == NodeKind::Fn && !function.variadic && function.local == kNoLocal &&
         function.locals.size() == count;
}

}  // namespace

bool Analyzer::is_literal_function(const Form& form) const {
  if (form.kind == FormKind::Lambda) return true;
  if (form.kind != FormKind::List || form.items.size() < 2 || form.items[0]->kind != FormKind::Symbol)
    return false;
  const HeadForm* head = find_unshadowed_form(form.items[0]->text);
  return head != nullptr && head->name == "fn" && form.items[1]->kind == FormKind::Vector;
}

// The body of a one-parameter function, with the parameter bound to the local `element`.
Node* Analyzer::inline_body(Node* function, LocalId& element) {
  element = function->locals[0];
  if (!function->has_recur) return function->kids[0];
  element = new_temporary(function->span);
  function->kind = NodeKind::Loop;
  function->kids.insert(function->kids.begin(), make_local(function->span, element));
  function->printed.clear();
  return function;
}

Node* Analyzer::inline_literal_call(Node* call) {
  Node* function = call->kids[0];
  if (!options_.optimize || !takes_exactly(*function, call->kids.size() - 1)) return call;
  if (function->locals.empty() && !function->has_recur) return function->kids[0];
  Node* body = function->kids[0];
  function->kind = function->has_recur ? NodeKind::Loop : NodeKind::Let;
  function->kids.assign(call->kids.begin() + 1, call->kids.end());
  function->kids.push_back(body);
  function->printed.clear();
  function->span = call->span;
  return function;
}

// (reduce (fn [a x] …) start coll) as a fold.
Node* Analyzer::inline_reduce(const Form& form) {
  Node* function = analyze(*form.items[1], false);
  Node* start = function == nullptr ? nullptr : analyze(*form.items[2], false);
  Node* collection = start == nullptr ? nullptr : analyze(*form.items[3], false);
  if (collection == nullptr) return nullptr;
  if (!takes_exactly(*function, 2)) {
    return make_invoke(form.span, BuiltinId::reduce, {function, start, collection});
  }
  Node* node = ast_.make(NodeKind::For, form.span);
  ForClause bind;
  bind.kind = ForClause::Kind::Bind;
  bind.expression = collection;
  bind.function = "reduce";
  bind.argument = 3;
  node->local = function->locals[0];
  bind.local = function->locals[1];
  Node* body = function->kids[0];
  if (function->has_recur) {
    node->local = new_temporary(function->span);
    bind.local = new_temporary(function->span);
    body = function;
    body->kind = NodeKind::Loop;
    body->kids.insert(body->kids.begin(), {make_local(function->span, node->local),
                                           make_local(function->span, bind.local)});
    body->printed.clear();
  }
  node->clauses.push_back(std::move(bind));
  node->kids = {body, start};
  return node;
}

// The whole call as a comprehension; null when it is not one of these (or analysis failed).
Node* Analyzer::inline_sequence_call(const Form& form, BuiltinId builtin) {
  if (!options_.optimize || form.items.size() < 3 || !is_literal_function(*form.items[1])) return nullptr;
  if (builtin == BuiltinId::reduce && form.items.size() == 4) return inline_reduce(form);
  if (form.items.size() != 3) return nullptr;
  const InlinedCall* known = nullptr;
  for (const InlinedCall& call : kInlinedCalls) known = call.id == builtin ? &call : known;
  if (known == nullptr) return nullptr;
  Node* function = analyze(*form.items[1], false);
  Node* collection = function == nullptr ? nullptr : analyze(*form.items[2], false);
  if (collection == nullptr) return nullptr;
  if (!takes_exactly(*function, 1)) return make_invoke(form.span, builtin, {function, collection});
  return make_comprehension(form, builtin, known->name, function, collection);
}

Node* Analyzer::make_comprehension(const Form& form, BuiltinId builtin, std::string_view name, Node* function,
                                   Node* collection) {
  Node* node = ast_.make(NodeKind::For, form.span);
  node->collect = builtin != BuiltinId::run_x;
  LocalId element = kNoLocal;
  Node* body = inline_body(function, element);
  ForClause bind;
  bind.kind = ForClause::Kind::Bind;
  bind.local = element;
  bind.expression = collection;
  bind.function = name;
  bind.argument = 2;
  node->clauses.push_back(std::move(bind));
  ForClause test;
  test.kind = ForClause::Kind::When;
  switch (builtin) {
    case BuiltinId::filter: case BuiltinId::filterv: test.expression = body; break;
    case BuiltinId::remove: test.expression = make_invoke(form.span, BuiltinId::not_, {body}); break;
    case BuiltinId::keep: {
      ForClause let;
      let.kind = ForClause::Kind::Let;
      let.local = new_temporary(form.span);
      let.expression = body;
      element = let.local;
      node->clauses.push_back(std::move(let));
      test.expression = make_invoke(form.span, BuiltinId::some_p, {make_local(form.span, element)});
      break;
    }
    default: node->kids.push_back(body); return node;
  }
  node->clauses.push_back(std::move(test));
  node->kids.push_back(make_local(form.span, element));
  return node;
}

}  // namespace ptc
