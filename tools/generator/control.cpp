// Forms that can give a value of any type.
#include "tools/generator/composer.h"

namespace ptc::generator {

Text Composer::conditional(TypeRef type, unsigned depth) {
  switch (random_.below(3)) {
    case 0: return form({"if-not", expression(bool_, depth), expression(type, depth), expression(type, depth)});
    case 1:
      return form({"cond", expression(bool_, depth), expression(type, depth), expression(bool_, depth),
                   expression(type, depth), ":else", expression(type, depth)});
    default: return form({"if", expression(bool_, depth), expression(type, depth), expression(type, depth)});
  }
}

Text Composer::chosen(TypeRef type, unsigned depth) {
  switch (random_.below(4)) {
    case 0:
      return form({"case", form({"mod", expression(int_, depth), "4"}), "0", expression(type, depth), "(1 2)",
                   expression(type, depth), expression(type, depth)});
    case 1:
      return form({"case", expression(keyword_, depth), ":alpha", expression(type, depth), "(:beta :gamma)",
                   expression(type, depth), expression(type, depth)});
    case 2:
      return form({"condp", "=", expression(string_, depth), quoted_word(), expression(type, depth),
                   expression(type, depth)});
    default:
      return form({"condp", random_.chance(50) ? "<" : ">=", expression(int_, depth), integer(),
                   expression(type, depth), expression(type, depth)});
  }
}

// The body sees the new names; the value of a binding only those before it.
Text Composer::bound(TypeRef type, unsigned depth) {
  const Inside inside(*this);
  std::vector<Text> bindings;
  const unsigned count = 1 + random_.below(2);
  for (unsigned i = 0; i < count; ++i) {
    TypeRef given = any_data(2);
    if (options_.async_tools && random_.chance(25)) given = types_.handle_of(any_scalar());
    if (options_.async_tools && random_.chance(8)) given = types_.vector_of(types_.handle_of(any_scalar()));
    Text value;
    Variable variable{"", given};
    if (random_.chance(12)) {
      const TypeRef from = any_scalar();
      variable.type = types_.function(from, any_scalar());
      const Text parameter = fresh_name("p");
      value = form({"fn", vector({parameter}),
                    body_of_definition(parameter, from, variable.type->result, depth, variable)});
    } else {
      value = expression(given, depth);
    }
    variable.name = fresh_name("v");
    bindings.push_back(variable.name);
    bindings.push_back(std::move(value));
    variables_.push_back(variable);
  }
  return form({"let", joined(bindings, "[", "]"), expression(type, depth)});
}

Text Composer::looped(TypeRef type, unsigned depth) {
  if (!can_repeat()) return own_form(type, depth);
  Text start = expression(type, depth);
  // Clojure keeps what it knows to be a boolean unboxed, and then takes no other boolean for it.
  if (in_clojure() && type == bool_) start = form({"identity", std::move(start)});
  const Text turns = std::to_string(random_.between(1, static_cast<int>(kElements)));
  const TypeRef element = any_scalar();
  const bool over_vector = random_.chance(40);
  const Text source = over_vector ? expression(types_.vector_of(element), depth) : Text();
  const Inside inside(*this);
  place_.repeats *= kElements;
  const Text counter = "i" + std::to_string(++names_), sum = "acc" + std::to_string(++names_);
  variables_.push_back({sum, type});
  if (over_vector) {
    place_.indexes.reset();
    const Text item = "x" + std::to_string(++names_);
    variables_.push_back({item, element});
    return form({"loop", vector({counter, source, sum, start}),
                 form({"if", form({"empty?", counter}), sum,
                       form({"let", vector({item, form({"first", counter})}),
                             form({"recur", form({"rest", counter}), expression(type, depth)})})})});
  }
  variables_.push_back({counter, int_});
  if (place_.indexes) place_.indexes->push_back(counter);
  return form({"loop", vector({counter, "0", sum, start}),
               form({"if", form({"<", counter, turns}),
                     form({"recur", form({"inc", counter}), expression(type, depth)}), sum})});
}

Text Composer::recursive(TypeRef type, unsigned depth) {
  if (!can_repeat()) return own_form(type, depth);
  const Text start = expression(type, depth);
  const Inside inside(*this);
  place_.repeats *= kElements;
  place_.in_function = true;
  const Text self = "go" + std::to_string(++names_), left = "n" + std::to_string(++names_);
  const Text turns = std::to_string(random_.between(0, static_cast<int>(kElements)));
  if (place_.indexes) place_.indexes->push_back(left);
  variables_.push_back({left, int_});
  if (type == int_ && random_.chance(50)) {
    return form({form({"fn", self, vector({left}),
                       form({"if", form({"<=", left, "0"}), start,
                             form({"+", expression(int_, depth), form({self, form({"dec", left})})})})}),
                 turns});
  }
  const Text sum = "acc" + std::to_string(++names_);
  variables_.push_back({sum, type});
  return form({form({"fn", self, vector({left, sum}),
                     form({"if", form({"<=", left, "0"}), sum,
                           form({"recur", form({"dec", left}), expression(type, depth)})})}),
               turns, start});
}

Text Composer::reduced(TypeRef type, unsigned depth) {
  if (!can_repeat()) return own_form(type, depth);
  const TypeRef element = any_data(1);
  return form({"reduce", reducer(type, element, depth), expression(type, depth),
               expression(types_.vector_of(element), depth)});
}

Text Composer::called(TypeRef type, unsigned depth) {
  std::vector<const Variable*> candidates;
  for (const Variable& variable : variables_) {
    if (variable.type == nullptr || variable.type->kind != Kind::Function || variable.type->result != type) continue;
    for (const Variable* seen : visible(variable.type)) {
      if (seen == &variable && can_call(variable)) candidates.push_back(&variable);
    }
  }
  if (!candidates.empty() && random_.chance(80)) {
    const Variable function = *random_.pick(candidates);
    count_call(function);
    const Text argument = expression(function.type->element, depth);
    if (random_.chance(15)) return form({"apply", function.name, vector({argument})});
    return form({function.name, argument});
  }
  const TypeRef from = any_data(1);
  switch (random_.below(3)) {
    case 0: return form({form({"comp", function_of(from, type, depth), "identity"}), expression(from, depth)});
    case 1: return form({"apply", function_of(from, type, depth), vector({expression(from, depth)})});
    default: return form({function_of(from, type, depth), expression(from, depth)});
  }
}

Text Composer::found(TypeRef type, unsigned depth) {
  const TypeRef element = any_scalar();
  const TypeRef source = types_.vector_of(element);
  const Text otherwise = expression(type, depth);
  const Text head = random_.chance(50) ? form({"first", expression(source, depth)})
                                       : form({"get", expression(types_.keyword_map_of(element), depth), keyword()});
  if (random_.chance(25)) {
    return form({"or", form({"some->", head, form({function_of(element, type, depth)})}), otherwise});
  }
  if (random_.chance(30)) {
    return form({"or", form({"first", form({"filter", predicate(type, depth),
                                            expression(types_.vector_of(type), depth)})}), otherwise});
  }
  const Inside inside(*this);
  const Text name = fresh_name("f");
  variables_.push_back({name, element});
  const Text body = expression(type, depth);
  switch (random_.below(4)) {
    case 0: return form({"if-some", vector({name, head}), body, otherwise});
    case 1: return form({"or", form({"when-let", vector({name, head}), body}), otherwise});
    case 2: return form({"or", form({"when-some", vector({name, head}), body}), otherwise});
    default: return form({"if-let", vector({name, head}), body, otherwise});
  }
}

Text Composer::threaded(TypeRef type, unsigned depth) {
  const TypeRef middle = any_data(1);
  switch (random_.below(4)) {
    case 0:
      return form({"cond->", expression(type, depth), expression(bool_, depth), form({function_of(type, type, depth)}),
                   expression(bool_, depth), form({function_of(type, type, depth)})});
    case 1: {
      const Text value = expression(middle, depth);
      const Inside inside(*this);
      const Text name = fresh_name("t");
      variables_.push_back({name, middle});
      return form({"as->", value, name, expression(type, depth)});
    }
    default:
      return form({"->", expression(middle, depth), form({function_of(middle, middle, depth)}),
                   form({function_of(middle, type, depth)})});
  }
}

// Clojure runs the functions of its lazy sequences when it wants to: there only what runs once is printed.
Text Composer::noted(TypeRef type, unsigned depth) {
  if (in_clojure() && (growing() || place_.in_branch)) return own_form(type, depth);
  return form({"do", printing(depth), expression(type, depth)});
}

}  // namespace ptc::generator
