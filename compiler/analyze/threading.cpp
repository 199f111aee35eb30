// The threading macros: steps are rewritten into ordinary forms and then analysed as if they had been written
// so.
#include "compiler/analyze/analysis.h"

namespace ptc {

// A step with `value` put in: (f a) is (f value a) or (f a value), anything else is (step value).
const Form* Analyzer::thread_step(const Form& step, const Form* value, Threading where) {
  Form* form = arena_.make(FormKind::List, step.span);
  if (step.kind != FormKind::List || step.items.empty()) {
    form->items = {&step, value};
    return form;
  }
  form->items.reserve(step.items.size() + 1);
  form->items = step.items;
  form->items.insert(where == Threading::First ? form->items.begin() + 1 : form->items.end(), value);
  return form;
}

Node* Analyzer::thread_all(const Form& form, Threading where, bool tail) {
  if (form.items.size() < 2) {
    return fail(form.span, FaultKind::InvalidThreadForm,
                {form.items[0]->text, " requires at least one expression"});
  }
  const Form* value = form.items[1];
  for (std::size_t i = 2; i < form.items.size(); ++i) {
    const Form& step = *form.items[i];
    if (step.kind == FormKind::List && step.items.empty()) {
      return fail(step, FaultKind::InvalidForm, "Empty list is not a valid expression");
    }
    value = thread_step(step, value, where);
  }
  return analyze(*value, tail);
}

Node* Analyzer::form_thread_first(const Form& form, bool tail) {
  return thread_all(form, Threading::First, tail);
}
Node* Analyzer::form_thread_last(const Form& form, bool tail) {
  return thread_all(form, Threading::Last, tail);
}

Node* Analyzer::form_as_thread(const Form& form, bool tail) {
  if (form.items.size() < 3 || form.items[2]->kind != FormKind::Symbol) {
    return fail(form, FaultKind::InvalidThreadForm, "expected (as-> expr name form ...)");
  }
  const Form& name = *form.items[2];
  const std::size_t mark = scope_.mark();
  const Bindings bindings = start_let(form.span);
  Node* value = analyze(*form.items[1], false);
  for (std::size_t i = 3; i < form.items.size() && value != nullptr; ++i) {
    if (!bind_name(name, value, bindings)) return nullptr;
    value = analyze(*form.items[i], tail && i + 1 == form.items.size());
  }
  scope_.restore(mark);
  return value == nullptr || !check_pattern_name(name) ? nullptr : finish_let(bindings, value);
}

Node* Analyzer::thread_if(const Form& form, Threading where, bool) {
  const Items items = Items(form.items).subspan(1);
  if (items.empty() || items.size() % 2 == 0) {
    return fail(form.span, FaultKind::InvalidThreadForm,
                {form.items[0]->text, " requires even number of test/form pairs after expression"});
  }
  const Bindings bindings = start_let(form.span);
  Node* value = analyze(*items[0], false);
  for (std::size_t i = 1; i < items.size() && value != nullptr; i += 2) {
    const LocalId local = new_temporary(items[i]->span);
    bindings.add(local, value);
    Node* test = analyze_test(*items[i]);
    if (test == nullptr) return nullptr;
    const Form* step = thread_step(*items[i + 1], alias(items[i + 1]->span, local), where);
    value = make_if(items[i]->span, test, analyze_branch(*step, false), make_local(items[i]->span, local));
  }
  return finish_let(bindings, value);
}

Node* Analyzer::form_cond_thread_first(const Form& form, bool tail) {
  return thread_if(form, Threading::First, tail);
}
Node* Analyzer::form_cond_thread_last(const Form& form, bool tail) {
  return thread_if(form, Threading::Last, tail);
}

Node* Analyzer::thread_some(const Form& form, Threading where, bool tail) {
  const Items items = Items(form.items).subspan(1);
  if (items.empty()) {
    return fail(form.span, FaultKind::InvalidThreadForm,
                {form.items[0]->text, " requires at least one expression"});
  }
  if (!enter_chain(form, items.size())) return nullptr;
  const std::size_t mark = scope_.defined_mark();
  std::vector<Node*> values = {analyze(*items[0], false)};
  std::vector<LocalId> locals;
  for (std::size_t i = 1; i < items.size() && values.back() != nullptr; ++i) {
    locals.push_back(new_temporary(items[i - 1]->span));
    const Form* step = thread_step(*items[i], alias(items[i]->span, locals.back()), where);
    values.push_back(analyze(*step, tail && i + 1 == items.size()));
  }
  scope_.forget_defined(mark);
  depth_ -= static_cast<std::uint32_t>(items.size());
  Node* node = values.back();
  for (std::size_t i = locals.size(); i-- > 0 && node != nullptr;) {
    const SourceSpan span = items[i]->span;
    const Bindings bindings = start_let(span);
    bindings.add(locals[i], values[i]);
    Node* test = make_invoke(span, BuiltinId::nil_p, {make_local(span, locals[i])});
    node = finish_let(bindings, make_if(span, test, make_nil(span), node));
  }
  return node;
}

Node* Analyzer::form_some_thread_first(const Form& form, bool tail) {
  return thread_some(form, Threading::First, tail);
}
Node* Analyzer::form_some_thread_last(const Form& form, bool tail) {
  return thread_some(form, Threading::Last, tail);
}

}  // namespace ptc
