// Vectors, maps and records that need more than a line of a table: names, and what runs over and over.
#include "tools/generator/composer.h"

namespace ptc::generator {

Text Composer::as_vector(Text text) const { return in_clojure() ? form({"vec", std::move(text)}) : text; }

Text Composer::vector_literal(TypeRef type, unsigned depth) {
  std::vector<Text> parts;
  const unsigned count = random_.below(4);
  for (unsigned i = 0; i < count; ++i) parts.push_back(expression(type->element, depth));
  return joined(parts, "[", "]");
}

// The functions know a number that is different each time.
Text Composer::mapped_by_number(TypeRef type, unsigned depth) {
  static constexpr std::string_view kMaps[] = {"map", "map", "mapv", "keep"};
  const Text map(random_.pick(kMaps));
  const Text function = function_of(int_, type->element, depth, true);
  if (random_.chance(40)) {
    const Text set = expression(int_set_, depth);
    return as_vector(form({map, function, in_clojure() ? form({"sort", set}) : set}));
  }
  const Text count = std::to_string(random_.between(1, static_cast<int>(kElements)));
  return as_vector(form({map, function, form({"range", count})}));
}

Text Composer::mapped_with_index(TypeRef type, unsigned depth) {
  if (!can_repeat()) return own_form(type, depth);
  const Inside inside(*this);
  const TypeRef element = any_data(1);
  const Text source = expression(types_.vector_of(element), depth);
  place_.repeats *= kElements;
  const Text index = "i" + std::to_string(++names_), item = "x" + std::to_string(++names_);
  if (place_.indexes) place_.indexes->push_back(index);
  variables_.push_back({index, int_});
  variables_.push_back({item, element});
  return as_vector(
      form({"map-indexed", form({"fn", vector({index, item}), expression(type->element, depth)}), source}));
}

Text Composer::mapped_over_map(TypeRef type, unsigned depth) {
  if (!can_repeat()) return own_form(type, depth);
  const Inside inside(*this);
  const TypeRef element = any_data(1);
  const Text source = expression(types_.keyword_map_of(element), depth);
  place_.repeats *= kElements;
  const Text key = "k" + std::to_string(++names_), value = "x" + std::to_string(++names_);
  if (place_.indexes) place_.indexes->push_back(form({"name", key}));
  variables_.push_back({key, keyword_});
  variables_.push_back({value, element});
  const Text function = form({"fn", vector({vector({key, value})}), expression(type->element, depth)});
  return as_vector(form({"map", function, in_clojure() ? form({"into", "(sorted-map)", source}) : source}));
}

Text Composer::ordered_by_comparator(TypeRef type, unsigned depth) {
  if (!can_repeat() || !type->element->is_data()) return own_form(type, depth);
  const Text source = expression(type, depth);
  const Inside inside(*this);
  place_.repeats *= kElements;
  const Text key = function_of(type->element, int_, depth > 0 ? depth - 1 : 0);
  return as_vector(form({"sort", form({"fn [a b]", form({"<", form({key, "a"}), form({key, "b"})})}), source}));
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
  return as_vector(form({"for", '[' + bindings + ']', expression(type->element, depth)}));
}

Text Composer::key_expression(Kind map_kind, unsigned depth) {
  if (map_kind == Kind::KeywordMap) return random_.chance(70) ? keyword() : expression(keyword_, depth);
  return random_.chance(70) ? quoted_word() : expression(string_, depth);
}

Text Composer::map_literal(TypeRef type, unsigned depth) {
  std::vector<Text> parts;
  for (Text& key : different_keys(type->kind, random_.below(4))) {
    parts.push_back(std::move(key));
    parts.push_back(expression(type->element, depth));
  }
  return joined(parts, "{", "}");
}

Text Composer::map_of_pairs(TypeRef type, unsigned depth) {
  if (!can_repeat()) return own_form(type, depth);
  const TypeRef element = any_data(1);
  const Text source = expression(types_.vector_of(element), depth);
  const Inside inside(*this);
  place_.repeats *= kElements;
  place_.indexes.reset();
  const Text item = fresh_name("x");
  variables_.push_back({item, element});
  const TypeRef key = type->kind == Kind::KeywordMap ? keyword_ : string_;
  const Text pair = vector({expression(key, depth), expression(type->element, depth)});
  if (random_.chance(50)) return form({"into", "{}", form({"for", vector({item, source}), pair})});
  return form({"into", "{}", form({"map", form({"fn", vector({item}), pair}), source})});
}

Text Composer::record_literal(TypeRef, unsigned depth) {
  std::vector<Text> parts;
  for (const RecordField& each : record_fields_) {
    parts.push_back(':' + Text(each.name));
    parts.push_back(expression(each.type, depth > 0 ? depth - 1 : 0));
  }
  return joined(parts, "{", "}");
}

}  // namespace ptc::generator
