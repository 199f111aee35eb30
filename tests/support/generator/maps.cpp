// Maps and records.
#include "support/generator/composer.h"

namespace ptc::test {

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

Text Composer::stored(TypeRef type, unsigned depth) {
  if (type->element->kind == Kind::KeywordMap && random_.chance(40)) {
    const Text path = vector({key_expression(type->kind, depth), keyword()});
    return form({"assoc-in", expression(type, depth), path, expression(type->element->element, depth)});
  }
  return form({"assoc", expression(type, depth), key_expression(type->kind, depth), expression(type->element, depth)});
}

Text Composer::map_of_vector(TypeRef type, unsigned depth) {
  const TypeRef key = type->kind == Kind::KeywordMap ? keyword_ : string_;
  if (type->element->kind == Kind::Vector && random_.chance(50)) {
    const TypeRef element = type->element->element;
    return form({"group-by", function_of(element, key, depth), expression(type->element, depth)});
  }
  if (type->element == int_ && random_.chance(50)) {
    return form({"frequencies", expression(types_.vector_of(key), depth)});
  }
  if (random_.chance(40) || !can_repeat()) {
    return form({"zipmap", expression(types_.vector_of(key), depth),
                 expression(types_.vector_of(type->element), depth)});
  }
  const TypeRef element = any_data(1);
  const Text source = expression(types_.vector_of(element), depth);
  const Inside inside(*this);
  place_.repeats *= kElements;
  place_.indexes.reset();
  const Text item = fresh_name("x");
  variables_.push_back({item, element});
  const Text pair = vector({expression(key, depth), expression(type->element, depth)});
  if (random_.chance(50)) return form({"into", "{}", form({"for", vector({item, source}), pair})});
  return form({"into", "{}", form({"map", form({"fn", vector({item}), pair}), source})});
}

Text Composer::merged(TypeRef type, unsigned depth) {
  if (random_.chance(50)) return form({"merge", expression(type, depth), expression(type, depth)});
  return form({"merge-with", type->element == int_ ? "+" : reducer(type->element, type->element, depth),
               expression(type, depth), expression(type, depth)});
}

Text Composer::map_updated(TypeRef type, unsigned depth) {
  const TypeRef element = type->element;
  switch (random_.below(5)) {
    case 0: return form({"update-vals", expression(type, depth), function_of(element, element, depth)});
    case 1: return form({"dissoc", expression(type, depth), key_expression(type->kind, depth)});
    case 2: return form({"select-keys", expression(type, depth), joined(different_keys(type->kind, 3), "[", "]")});
    case 3:
      if (element->kind != Kind::KeywordMap) return own_form(type, depth);
      return form({"update-in", expression(type, depth), vector({key_expression(type->kind, depth), keyword()}),
                   form({"fnil", function_of(element->element, element->element, depth), leaf(element->element)})});
    default:
      return form({"update", expression(type, depth), key_expression(type->kind, depth),
                   form({"fnil", function_of(element, element, depth), leaf(element)})});
  }
}

Text Composer::record_form(TypeRef type, unsigned depth) {
  const RecordField& field = random_.pick(record_fields_);
  const Text key = ':' + Text(field.name);
  switch (random_.below(5)) {
    case 0: return form({"assoc", expression(type, depth), key, expression(field.type, depth)});
    case 1: return form({"update", expression(type, depth), key, function_of(field.type, field.type, depth)});
    case 2: return form({"merge", expression(type, depth), '{' + key + ' ' + expression(field.type, depth) + '}'});
    case 3:
      return form({"update-in", expression(type, depth), vector({key}), function_of(field.type, field.type, depth)});
    default: {
      std::vector<Text> parts;
      for (const RecordField& each : record_fields_) {
        parts.push_back(':' + Text(each.name));
        parts.push_back(expression(each.type, depth > 0 ? depth - 1 : 0));
      }
      return joined(parts, "{", "}");
    }
  }
}

}  // namespace ptc::test
