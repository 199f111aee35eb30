// let, loop and the conditionals that bind.
#include "compiler/analyze/analysis.h"

namespace ptc {

bool Analyzer::check_bindings(const Form& form, std::string_view word) {
  if (form.items.size() < 2) {
    fail(form.span, FaultKind::InvalidArity, {"expected (", word, " [bindings] body)"});
    return false;
  }
  const Form& bindings = *form.items[1];
  if (bindings.kind != FormKind::Vector) {
    fail(bindings.span, FaultKind::InvalidForm, {word, " bindings must be a vector"},
         "Write (" + std::string(word) + " [name value] …)");
    return false;
  }
  if (bindings.items.size() % 2 == 0) return true;
  fail(bindings.span, FaultKind::InvalidForm, {word, " bindings require even number of forms"},
       "Every name needs a value");
  return false;
}

bool Analyzer::bind_pairs(Items pairs, Bindings bindings) {
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    Node* value = analyze(*pairs[i + 1], false);
    if (value == nullptr || !destructure(*pairs[i], value, bindings)) return false;
  }
  return true;
}

Node* Analyzer::form_let(const Form& form, bool tail) {
  if (!check_bindings(form, "let")) return nullptr;
  const std::size_t mark = scope_.mark();
  const Bindings bindings = start_let(form.span);
  Node* body = nullptr;
  if (bind_pairs(form.items[1]->items, bindings))
    body = analyze_body(form.span, Items(form.items).subspan(2), tail);
  scope_.restore(mark);
  return finish_let(bindings, body);
}

Node* Analyzer::form_loop(const Form& form, bool) {
  if (!check_bindings(form, "loop")) return nullptr;
  const Items pairs(form.items[1]->items);
  const std::size_t mark = scope_.mark();
  bool plain = true;
  for (std::size_t i = 0; i < pairs.size(); i += 2) plain = plain && pairs[i]->kind == FormKind::Symbol;
  Node* node = plain ? analyze_plain_loop(form, true) : analyze_pattern_loop(form, true);
  scope_.restore(mark);
  return node;
}

Node* Analyzer::analyze_loop_body(const Form& form, Node* loop) {
  Node* const outer_target = recur_target_;
  recur_target_ = loop;
  Node* body = analyze_body(form.span, Items(form.items).subspan(2), true);
  recur_target_ = outer_target;
  return body;
}

Node* Analyzer::analyze_plain_loop(const Form& form, bool) {
  Node* loop = ast_.make(NodeKind::Loop, form.span);
  if (!bind_pairs(form.items[1]->items, {loop})) return nullptr;
  Node* body = analyze_loop_body(form, loop);
  if (body == nullptr) return nullptr;
  loop->kids.push_back(body);
  return loop;
}

// The first values are evaluated and matched in a let around the loop, because later ones may use the names
// of earlier patterns; the loop then carries whole values in temporaries and matches them again at each turn.
Node* Analyzer::analyze_pattern_loop(const Form& form, bool) {
  const std::size_t mark = scope_.mark();
  const Bindings outer = start_let(form.span);
  Node* loop = ast_.make(NodeKind::Loop, form.span);
  if (!bind_first_values(form.items[1]->items, *loop, outer)) return nullptr;
  scope_.restore(mark);
  const Bindings inner = start_let(form.span);
  if (!bind_loop_locals(form.items[1]->items, *loop, inner)) return nullptr;
  Node* body = finish_let(inner, analyze_loop_body(form, loop));
  if (body == nullptr) return nullptr;
  loop->kids.push_back(body);
  return finish_let(outer, loop);
}

bool Analyzer::bind_first_values(Items pairs, Node& loop, Bindings outer) {
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    Node* value = analyze(*pairs[i + 1], false);
    if (value == nullptr || !bind_first_value(*pairs[i], value, i + 2 == pairs.size(), loop, outer))
      return false;
  }
  return true;
}

bool Analyzer::bind_first_value(const Form& pattern, Node* value, bool last, Node& loop, Bindings outer) {
  const LocalId first = new_temporary(pattern.span);
  outer.add(first, value);
  const bool plain = pattern.kind == FormKind::Symbol;
  loop.locals.push_back(ast_.new_local(plain ? pattern.text : std::string(), pattern.span));
  loop.kids.push_back(make_local(pattern.span, first));
  return last || destructure(pattern, make_local(pattern.span, first), outer);
}

bool Analyzer::bind_loop_locals(Items pairs, const Node& loop, Bindings inner) {
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const LocalId local = loop.locals[i / 2];
    const Form& pattern = *pairs[i];
    if (pattern.kind != FormKind::Symbol) {
      if (!destructure(pattern, make_local(pattern.span, local), inner)) return false;
    } else {
      if (!check_pattern_name(pattern)) return false;
      scope_.bind(pattern.text, local);
    }
  }
  return true;
}

// `usage` is how the form looks, "(if-let [name expr] then else)".
bool Analyzer::check_binding_pair(const Form& form, std::string_view usage) {
  if (form.items.size() < 2 || form.items[1]->kind != FormKind::Vector) {
    fail_arity(form, usage);
    return false;
  }
  if (form.items[1]->items.size() == 2) return true;
  fail(form.items[1]->span, FaultKind::InvalidForm,
       {form.items[0]->text, " requires exactly one binding pair [name expr]"});
  return false;
}

Node* Analyzer::bind_conditionally(const Form& form, Presence presence, Items then, const Form* otherwise,
                                   bool tail) {
  const Form& pattern = *form.items[1]->items[0];
  Node* value = analyze(*form.items[1]->items[1], false);
  if (value == nullptr) return nullptr;
  const std::size_t mark = scope_.mark();
  const Bindings outer = start_let(form.span);
  const Bindings inner = start_let(pattern.span);
  LocalId local = kNoLocal;
  bool bound = true;
  if (pattern.kind == FormKind::Symbol) {
    bound = bind_name(pattern, value, outer);
    local = bound ? outer.let->locals.back() : kNoLocal;
  } else {
    local = new_temporary(pattern.span);
    outer.add(local, value);
    bound = destructure(pattern, make_local(pattern.span, local), inner);
  }
  Node* then_node = bound ? finish_let(inner, analyze_branch_body(form.span, then, tail)) : nullptr;
  scope_.restore(mark);
  if (then_node == nullptr) return nullptr;
  Node* else_node = otherwise == nullptr ? make_nil(form.span) : analyze_branch(*otherwise, tail);
  Node* test = make_local(pattern.span, local);
  if (presence == Presence::NotNil) {
    test = make_invoke(pattern.span, BuiltinId::nil_p, {test});
    std::swap(then_node, else_node);
  }
  return finish_let(outer, make_if(form.span, test, then_node, else_node));
}

Node* Analyzer::form_if_let(const Form& form, bool tail) {
  static constexpr std::string_view kUsage = "(if-let [name expr] then else?)";
  if (!check_binding_pair(form, kUsage)) return nullptr;
  if (form.items.size() != 3 && form.items.size() != 4) return fail_arity(form, kUsage);
  return bind_conditionally(form, Presence::Truthy, Items(form.items).subspan(2, 1),
                            form.items.size() == 4 ? form.items[3] : nullptr, tail);
}

Node* Analyzer::form_if_some(const Form& form, bool tail) {
  static constexpr std::string_view kUsage = "(if-some [name expr] then else?)";
  if (!check_binding_pair(form, kUsage)) return nullptr;
  if (form.items.size() != 3 && form.items.size() != 4) return fail_arity(form, kUsage);
  return bind_conditionally(form, Presence::NotNil, Items(form.items).subspan(2, 1),
                            form.items.size() == 4 ? form.items[3] : nullptr, tail);
}

Node* Analyzer::form_when_let(const Form& form, bool tail) {
  if (!check_binding_pair(form, "(when-let [name expr] body ...)")) return nullptr;
  return bind_conditionally(form, Presence::Truthy, Items(form.items).subspan(2), nullptr, tail);
}

Node* Analyzer::form_when_some(const Form& form, bool tail) {
  if (!check_binding_pair(form, "(when-some [name expr] body ...)")) return nullptr;
  return bind_conditionally(form, Presence::NotNil, Items(form.items).subspan(2), nullptr, tail);
}

Node* Analyzer::form_when_first(const Form& form, bool tail) {
  if (!check_binding_pair(form, "(when-first [name coll] body ...)")) return nullptr;
  const Form& pattern = *form.items[1]->items[0];
  Node* value = analyze(*form.items[1]->items[1], false);
  if (value == nullptr) return nullptr;
  const std::size_t mark = scope_.mark();
  const Bindings outer = start_let(form.span);
  const Bindings inner = start_let(pattern.span);
  const LocalId sequence = new_temporary(form.span);
  outer.add(sequence, make_invoke(form.span, BuiltinId::seq, {value}));
  Node* first = make_invoke(form.span, BuiltinId::first, {make_local(form.span, sequence)});
  Node* then = nullptr;
  if (destructure(pattern, first, inner)) {
    then = finish_let(inner, analyze_branch_body(form.span, Items(form.items).subspan(2), tail));
  }
  scope_.restore(mark);
  return finish_let(outer, make_if(form.span, make_local(form.span, sequence), then, make_nil(form.span)));
}

}  // namespace ptc
