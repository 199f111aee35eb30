// for and doseq.
#include "compiler/analyze/analysis.h"

namespace ptc {
namespace {

bool is_possible_collection(const Form& form) {
  switch (form.kind) {
    case FormKind::True:
    case FormKind::False:
    case FormKind::Int:
    case FormKind::Float:
    case FormKind::Keyword:
    case FormKind::Date: case FormKind::Instant: case FormKind::Duration:
    case FormKind::Regex: case FormKind::Lambda: return false;
    default: return true;
  }
}

// Bindings of a pattern as Let clauses.
void append_lets(const Node& let, Node& node) {
  for (std::size_t i = 0; i < let.locals.size(); ++i) {
    ForClause clause;
    clause.kind = ForClause::Kind::Let;
    clause.local = let.locals[i];
    clause.expression = let.kids[i];
    node.clauses.push_back(std::move(clause));
  }
}

}  // namespace

Node* Analyzer::form_for(const Form& form, bool) { return analyze_comprehension(form, "for", true); }
Node* Analyzer::form_doseq(const Form& form, bool) { return analyze_comprehension(form, "doseq", false); }

Node* Analyzer::analyze_comprehension(const Form& form, std::string_view word, bool collect) {
  if (form.items.size() < 2 || form.items[1]->kind != FormKind::Vector) {
    return fail(form.span, FaultKind::InvalidArity, {"expected (", word, " [name coll ...] body ...)"});
  }
  if (form.items.size() < 3) {
    return fail(form.span, FaultKind::InvalidArity,
                {word, " requires at least one body expression, missing body"});
  }
  Node* node = ast_.make(NodeKind::For, form.span);
  node->collect = collect;
  const std::size_t mark = scope_.mark();
  const std::size_t defined = scope_.defined_mark();
  Node* body = nullptr;
  if (analyze_clauses(form, word, *node)) body = analyze_body(form.span, Items(form.items).subspan(2), false);
  scope_.forget_defined(defined);
  scope_.restore(mark);
  if (body == nullptr) return nullptr;
  node->kids.push_back(body);
  return node;
}

bool Analyzer::analyze_clauses(const Form& form, std::string_view word, Node& node) {
  const Form& vector = *form.items[1];
  const Items items(vector.items);
  if (items.size() % 2 != 0) {
    fail(vector.span, FaultKind::InvalidForm, {word, " bindings require even number of forms"});
    return false;
  }
  if (items.empty() || items[0]->kind == FormKind::Keyword) {
    fail(vector.span, FaultKind::InvalidForm, {word, " must start with a binding [name coll]"});
    return false;
  }
  for (std::size_t i = 0; i < items.size(); i += 2) {
    if (items[i]->kind == FormKind::Keyword) {
      if (!analyze_modifier(word, *items[i], *items[i + 1], node)) return false;
      continue;
    }
    if (!is_possible_collection(*items[i + 1])) {
      fail(items[i + 1]->span, FaultKind::InvalidArity,
           {word, " binding '", source_text(*items[i]),
            "' expected a collection, got: ", source_text(*items[i + 1])});
      return false;
    }
    ForClause clause;
    clause.kind = ForClause::Kind::Bind;
    clause.function = word;
    clause.expression = analyze(*items[i + 1], false);
    if (clause.expression == nullptr) return false;
    node.clauses.push_back(std::move(clause));
    if (!bind_element(*items[i], node)) return false;
  }
  return true;
}

// Gives the last clause its local and takes the element apart when the pattern asks for it.
bool Analyzer::bind_element(const Form& pattern, Node& node) {
  const bool plain = pattern.kind == FormKind::Symbol;
  if (plain && !check_pattern_name(pattern)) return false;
  const LocalId local = ast_.new_local(plain ? pattern.text : std::string(), pattern.span);
  node.clauses.back().local = local;
  if (plain) {
    scope_.bind(pattern.text, local);
    return true;
  }
  const Bindings parts = start_let(pattern.span);
  if (!destructure(pattern, make_local(pattern.span, local), parts)) return false;
  append_lets(*parts.let, node);
  return true;
}

bool Analyzer::analyze_modifier(std::string_view word, const Form& key, const Form& value, Node& node) {
  ForClause clause;
  if (key.text == "let") {
    if (value.kind != FormKind::Vector || value.items.size() % 2 != 0) {
      fail(value.span, FaultKind::InvalidForm,
           {":let in ", word, " must be followed by a vector of bindings"});
      return false;
    }
    const Bindings bindings = start_let(value.span);
    if (!bind_pairs(value.items, bindings)) return false;
    append_lets(*bindings.let, node);
    return true;
  }
  if (key.text == "when") {
    clause.kind = ForClause::Kind::When;
  } else if (key.text == "while") {
    clause.kind = ForClause::Kind::While;
  } else {
    fail(key.span, FaultKind::InvalidForm,
         {"unknown modifier :", key.text, " in ", word, ". Known: :when, :let, :while"});
    return false;
  }
  clause.expression = analyze_test(value);
  if (clause.expression == nullptr) return false;
  node.clauses.push_back(std::move(clause));
  return true;
}

}  // namespace ptc
