// Binding patterns, expanded into bindings of temporaries and names to calls of the hidden destructuring
// builtins.
#include <algorithm>

#include "compiler/analyze/analysis.h"
#include "compiler/analyze/program_notes.h"

namespace ptc {

// A name that a pattern, a parameter or def may introduce: unqualified, no method, no placeholder, no history
// reference.
bool Analyzer::is_bindable(const Form& symbol) const {
  const std::string_view name = symbol.text;
  if (name == "/") return true;
  if (name.find('/') != std::string_view::npos || name[0] == '.') return false;
  if (name[0] == '%') return options_.prelude;
  return name != "&" && name != "*1" && name != "*2" && name != "*3";
}

bool Analyzer::check_pattern_name(const Form& symbol) {
  if (is_bindable(symbol)) return true;
  fail_pattern(symbol);
  return false;
}

Node* Analyzer::fail_pattern(const Form& pattern) {
  return fail(pattern.span, FaultKind::UnsupportedPattern,
              {"unsupported binding pattern: ", source_text(pattern)},
              "A pattern is a name, a vector of patterns or a map such as {:keys [a b]}");
}

LocalId Analyzer::bind_temporary(SourceSpan span, Node* value, Bindings bindings) {
  if (value->kind == NodeKind::Local) return value->local;
  const LocalId local = new_temporary(span);
  bindings.add(local, value);
  return local;
}

bool Analyzer::bind_name(const Form& symbol, Node* value, Bindings bindings) {
  if (!check_pattern_name(symbol)) return false;
  const LocalId local = ast_.new_local(symbol.text, symbol.span);
  bindings.add(local, value);
  scope_.bind(symbol.text, local);
  if (options_.notes != nullptr) {
    ast_.take(ProgramNotes::kBytesOfEntry, symbol.span);
    options_.notes->bindings.push_back({symbol.text, symbol.span, local, arity_of(*value)});
  }
  return true;
}

bool Analyzer::destructure(const Form& pattern, Node* value, Bindings bindings) {
  switch (pattern.kind) {
    case FormKind::Symbol: return bind_name(pattern, value, bindings);
    case FormKind::Vector: return destructure_vector(pattern, value, bindings);
    case FormKind::Map: return destructure_map(pattern, value, bindings);
    default: fail_pattern(pattern); return false;
  }
}

bool Analyzer::destructure_vector(const Form& pattern, Node* value, Bindings bindings) {
  const Items items(pattern.items);
  const LocalId whole = bind_temporary(pattern.span, value, bindings);
  const LocalId source = bind_temporary(
      pattern.span, make_invoke(pattern.span, BuiltinId::h_check_seq, {make_local(pattern.span, whole)}),
      bindings);
  bool rest = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Form& item = *items[i];
    if (item.kind == FormKind::Keyword && item.text == "as") {
      if (i + 2 != items.size() || items[i + 1]->kind != FormKind::Symbol) {
        fail(item, FaultKind::UnsupportedPattern,
             "unsupported binding pattern: :as must be followed by one name, last");
        return false;
      }
      return bind_name(*items[i + 1], make_local(item.span, whole), bindings);
    }
    if (rest) {
      fail(item.span, FaultKind::InvalidForm,
           {"& must be followed by exactly one pattern, got extra: ", source_text(item)});
      return false;
    }
    if (item.kind == FormKind::Symbol && item.text == "&") {
      if (i + 1 == items.size()) {
        fail(item, FaultKind::InvalidForm, "& must be followed by a pattern");
        return false;
      }
      rest = true;
      if (!destructure_rest(*items[i + 1], source, i, bindings)) return false;
      ++i;
      continue;
    }
    Node* element =
        make_invoke(item.span, BuiltinId::h_nth_bind,
                    {make_local(item.span, source), make_integer(item.span, static_cast<std::int64_t>(i))});
    if (!destructure(item, element, bindings)) return false;
  }
  return true;
}

bool Analyzer::destructure_rest(const Form& pattern, LocalId source, std::size_t index, Bindings bindings) {
  Node* rest = make_invoke(
      pattern.span, BuiltinId::h_rest_bind,
      {make_local(pattern.span, source), make_integer(pattern.span, static_cast<std::int64_t>(index))});
  if (pattern.kind == FormKind::Map) rest = make_invoke(pattern.span, BuiltinId::h_kwargs, {rest});
  return destructure(pattern, rest, bindings);
}

bool Analyzer::destructure_map(const Form& pattern, Node* value, Bindings bindings) {
  const Items items(pattern.items);
  const Form* defaults = nullptr;
  for (std::size_t i = 0; i < items.size(); i += 2) {
    if (items[i]->kind != FormKind::Keyword || items[i]->text != "or") continue;
    defaults = items[i + 1];
    if (defaults->kind != FormKind::Map) {
      fail(*defaults, FaultKind::InvalidForm, ":or must be followed by a map of defaults");
      return false;
    }
  }
  const LocalId map = bind_temporary(
      pattern.span, make_invoke(pattern.span, BuiltinId::h_check_map, {value}), bindings);
  for (std::size_t i = 0; i < items.size(); i += 2) {
    const Form& entry = *items[i];
    const Form& operand = *items[i + 1];
    if (entry.kind != FormKind::Keyword) {
      if (entry.kind != FormKind::Symbol && entry.kind != FormKind::Vector && entry.kind != FormKind::Map) {
        fail_pattern(entry);
        return false;
      }
      Node* key = analyze(operand, false);
      if (key == nullptr || !bind_entry(entry, key, map, defaults, bindings)) return false;
    } else if (entry.text == "keys" || entry.text == "strs") {
      const FormKind kind = entry.text == "keys" ? FormKind::Keyword : FormKind::String;
      if (!destructure_names(operand, kind, map, defaults, bindings)) return false;
    } else if (entry.text == "as") {
      if (operand.kind != FormKind::Symbol) {
        fail(operand, FaultKind::UnsupportedPattern,
             "unsupported binding pattern: :as must be followed by a name");
        return false;
      }
      if (!bind_name(operand, make_local(operand.span, map), bindings)) return false;
    } else if (entry.text != "or") {
      fail(entry.span, FaultKind::UnsupportedPattern,
           {"unsupported binding pattern: :", entry.text, " in a map pattern"},
           "Known: :keys, :strs, :or, :as, or a name and its key such as {x :x}");
      return false;
    }
  }
  return true;
}

bool Analyzer::destructure_names(const Form& names, FormKind key_kind, LocalId map, const Form* defaults,
                                 Bindings bindings) {
  if (names.kind != FormKind::Vector) {
    fail(names, FaultKind::InvalidForm, ":keys and :strs must be followed by a vector of names");
    return false;
  }
  for (const Form* name : names.items) {
    const Form* target = name;
    if (name->kind == FormKind::Keyword && key_kind == FormKind::Keyword) {
      Form* symbol = arena_.make(FormKind::Symbol, name->span);
      symbol->text = name->text;
      target = symbol;
    }
    if (target->kind != FormKind::Symbol) {
      fail_pattern(*name);
      return false;
    }
    if (!check_pattern_name(*target)) return false;
    Node* key = make_constant(name->span, key_kind == FormKind::Keyword ? constants_.keyword(target->text)
                                                                        : constants_.string(target->text));
    if (!bind_entry(*target, key, map, defaults, bindings)) return false;
  }
  return true;
}

const Form* Analyzer::find_default(const Form* defaults, std::string_view name) const {
  if (defaults == nullptr) return nullptr;
  for (std::size_t i = 0; i + 1 < defaults->items.size(); i += 2) {
    if (defaults->items[i]->kind == FormKind::Symbol && defaults->items[i]->text == name)
      return defaults->items[i + 1];
  }
  return nullptr;
}

// One `target key` entry. A default is evaluated only when the key is missing.
bool Analyzer::bind_entry(const Form& target, Node* key, LocalId map, const Form* defaults,
                          Bindings bindings) {
  const SourceSpan span = target.span;
  const Form* fallback = target.kind == FormKind::Symbol ? find_default(defaults, target.text) : nullptr;
  if (fallback == nullptr) {
    return destructure(target, make_invoke(span, BuiltinId::h_get_bind, {make_local(span, map), key}),
                       bindings);
  }
  Node* second_key = nullptr;
  if (key->kind == NodeKind::Const) {
    second_key = make_constant(span, key->constant);
  } else {
    const LocalId local = bind_temporary(span, key, bindings);
    key = make_local(span, local);
    second_key = make_local(span, local);
  }
  Node* test = make_invoke(span, BuiltinId::h_has_bind, {make_local(span, map), key});
  Node* found = make_invoke(span, BuiltinId::h_get_bind, {make_local(span, map), second_key});
  Node* value = make_if(span, test, found, analyze_branch(*fallback, false));
  return value != nullptr && destructure(target, value, bindings);
}

}  // namespace ptc
