#include <algorithm>

#include "tools/generator/composer.h"

namespace ptc::generator {
namespace {

// Outside of string literals.
bool mentions_placeholder(const Text& text) {
  bool in_string = false;
  for (const char c : text) {
    if (c == '"') in_string = !in_string;      // generated strings have no escapes
    if (c == '%' && !in_string) return true;
  }
  return false;
}

}  // namespace

bool Composer::can_call(const Variable& function) const {
  return cost_ + place_.repeats * function.cost <= kMaxCost &&
         tool_calls_ + place_.repeats * function.tool_calls <= kMaxToolCalls;
}

void Composer::count_call(const Variable& function) {
  cost_ += place_.repeats * function.cost;
  tool_calls_ += place_.repeats * function.tool_calls;
}

Text Composer::function_of(TypeRef from, TypeRef to, unsigned depth, bool indexed) {
  const TypeRef parameters[] = {from};
  if (!can_repeat()) {
    if (auto plain = ruled_function(parameters, to, depth, true)) return *plain;
    return form({"constantly", leaf(to)});
  }
  const Inside inside(*this);
  place_.repeats *= kElements;
  const unsigned roll = random_.below(10);
  if (roll < 2) {
    if (auto variable = variable_of(types_.function(from, to))) return *variable;
  }
  if (roll < 5 && !indexed) {
    const bool plain = depth == 0;
    if (auto known = ruled_function(parameters, to, plain ? 0 : depth - 1, plain)) return *known;
  }
  return written_function(from, to, depth > 0 ? depth - 1 : 0, indexed);
}

// Of any number of parameters.
Text Composer::function_with(std::span<const TypeRef> from, TypeRef to, unsigned depth) {
  if (from.size() == 1) return function_of(from[0], to, depth);
  if (!can_repeat()) return form({"constantly", leaf(to)});
  const Inside inside(*this);
  place_.repeats *= kElements;
  place_.indexes.reset();
  if (random_.chance(30)) {
    if (auto known = ruled_function(from, to, 0, true)) return *known;
  }
  std::vector<Text> parameters;
  for (const TypeRef type : from) {
    parameters.push_back(parameters.empty() ? fresh_name("x") : "x" + std::to_string(++names_));
    variables_.push_back({parameters.back(), type});
  }
  return form({"fn", joined(parameters, "[", "]"), expression(to, depth > 0 ? depth - 1 : 0)});
}

// The caller has made room for one more level of variables (Inside).
Text Composer::written_function(TypeRef from, TypeRef to, unsigned depth, bool indexed) {
  const bool is_short = !place_.in_short_function && random_.chance(40);
  Text parameter = is_short ? "%" : fresh_name("x");
  if (indexed && place_.indexes) {
    place_.indexes->push_back(parameter);
  } else {
    place_.indexes.reset();
  }
  place_.in_short_function |= is_short;
  if (from->kind == Kind::Record && !is_short && random_.chance(40)) {
    parameter = "{:keys [label score] :as " + parameter + "}";
    variables_.push_back({"label", string_});
    variables_.push_back({"score", int_});
  } else {
    variables_.push_back({parameter, from});
  }
  const Text body = expression(to, depth);
  if (!is_short) return form({"fn", vector({parameter}), body});
  if (!mentions_placeholder(body)) return form({"fn", "[_]", body});
  return body.front() == '(' ? '#' + body : "#(identity " + body + ")";
}

Text Composer::function_expression(TypeRef type, unsigned depth) {
  if (random_.chance(30)) {
    if (auto variable = variable_of(type)) return *variable;
  }
  return function_of(type->element, type->result, depth);
}

Text Composer::predicate(TypeRef from, unsigned depth) { return function_of(from, bool_, depth); }

Text Composer::reducer(TypeRef accumulator, TypeRef element, unsigned depth) {
  if (accumulator == int_ && element == int_ && random_.chance(30)) return random_.chance(50) ? "+" : "max";
  if (accumulator->kind == Kind::Vector && accumulator->element == element && random_.chance(20)) return "conj";
  const Inside inside(*this);
  const bool deep = can_repeat();
  place_.repeats *= kElements;
  place_.indexes.reset();
  const Text sum = fresh_name("acc");
  variables_.push_back({sum, accumulator});
  const Text item = "x" + std::to_string(++names_);
  variables_.push_back({item, element});
  Text body = deep && depth > 0 ? expression(accumulator, depth - 1) : leaf(accumulator);
  if (deep && random_.chance(15)) body = form({"if", expression(bool_, 1), form({"reduced", sum}), body});
  return form({"fn", vector({sum, item}), body});
}

// The function is measured on its own: what it costs counts where it is called.
Text Composer::body_of_definition(const Text& parameter, TypeRef from, TypeRef to, unsigned depth, Variable& measured) {
  const Inside inside(*this);
  const unsigned cost = std::exchange(cost_, 0u);
  const unsigned tool_calls = std::exchange(tool_calls_, 0u);
  place_.repeats = 1;
  place_.in_function = true;
  place_.indexes.reset();
  variables_.push_back({parameter, from});
  Text body = expression(to, depth);
  measured.cost = cost_ + 1;
  measured.tool_calls = tool_calls_;
  cost_ = cost + 1;
  tool_calls_ = tool_calls;
  return body;
}

}  // namespace ptc::generator
