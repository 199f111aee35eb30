// Vectors and sets.
#include "support/generator/composer.h"

namespace ptc::test {

Text Composer::vector_literal(TypeRef type, unsigned depth) {
  std::vector<Text> parts;
  const unsigned count = random_.below(4);
  for (unsigned i = 0; i < count; ++i) parts.push_back(expression(type->element, depth));
  return joined(parts, "[", "]");
}

Text Composer::mapped(TypeRef type, unsigned depth) {
  static constexpr std::string_view kMaps[] = {"map", "map", "mapv", "keep"};
  const TypeRef element = any_data(1);
  switch (random_.below(7)) {
    case 0: {
      const Text count = std::to_string(random_.between(1, static_cast<int>(kElements)));
      return form({Text(random_.pick(kMaps)), function_of(int_, type->element, depth, true), form({"range", count})});
    }
    case 1: return form({"map", function_of(int_, type->element, depth, true), expression(int_set_, depth)});
    case 2: {
      if (!can_repeat()) return own_form(type, depth);
      const Inside inside(*this);
      const Text source = expression(types_.vector_of(element), depth);
      place_.repeats *= kElements;
      const Text index = "i" + std::to_string(++names_), item = "x" + std::to_string(++names_);
      if (place_.indexes) place_.indexes->push_back(index);
      variables_.push_back({index, int_});
      variables_.push_back({item, element});
      return form({"map-indexed", form({"fn", vector({index, item}), expression(type->element, depth)}), source});
    }
    case 3: {
      if (!can_repeat()) return own_form(type, depth);
      const Inside inside(*this);
      const Text source = expression(types_.keyword_map_of(element), depth);
      place_.repeats *= kElements;
      const Text key = "k" + std::to_string(++names_), value = "x" + std::to_string(++names_);
      if (place_.indexes) place_.indexes->push_back(form({"name", key}));
      variables_.push_back({key, keyword_});
      variables_.push_back({value, element});
      return form({"map", form({"fn", vector({vector({key, value})}), expression(type->element, depth)}), source});
    }
    default:
      return form({Text(random_.pick(kMaps)), function_of(element, type->element, depth),
                   expression(types_.vector_of(element), depth)});
  }
}

Text Composer::filtered(TypeRef type, unsigned depth) {
  static constexpr std::string_view kFilters[] = {"filter", "filter", "remove", "take-while", "drop-while", "filterv"};
  return form({Text(random_.pick(kFilters)), predicate(type->element, depth), expression(type, depth)});
}

Text Composer::cut(TypeRef type, unsigned depth) {
  static constexpr std::string_view kCuts[] = {"rest", "reverse", "distinct", "vec", "dedupe"};
  switch (random_.below(3)) {
    case 0:
      return form({random_.chance(50) ? "take" : "drop", std::to_string(random_.below(4)), expression(type, depth)});
    case 1: return form({"drop-last", std::to_string(random_.below(3)), expression(type, depth)});
    default: return form({Text(random_.pick(kCuts)), expression(type, depth)});
  }
}

Text Composer::extended(TypeRef type, unsigned depth) {
  switch (random_.below(7)) {
    case 0: return bounded(type, form({"concat", expression(type, depth), expression(type, depth)}));
    case 1: return bounded(type, form({"into", expression(type, depth), expression(type, depth)}));
    case 2: return bounded(type, form({"cons", expression(type->element, depth), expression(type, depth)}));
    case 3: return bounded(type, form({"interleave", expression(type, depth), expression(type, depth)}));
    case 4: return bounded(type, form({"interpose", expression(type->element, depth), expression(type, depth)}));
    case 5: return form({"repeat", std::to_string(random_.below(4)), expression(type->element, depth)});
    default: return bounded(type, form({"conj", expression(type, depth), expression(type->element, depth)}));
  }
}

Text Composer::sort_key(TypeRef element, unsigned depth) {
  return function_of(element, random_.chance(60) ? int_ : string_, depth);
}

Text Composer::ordered(TypeRef type, unsigned depth) {
  const TypeRef element = type->element;
  if (element->is_scalar() && random_.chance(50)) {
    switch (random_.below(3)) {
      case 0: return form({"sort", expression(type, depth)});
      case 1: return form({"sort", "(fn [a b] (compare b a))", expression(type, depth)});
      default:
        return element == int_ ? form({"sort", random_.chance(50) ? ">" : "<", expression(type, depth)})
                               : form({"reverse", form({"sort", expression(type, depth)})});
    }
  }
  switch (random_.below(3)) {
    case 0: return form({"sort-by", function_of(element, int_, depth), ">", expression(type, depth)});
    case 1: {
      if (!can_repeat() || !element->is_data()) return own_form(type, depth);
      const Text source = expression(type, depth);
      const Inside inside(*this);
      place_.repeats *= kElements;
      const Text key = function_of(element, int_, depth > 0 ? depth - 1 : 0);
      return form({"sort", form({"fn [a b]", form({"<", form({key, "a"}), form({key, "b"})})}), source});
    }
    default: return form({"sort-by", sort_key(element, depth), expression(type, depth)});
  }
}

Text Composer::comprehension(TypeRef type, unsigned depth) {
  if (!can_repeat()) return own_form(type, depth);
  const Inside inside(*this);
  const TypeRef element = any_data(1);
  const bool over_range = random_.chance(40);
  const Text source = over_range ? form({"range", std::to_string(random_.between(1, static_cast<int>(kElements)))})
                                 : expression(types_.vector_of(element), depth);
  place_.repeats *= kElements;
  const Text item = over_range ? "i" + std::to_string(++names_) : fresh_name("x");
  variables_.push_back({item, over_range ? int_ : element});
  if (over_range && place_.indexes) {
    place_.indexes->push_back(item);
  } else {
    place_.indexes.reset();
  }
  Text bindings = item + ' ' + source;
  if (random_.chance(30)) bindings += " :when " + expression(bool_, depth > 0 ? depth - 1 : 0);
  if (random_.chance(20)) {
    const TypeRef given = any_scalar();
    const Text value = expression(given, depth > 0 ? depth - 1 : 0);
    const Text name = fresh_name("y");
    bindings += " :let [" + name + ' ' + value + ']';
    variables_.push_back({name, given});
  }
  if (random_.chance(15)) bindings += " :while " + expression(bool_, depth > 0 ? depth - 1 : 0);
  if (random_.chance(20)) {
    bindings += " inner [1 2]";
    variables_.push_back({"inner", int_});
    if (place_.indexes) place_.indexes->push_back("inner");
  }
  return form({"for", '[' + bindings + ']', expression(type->element, depth)});
}

Text Composer::flat(TypeRef type, unsigned depth) {
  const TypeRef element = any_data(1);
  switch (random_.below(3)) {
    case 0: return bounded(type, form({"apply", "concat", expression(types_.vector_of(type), depth)}));
    case 1: return bounded(type, form({"reduce", "into", "[]", expression(types_.vector_of(type), depth)}));
    default:
      return bounded(type, form({"mapcat", function_of(element, type, depth),
                                 expression(types_.vector_of(element), depth)}));
  }
}

Text Composer::collected(TypeRef type, unsigned depth) {
  const TypeRef element = any_scalar();
  switch (random_.below(3)) {
    case 0: return form({"vals", expression(types_.keyword_map_of(type->element), depth)});
    case 1:
      return form({"get", form({"group-by", function_of(type->element, keyword_, depth), expression(type, depth)}),
                   keyword(), "[]"});
    default:
      if (!can_repeat()) return own_form(type, depth);
      return form({"reduce", reducer(type, element, depth), expression(type, depth),
                   expression(types_.vector_of(element), depth)});
  }
}

Text Composer::special_vector(TypeRef type, unsigned depth) {
  const TypeRef element = type->element;
  if (element == int_) {
    switch (random_.below(3)) {
      case 0: return form({"range", std::to_string(random_.between(0, 6))});
      case 1: return form({"vec", expression(int_set_, depth)});
      default: return form({"map", "count", expression(types_.vector_of(types_.vector_of(any_scalar())), depth)});
    }
  }
  if (element == string_) {
    switch (random_.below(3)) {
      case 0: return form({"split", expression(string_, depth), "\"a\""});
      case 1: return form({"keys", expression(types_.string_map_of(any_scalar()), depth)});
      default: return form({"map", ":label", expression(types_.vector_of(record_), depth)});
    }
  }
  if (element == keyword_) {
    return random_.chance(50) ? form({":tags", expression(record_, depth)})
                              : form({"keys", expression(types_.keyword_map_of(any_scalar()), depth)});
  }
  if (element->kind == Kind::Vector) {
    switch (random_.below(4)) {
      case 0: return form({"partition", std::to_string(random_.between(1, 3)), expression(element, depth)});
      case 1: return form({"partition-all", "2", expression(element, depth)});
      case 2: return form({"partition-by", function_of(element->element, bool_, depth), expression(element, depth)});
      default:
        return form({"vals", form({"group-by", function_of(element->element, any_scalar(), depth),
                                   expression(element, depth)})});
    }
  }
  const TypeRef argument = any_scalar();
  return form({form({"juxt", function_of(argument, element, depth), function_of(argument, element, depth)}),
               expression(argument, depth)});
}

Text Composer::pipeline(TypeRef type, unsigned depth) {
  const TypeRef element = any_data(1);
  std::vector<Text> steps{"->>", expression(types_.vector_of(element), depth)};
  if (random_.chance(60)) steps.push_back(form({"filter", predicate(element, depth)}));
  steps.push_back(form({"map", function_of(element, type->element, depth)}));
  if (random_.chance(40)) steps.push_back(form({"remove", predicate(type->element, depth)}));
  if (random_.chance(40)) steps.push_back(form({"take", std::to_string(random_.between(1, 5))}));
  return joined(steps, "(", ")");
}

Text Composer::set_form(TypeRef type, unsigned depth) {
  static constexpr std::string_view kCombinations[] = {"union", "intersection", "difference"};
  switch (random_.below(5)) {
    case 0: return form({Text(random_.pick(kCombinations)), expression(type, depth), expression(type, depth)});
    case 1: return form({"conj", expression(type, depth), expression(int_, depth)});
    case 2: return form({"disj", expression(type, depth), expression(int_, depth)});
    case 3: return form({"into", expression(type, depth), expression(types_.vector_of(int_), depth)});
    default: return form({"set", expression(types_.vector_of(int_), depth)});
  }
}

}  // namespace ptc::test
