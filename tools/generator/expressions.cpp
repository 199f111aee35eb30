#include <algorithm>

#include "tools/generator/composer.h"

namespace ptc::generator {

Text joined(std::span<const Text> parts, std::string_view open, std::string_view close) {
  Text text(open);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += ' ';
    text += parts[i];
  }
  return text += close;
}

Text form(std::initializer_list<Text> parts) { return joined({parts.begin(), parts.end()}, "(", ")"); }
Text vector(std::initializer_list<Text> parts) { return joined({parts.begin(), parts.end()}, "[", "]"); }
Text braces(std::initializer_list<Text> parts) { return joined({parts.begin(), parts.end()}, "{", "}"); }

Composer::Composer(const GeneratorOptions& options, Vocabulary& vocabulary)
    : options_(options),
      random_(options.seed),
      vocabulary_(vocabulary),
      types_(vocabulary.types),
      int_(types_.scalar(Kind::Int)),
      float_(types_.scalar(Kind::Float)),
      string_(types_.scalar(Kind::String)),
      keyword_(types_.scalar(Kind::Keyword)),
      bool_(types_.scalar(Kind::Bool)),
      record_(types_.scalar(Kind::Record)),
      int_set_(types_.scalar(Kind::IntSet)),
      record_fields_{{{"id", int_},
                      {"label", string_},
                      {"score", int_},
                      {"tags", types_.vector_of(keyword_)},
                      {"ok", bool_}}} {
  if (in_clojure()) options_.async_tools = false;
}

Text Composer::expression(TypeRef type, unsigned depth) {
  static constexpr Production kAny[] = {
      &Composer::conditional,     &Composer::conditional,     &Composer::chosen,          &Composer::bound,
      &Composer::bound,           &Composer::bound,           &Composer::taken_apart,     &Composer::looped,
      &Composer::looped,          &Composer::recursive,       &Composer::reduced,         &Composer::called,
      &Composer::called,          &Composer::called,          &Composer::ruled_generally, &Composer::ruled_generally,
      &Composer::ruled_generally, &Composer::ruled_generally, &Composer::ruled_generally, &Composer::found,
      &Composer::threaded,        &Composer::noted,           &Composer::in_branches,
  };
  static constexpr Production kOfTheHost[] = {
      &Composer::from_tool,        &Composer::from_tool,        &Composer::from_tool, &Composer::from_tool,
      &Composer::committed,        &Composer::committed,        &Composer::committed, &Composer::awaited,
      &Composer::awaited,          &Composer::awaited,          &Composer::awaited,   &Composer::awaited,
      &Composer::awaited_together, &Composer::awaited_together, &Composer::settled,   &Composer::settled,
      &Composer::first_of_equals,  &Composer::asked_for_again,  &Composer::signalled, &Composer::after_sleep,
  };
  static constexpr Production kAnyHandle[] = {&Composer::conditional, &Composer::bound};
  --budget_;
  cost_ += place_.repeats;
  if (type->kind == Kind::Function) return function_expression(type, depth);
  if (depth == 0 || budget_ <= 0 || random_.chance(10)) return leaf(type);
  if (type->has_handle) return random_.chance(25) ? produce(kAnyHandle, type, depth) : own_form(type, depth);
  if (!random_.chance(60)) return own_form(type, depth);
  if (random_.chance(35) && !in_clojure()) return produce(kOfTheHost, type, depth);
  return produce(kAny, type, depth);
}

Text Composer::produce(std::span<const Production> productions, TypeRef type, unsigned depth) {
  return (this->*random_.pick(productions))(type, depth - 1);
}

// Most come from the tables; what these cannot say is written by hand.
Text Composer::own_form(TypeRef type, unsigned depth) {
  static constexpr Production kRecord[] = {&Composer::record_literal};
  static constexpr Production kVector[] = {
      &Composer::vector_literal,  &Composer::mapped_by_number,      &Composer::mapped_with_index,
      &Composer::mapped_over_map, &Composer::ordered_by_comparator, &Composer::comprehension,
      &Composer::comprehension,   &Composer::in_branches};
  static constexpr Production kMap[] = {&Composer::map_literal, &Composer::map_of_pairs};
  if (depth == 0) return leaf(type);
  if (type->kind == Kind::Function) return function_expression(type, depth);
  if (type->kind == Kind::Handle) return handle(type, depth - 1);
  if (type->has_handle) return handles(type, depth - 1);
  const bool by_hand = random_.chance(25);
  if (by_hand && type->kind == Kind::Record) return produce(kRecord, type, depth);
  if (by_hand && type->kind == Kind::Vector) return produce(kVector, type, depth);
  if (by_hand && type->is_collection()) return produce(kMap, type, depth);
  return ruled(type, depth - 1, false);
}

Text Composer::leaf(TypeRef type) {
  if (random_.chance(75)) {
    if (const auto variable = variable_of(type)) return *variable;
  }
  if (type->kind == Kind::Function) return function_of(type->element, type->result, 0);
  if (type->kind == Kind::Handle) return handle(type, 0);
  if (type->has_handle) return handles(type, 0);
  return literal(type, 1);
}

// Of several bindings of one name only the innermost can be seen.
std::vector<const Variable*> Composer::visible(TypeRef type) const {
  std::vector<const Variable*> found;
  for (auto variable = variables_.rbegin(); variable != variables_.rend(); ++variable) {
    const bool hidden = std::any_of(variables_.rbegin(), variable,
                                    [&](const Variable& inner) { return inner.name == variable->name; });
    if (!hidden && variable->type == type) found.push_back(&*variable);
  }
  return found;
}

std::optional<Text> Composer::variable_of(TypeRef type) {
  const auto candidates = visible(type);
  if (candidates.empty()) return std::nullopt;
  const Variable& picked = *random_.pick(candidates);
  if (type->kind != Kind::Function) return picked.name;
  if (!can_call(picked)) return std::nullopt;
  count_call(picked);
  return picked.name;
}

// Now and then a name that is bound already; never one that makes the ids of tasks unique.
Text Composer::fresh_name(std::string_view stem) {
  if (!variables_.empty() && random_.chance(8)) {
    const Text& name = random_.pick(variables_).name;
    const bool is_index = place_.indexes && std::find(place_.indexes->begin(), place_.indexes->end(), name) !=
                                                place_.indexes->end();
    if (!is_index && name.front() != '%') return name;
  }
  return Text(stem) + std::to_string(++names_);
}

TypeRef Composer::any_scalar() {
  const TypeRef scalars[] = {int_, int_, int_, string_, string_, keyword_, bool_, float_};
  return random_.pick(scalars);
}

// Often one that a variable has, so that variables are used.
TypeRef Composer::any_data(unsigned depth) {
  if (!variables_.empty() && random_.chance(40)) {
    const TypeRef known = random_.pick(variables_).type;
    if (known->is_data()) return known;
  }
  if (depth == 0 || random_.chance(50)) return random_.chance(12) ? record_ : any_scalar();
  switch (random_.below(8)) {
    case 0: return types_.keyword_map_of(any_data(depth - 1));
    case 1: return types_.string_map_of(any_scalar());
    case 2: return int_set_;
    case 3: return record_;
    case 4: return types_.vector_of(record_);
    default: return types_.vector_of(any_data(depth - 1));
  }
}

Text Composer::bounded(TypeRef type, Text text) {
  if (!growing()) return text;
  switch (type->kind) {
    case Kind::Int: return form({"mod", std::move(text), "997"});
    case Kind::Float: return form({"min", "1000.0", form({"max", "-1000.0", std::move(text)})});
    case Kind::String:
      if (!in_clojure()) return form({"subs", std::move(text), "0", "24"});
      return form({"let", vector({"s", std::move(text)}), "(subs s 0 (min 24 (count s)))"});
    case Kind::Vector: return as_vector(form({"take", "6", std::move(text)}));
    default: return text;
  }
}

}  // namespace ptc::generator
