// Functions that are called in place: ((fn [x] …) 1) becomes a let, (map (fn [x] …) coll), (filter even? coll),
// (map :name coll) and their like a comprehension, group-by one for its keys, reduce a fold. The function's own node is
// turned into the loop when some recur has it as its target, so that the targets stay right.
#include <algorithm>
#include <array>

#include "compiler/analyze/analysis.h"
#include "compiler/analyze/fusion.h"

namespace ptc {
namespace {

struct InlinedCall {
  BuiltinId id;
  std::string_view name;
};

constexpr InlinedCall kInlinedCalls[] = {
    {BuiltinId::map, "map"},         {BuiltinId::mapv, "mapv"}, {BuiltinId::filter, "filter"},
    {BuiltinId::filterv, "filterv"}, {BuiltinId::remove, "remove"}, {BuiltinId::keep, "keep"},
    {BuiltinId::run_x, "run!"},      {BuiltinId::group_by, "group-by"},
};

// Returns the place of a function literal, or an empty one.
SourceSpan literal_span(const Node& function) { return function.kind == NodeKind::Fn ? function.span : SourceSpan{}; }

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

// Programs with more of such calls have stacks without some of the calls (Program::kMostInlinedCalls).
void Analyzer::note_inlined(std::string_view builtin, SourceSpan call, SourceSpan function) {
  constexpr std::size_t kMost = 10'000;
  if (options_.prelude || ast_.inlined.size() == kMost) return;
  // What `update` calls was noted as a call of its own.
  const bool is_noted = !ast_.inlined.empty() && ast_.inlined.back().call.begin == call.begin &&
                        ast_.inlined.back().call.end == call.end && ast_.inlined.back().builtin.empty();
  if (is_noted) ast_.inlined.pop_back();
  ast_.inlined.push_back({builtin, call, function});
}

Node* Analyzer::inline_literal_call(Node* call) {
  Node* function = call->kids[0];
  if (!options_.optimize || !takes_exactly(*function, call->kids.size() - 1)) return call;
  note_inlined("", call->span, function->span);
  if (function->locals.empty() && !function->has_recur) return function->kids[0];
  function->span = call->span;
  return applied(function, {call->kids.begin() + 1, call->kids.end()});
}

// The function's own node as what a call of it with these values does.
Node* Analyzer::applied(Node* function, std::vector<Node*> values) {
  values.push_back(function->kids[0]);
  function->kind = function->has_recur ? NodeKind::Loop : NodeKind::Let;
  function->kids = std::move(values);
  function->printed.clear();
  return function;
}

bool Analyzer::is_plain_builtin(const Node& function, std::size_t count) {
  return function.kind == NodeKind::Builtin && accepts(function.builtin, count) &&
         is_plain_call(builtin_info(function.builtin));
}

// Returns what a call of the function gives: the body of a literal function, or the call of a builtin or a keyword;
// null when the function must be called as a value. The caller binds the locals.
Node* Analyzer::inlined_body(Node* function, SourceSpan span, std::span<LocalId> locals) {
  if (function->kind == NodeKind::Fn) {
    if (!takes_exactly(*function, locals.size())) return nullptr;
    std::copy(function->locals.begin(), function->locals.end(), locals.begin());
    if (!function->has_recur) return function->kids[0];
    std::vector<Node*> values;
    for (LocalId& local : locals) {
      local = new_temporary(function->span);
      values.push_back(make_local(function->span, local));
    }
    return applied(function, values);
  }
  const bool is_keyword = function->kind == NodeKind::Const && locals.size() == 1 &&
                          ast_.constants[function->constant].kind == Constant::Kind::Keyword;
  const bool is_builtin = is_plain_builtin(*function, locals.size());
  if (!is_keyword && !is_builtin) return nullptr;
  if (is_builtin && function->builtin == BuiltinId::identity) {
    locals[0] = new_temporary(span);
    return make_local(span, locals[0]);
  }
  Node* call = is_keyword ? make_call(span, function) : make_invoke(span, function->builtin, {});
  for (LocalId& local : locals) {
    local = new_temporary(span);
    call->kids.push_back(make_local(span, local));
  }
  return call;
}

// (reduce f start coll) or (reduce f coll) as a fold; null when it cannot be one, or analysis failed.
Node* Analyzer::inline_reduce(const Form& form, Node* function) {
  const bool has_start = form.items.size() == 4;
  Node* start = has_start ? analyze(*form.items[2], false) : make_nil(form.span);
  Node* collection = start == nullptr ? nullptr : analyze(*form.items.back(), false);
  if (collection == nullptr) return nullptr;
  std::array<LocalId, 2> locals{};
  const SourceSpan literal = literal_span(*function);
  Node* body = inlined_body(function, form.span, locals);
  if (body == nullptr) {
    return has_start ? make_invoke(form.span, BuiltinId::reduce, {function, start, collection})
                     : make_invoke(form.span, BuiltinId::reduce, {function, collection});
  }
  note_inlined("reduce", form.span, literal);
  const bool is_builtin = function->kind == NodeKind::Builtin;
  // Of nothing, (reduce f coll) is (f), where that means something.
  if (!has_start && is_builtin && accepts(function->builtin, 0)) {
    start = make_invoke(form.span, function->builtin, {});
  }
  // The sum of integers may as well begin with 0.
  const bool is_sum = is_builtin && function->builtin == BuiltinId::add;
  const bool sums = !has_start && is_sum && gives_integers(ast_, *collection);
  if (sums) start = make_integer(form.span, 0);
  Node* node = ast_.make(NodeKind::For, form.span);
  ForClause bind;
  bind.kind = ForClause::Kind::Bind;
  bind.expression = collection;
  bind.function = "reduce";
  bind.argument = has_start ? 3 : 2;
  bind.span = form.span;
  node->local = locals[0];
  bind.local = locals[1];
  node->clauses.push_back(std::move(bind));
  node->kids = {body, start};
  node->starts_with_first = !has_start && !sums;
  fuse_with_source(ast_, *node);
  return node;
}

// The whole call as a comprehension; null when it is not one of these (or analysis failed).
Node* Analyzer::inline_sequence_call(const Form& form, BuiltinId builtin) {
  const bool is_reduce = builtin == BuiltinId::reduce && (form.items.size() == 3 || form.items.size() == 4);
  const InlinedCall* known = nullptr;
  for (const InlinedCall& call : kInlinedCalls) known = call.id == builtin ? &call : known;
  if (!options_.optimize || (!is_reduce && (known == nullptr || form.items.size() != 3))) return nullptr;
  if (!may_be_inlined(*form.items[1])) return nullptr;
  Node* function = analyze(*form.items[1], false);
  if (function == nullptr) return nullptr;
  if (is_reduce) return inline_reduce(form, function);
  Node* collection = analyze(*form.items[2], false);
  if (collection == nullptr) return nullptr;
  std::array<LocalId, 1> element{};
  const SourceSpan literal = literal_span(*function);
  Node* body = inlined_body(function, form.span, element);
  if (body == nullptr) return make_invoke(form.span, builtin, {function, collection});
  note_inlined(known->name, form.span, literal);
  if (builtin == BuiltinId::group_by) return make_grouping(form, body, element[0], collection);
  return make_comprehension(form, builtin, known->name, body, element[0], collection);
}

// (count (filter p coll)) as a fold: the elements are counted, not collected. Null when the call is nothing like that.
Node* Analyzer::inline_count(Node* call) {
  if (!options_.optimize || call->builtin != BuiltinId::count) return nullptr;
  Node* node = call->kids[0];
  if (node->kind != NodeKind::For || !node->collect || !can_be_counted(ast_, *node)) return nullptr;
  node->collect = false;
  node->local = new_temporary(call->span);
  node->kids = {make_invoke(call->span, BuiltinId::inc, {make_local(call->span, node->local)}),
                make_integer(call->span, 0)};
  return node;
}

bool Analyzer::is_builtin_name(std::string_view name) const {
  const std::optional<BuiltinId> builtin = find_builtin(name);
  return builtin && is_visible_builtin(*builtin) && scope_.find_local(name) == kNoLocal && !is_global(name) &&
         (options_.prelude || !scope_.may_be_defined(name));
}

// A literal function, a keyword, or the name of a builtin.
bool Analyzer::may_be_inlined(const Form& form) const {
  if (form.kind == FormKind::Keyword) return true;
  if (form.kind == FormKind::Symbol) return is_builtin_name(form.text);
  return is_literal_function(form);
}

// What the prelude's group-by does: the keys of all items first, then a native half.
Node* Analyzer::make_grouping(const Form& form, Node* body, LocalId element, Node* collection) {
  Bindings items = start_let(form.span);
  const LocalId local = new_temporary(form.span);
  items.add(local, make_invoke(form.span, BuiltinId::h_seq,
                               {make_string(form.span, "group-by"), make_integer(form.span, 2), collection}));
  Node* keys = make_comprehension(form, BuiltinId::map, "group-by", body, element, make_local(form.span, local));
  return finish_let(items, make_invoke(form.span, BuiltinId::h_group, {keys, make_local(form.span, local)}));
}

Node* Analyzer::make_comprehension(const Form& form, BuiltinId builtin, std::string_view name, Node* body,
                                   LocalId element, Node* collection) {
  Node* node = ast_.make(NodeKind::For, form.span);
  node->collect = builtin != BuiltinId::run_x;
  ForClause bind;
  bind.kind = ForClause::Kind::Bind;
  bind.local = element;
  bind.expression = collection;
  bind.function = name;
  bind.argument = 2;
  bind.span = form.span;
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
    default:
      node->kids.push_back(body);
      fuse_with_source(ast_, *node);
      return node;
  }
  node->clauses.push_back(std::move(test));
  node->kids.push_back(make_local(form.span, element));
  fuse_with_source(ast_, *node);
  return node;
}

}  // namespace ptc
