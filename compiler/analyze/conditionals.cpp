// when, cond, case, condp, and, or.
#include <algorithm>

#include "compiler/analyze/analysis.h"

namespace ptc {

// Makes room for a chain of `links` nested nodes: the tree below may be that much deeper than the text.
bool Analyzer::enter_chain(const Form& form, std::size_t links) {
  if (depth_ + links <= kMaxAnalysisDepth) {
    depth_ += static_cast<std::uint32_t>(links);
    return true;
  }
  fail(form, FaultKind::InvalidForm, kTooDeep, kTooDeepHint);
  return false;
}

Node* Analyzer::form_if_not(const Form& form, bool tail) {
  if (form.items.size() != 3 && form.items.size() != 4) return fail_arity(form, "(if-not cond then else?)");
  Node* test = analyze_test(*form.items[1]);
  Node* otherwise = test == nullptr ? nullptr : analyze_branch(*form.items[2], tail);
  if (otherwise == nullptr) return nullptr;
  Node* then = form.items.size() == 4 ? analyze_branch(*form.items[3], tail) : make_nil(form.span);
  return make_if(form.span, test, then, otherwise);
}

Node* Analyzer::form_when(const Form& form, bool tail) {
  if (form.items.size() < 2) return fail_arity(form, "(when cond body ...)");
  Node* test = analyze_test(*form.items[1]);
  if (test == nullptr) return nullptr;
  Node* body = analyze_branch_body(form.span, Items(form.items).subspan(2), tail);
  return make_if(form.span, test, body, make_nil(form.span));
}

Node* Analyzer::form_when_not(const Form& form, bool tail) {
  if (form.items.size() < 2) return fail_arity(form, "(when-not cond body ...)");
  Node* test = analyze_test(*form.items[1]);
  if (test == nullptr) return nullptr;
  Node* body = analyze_branch_body(form.span, Items(form.items).subspan(2), tail);
  return make_if(form.span, test, make_nil(form.span), body);
}

Node* Analyzer::form_cond(const Form& form, bool tail) {
  const Items items = Items(form.items).subspan(1);
  if (items.size() % 2 != 0) {
    return fail(form, FaultKind::InvalidCondForm, "cond requires even number of test/result forms",
                "The last clause may be :else result");
  }
  const std::size_t clauses = items.size() / 2;
  if (!enter_chain(form, clauses)) return nullptr;
  const std::size_t mark = scope_.defined_mark();
  std::vector<std::pair<Node*, Node*>> pairs;
  for (std::size_t i = 0; i < clauses; ++i) {
    Node* test = analyze_test(*items[2 * i]);
    Node* result = test == nullptr ? nullptr : analyze_branch(*items[2 * i + 1], tail);
    if (result == nullptr) return nullptr;
    pairs.emplace_back(test, result);
  }
  scope_.forget_defined(mark);
  depth_ -= static_cast<std::uint32_t>(clauses);
  Node* node = make_nil(form.span);
  for (std::size_t i = clauses; i-- > 0;)
    node = make_if(items[2 * i]->span, pairs[i].first, pairs[i].second, node);
  return node;
}

bool Analyzer::case_constants(const Form& form, std::unordered_set<std::uint32_t>& seen,
                              std::vector<std::uint32_t>& out) {
  const bool group = form.kind == FormKind::List;
  if (group && form.items.empty()) {
    fail(form, FaultKind::InvalidForm, "case grouped match must contain at least one value");
    return false;
  }
  const Form* const self = &form;
  for (const Form* value : group ? Items(form.items) : Items(&self, 1)) {
    const auto constant = value->kind == FormKind::Regex ? std::nullopt : constants_.atom(*value);
    if (!constant) {
      fail(value->span, FaultKind::InvalidForm,
           {"case test values must be compile-time constants (keyword, string, number, boolean, nil or "
            "character), got: ",
            source_text(*value)},
           "Use cond to compare with computed values");
      return false;
    }
    if (seen.insert(*constant).second) out.push_back(*constant);
  }
  return true;
}

Node* Analyzer::form_case(const Form& form, bool tail) {
  const Items items = Items(form.items).subspan(1);
  if (items.empty())
    return fail(form, FaultKind::InvalidForm, "case requires at least an expression to test");
  Node* node = ast_.make(NodeKind::Case, form.span);
  Node* subject = analyze(*items[0], false);
  if (subject == nullptr) return nullptr;
  node->kids.push_back(subject);
  std::unordered_set<std::uint32_t> seen;
  std::size_t i = 1;
  for (; i + 1 < items.size(); i += 2) {
    std::vector<std::uint32_t> constants;
    if (!case_constants(*items[i], seen, constants)) return nullptr;
    Node* result = analyze_branch(*items[i + 1], tail);
    if (result == nullptr) return nullptr;
    if (constants.empty()) continue;   // earlier clauses have them all
    node->case_constants.push_back(std::move(constants));
    node->kids.push_back(result);
  }
  Node* otherwise = i < items.size() ? analyze_branch(*items[i], tail) : make_nil(form.span);
  if (otherwise == nullptr) return nullptr;
  node->kids.push_back(otherwise);
  return node;
}

Node* Analyzer::analyze_condp_clause(const Form& form, Node* predicate, LocalId value, const Form& test) {
  Node* operand = analyze(test, false);
  if (operand == nullptr) return nullptr;
  Node* subject = make_local(form.span, value);
  if (predicate->kind == NodeKind::Builtin) {
    const BuiltinInfo& info = builtin_info(predicate->builtin);
    if (info.min_args <= 2 && (info.max_args == kVariadic || info.max_args >= 2)) {
      return make_invoke(test.span, predicate->builtin, {operand, subject});
    }
  }
  Node* callee = ast_.make(predicate->kind, predicate->span);
  *callee = *predicate;
  Node* call = make_call(test.span, callee);
  call->kids.push_back(operand);
  call->kids.push_back(subject);
  return call;
}

Node* Analyzer::form_condp(const Form& form, bool tail) {
  const Items items = Items(form.items).subspan(1);
  if (items.size() < 3) {
    return fail(form, FaultKind::InvalidForm,
                "condp requires a predicate, an expression and at least one clause",
                "(condp = x 1 :one 2 :two :other)");
  }
  const Bindings bindings = start_let(form.span);
  Node* predicate = analyze(*items[0], false);
  Node* subject = predicate == nullptr ? nullptr : analyze(*items[1], false);
  if (subject == nullptr) return nullptr;
  if (predicate->kind != NodeKind::Builtin) {
    predicate = make_local(form.span, bind_temporary(form.span, predicate, bindings));
  }
  const LocalId value = bind_temporary(form.span, subject, bindings);
  struct Clause {
    Node* test;
    Node* result;
    LocalId passed;   // the predicate's result, for a :>> clause
  };
  if (!enter_chain(form, items.size())) return nullptr;
  std::vector<Clause> clauses;
  std::size_t i = 2;
  while (i + 1 < items.size()) {
    Node* test = analyze_condp_clause(form, predicate, value, *items[i]);
    if (test == nullptr) return nullptr;
    const bool passes = items[i + 1]->kind == FormKind::Keyword && items[i + 1]->text == ">>";
    if (passes && i + 2 == items.size()) {
      return fail(*items[i + 1], FaultKind::InvalidForm, "condp :>> must be followed by a function");
    }
    Node* result = analyze_branch(*items[i + (passes ? 2 : 1)], tail && !passes);
    if (result == nullptr) return nullptr;
    LocalId passed = kNoLocal;
    if (passes) {
      passed = new_temporary(form.span);
      result = make_call(items[i]->span, result);
      result->kids.push_back(make_local(form.span, passed));
    }
    clauses.push_back({test, result, passed});
    i += passes ? 3 : 2;
  }
  Node* node = i < items.size() ? analyze_branch(*items[i], tail) : make_nil(form.span);
  depth_ -= static_cast<std::uint32_t>(items.size());
  for (auto clause = clauses.rbegin(); clause != clauses.rend() && node != nullptr; ++clause) {
    if (clause->passed == kNoLocal) {
      node = make_if(clause->test->span, clause->test, clause->result, node);
    } else {
      const Bindings test = start_let(clause->test->span);
      test.add(clause->passed, clause->test);
      node =
          finish_let(test, make_if(form.span, make_local(form.span, clause->passed), clause->result, node));
    }
  }
  return finish_let(bindings, node);
}

Node* Analyzer::analyze_or_operand(const Form& form, bool tail) {
  const bool symbol = form.kind == FormKind::Symbol || form.kind == FormKind::VarQuote;
  return symbol ? analyze_symbol(form, form.text, true) : analyze(form, tail);
}

// (and a b c) is (let [t a] (if t (let [u b] (if u c u)) t)); or is the same with the branches swapped.
Node* Analyzer::analyze_operand_chain(const Form& form, bool is_and, bool tail) {
  const Items items = Items(form.items).subspan(1);
  if (items.empty()) return is_and ? make_boolean(form.span, true) : make_nil(form.span);
  if (!enter_chain(form, items.size())) return nullptr;
  const std::size_t mark = scope_.defined_mark();
  std::size_t certain = mark;
  std::vector<Node*> operands;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool last = tail && i + 1 == items.size();
    Node* operand = is_and ? analyze(*items[i], last) : analyze_or_operand(*items[i], last);
    if (operand == nullptr) return nullptr;
    if (i == 0) certain = scope_.defined_mark();
    operands.push_back(operand);
  }
  scope_.forget_defined(certain);
  depth_ -= static_cast<std::uint32_t>(items.size());
  Node* node = operands.back();
  for (std::size_t i = operands.size() - 1; i-- > 0;) {
    const SourceSpan span = items[i]->span;
    const Bindings bindings = start_let(span);
    const LocalId local = bind_temporary(span, operands[i], bindings);
    Node* value = make_local(span, local);
    node = make_if(span, make_local(span, local), is_and ? node : value, is_and ? value : node);
    node = finish_let(bindings, node);
  }
  return node;
}

Node* Analyzer::form_and(const Form& form, bool tail) { return analyze_operand_chain(form, true, tail); }
Node* Analyzer::form_or(const Form& form, bool tail) { return analyze_operand_chain(form, false, tail); }

// Where only truthiness matters, `and` and `or` need no temporaries: (and a b) is (if a b false).
Node* Analyzer::analyze_test(const Form& form) {
  if (form.kind != FormKind::List || form.items.size() < 2 || form.items[0]->kind != FormKind::Symbol) {
    return analyze(form, false);
  }
  const HeadForm* head = find_unshadowed_form(form.items[0]->text);
  if (head == nullptr || (head->name != "and" && head->name != "or")) return analyze(form, false);
  return analyze_test_chain(form, head->name == "and");
}

Node* Analyzer::analyze_test_chain(const Form& form, bool is_and) {
  const Items items = Items(form.items).subspan(1);
  if (!enter_chain(form, items.size())) return nullptr;
  std::size_t certain = scope_.defined_mark();
  std::vector<Node*> operands;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool symbol = items[i]->kind == FormKind::Symbol || items[i]->kind == FormKind::VarQuote;
    Node* operand = symbol && !is_and ? analyze_or_operand(*items[i], false) : analyze_test(*items[i]);
    if (operand == nullptr) return nullptr;
    if (i == 0) certain = scope_.defined_mark();
    operands.push_back(operand);
  }
  scope_.forget_defined(certain);
  depth_ -= static_cast<std::uint32_t>(items.size());
  Node* node = operands.back();
  for (std::size_t i = operands.size() - 1; i-- > 0;) {
    const SourceSpan span = items[i]->span;
    Node* decided = make_boolean(span, !is_and);
    node = make_if(span, operands[i], is_and ? node : decided, is_and ? decided : node);
  }
  return node;
}

}  // namespace ptc
