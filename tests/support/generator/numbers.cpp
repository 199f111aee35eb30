// Integers, floats and truth values.
#include "support/generator/composer.h"

namespace ptc::test {

Text Composer::integer_arithmetic(TypeRef type, unsigned depth) {
  switch (random_.below(5)) {
    case 0: return bounded(type, form({"*", expression(int_, depth), expression(int_, depth)}));
    case 1: return form({"-", expression(int_, depth), expression(int_, depth)});
    case 2: return bounded(type, form({"+", expression(int_, depth), expression(int_, depth), integer()}));
    case 3: return form({"max", expression(int_, depth), expression(int_, depth)});
    default: return form({"+", expression(int_, depth), expression(int_, depth)});
  }
}

Text Composer::integer_step(TypeRef, unsigned depth) {
  static constexpr std::string_view kSteps[] = {"inc", "dec", "abs", "-"};
  static constexpr std::string_view kDivisions[] = {"quot", "rem", "mod"};
  if (random_.chance(50)) return form({Text(random_.pick(kSteps)), expression(int_, depth)});
  return form({Text(random_.pick(kDivisions)), expression(int_, depth), std::to_string(random_.between(2, 13))});
}

Text Composer::integer_of_collection(TypeRef, unsigned depth) {
  const TypeRef numbers = types_.vector_of(int_);
  switch (random_.below(9)) {
    case 0: return form({"reduce", "+", "0", expression(numbers, depth)});
    case 1: return form({"apply", random_.chance(50) ? "max" : "+", integer(), expression(numbers, depth)});
    case 2: return form({"sum", expression(numbers, depth)});
    case 3: return form({"sum-by", ":score", expression(types_.vector_of(record_), depth)});
    case 4: return form({"count", expression(string_, depth)});
    case 5: return form({"count", expression(int_set_, depth)});
    case 6:
      return form({"reduce-kv", "(fn [acc k v] (+ acc v))", "0", expression(types_.keyword_map_of(int_), depth)});
    case 7: return form({"count", "(keys " + expression(types_.string_map_of(any_scalar()), depth) + ")"});
    default: return form({"count", expression(types_.vector_of(any_data(1)), depth)});
  }
}

Text Composer::integer_of_other(TypeRef, unsigned depth) {
  static constexpr std::string_view kRoundings[] = {"int", "round", "floor", "ceil"};
  const TypeRef scalar = any_scalar();
  switch (random_.below(6)) {
    case 0: return form({Text(random_.pick(kRoundings)), expression(float_, depth)});
    case 1: return form({random_.chance(50) ? ":score" : ":id", expression(record_, depth)});
    case 2: return form({"compare", expression(scalar, depth), expression(scalar, depth)});
    case 3: return form({"if", expression(bool_, depth), integer(), integer()});
    case 4: return form({"or", form({"index-of", expression(string_, depth), "\"e\""}), integer()});
    default: return form({"or", form({"parse-long", form({"str", expression(int_, depth)})}), "0"});
  }
}

Text Composer::float_arithmetic(TypeRef type, unsigned depth) {
  switch (random_.below(4)) {
    case 0: return form({"*", expression(float_, depth), "0.5"});
    case 1: return form({"max", expression(float_, depth), expression(float_, depth)});
    case 2: return bounded(type, form({"-", expression(float_, depth), expression(float_, depth)}));
    default: return bounded(type, form({"+", expression(float_, depth), expression(float_, depth)}));
  }
}

Text Composer::float_of_other(TypeRef, unsigned depth) {
  switch (random_.below(4)) {
    case 0: return form({"/", expression(int_, depth), std::to_string(random_.between(2, 9))});
    case 1: return form({"/", expression(float_, depth), form({"inc", form({"abs", expression(float_, depth)})})});
    case 2: return form({"sqrt", form({"abs", expression(float_, depth)})});
    default: return form({"double", expression(int_, depth)});
  }
}

Text Composer::comparison(TypeRef, unsigned depth) {
  static constexpr std::string_view kOrders[] = {"<", ">", "<=", ">="};
  const TypeRef data = any_data(1);
  switch (random_.below(4)) {
    case 0: return form({Text(random_.pick(kOrders)), expression(int_, depth), expression(int_, depth)});
    case 1: return form({Text(random_.pick(kOrders)), expression(float_, depth), expression(int_, depth), integer()});
    case 2: return form({"not=", expression(data, depth), expression(data, depth)});
    default: return form({"=", expression(data, depth), expression(data, depth)});
  }
}

Text Composer::connective(TypeRef, unsigned depth) {
  switch (random_.below(3)) {
    case 0: return form({"not", expression(bool_, depth)});
    case 1: return form({"or", expression(bool_, depth), expression(bool_, depth)});
    default: return form({"and", expression(bool_, depth), expression(bool_, depth)});
  }
}

Text Composer::test_of_collection(TypeRef, unsigned depth) {
  const TypeRef element = any_scalar();
  const TypeRef vector_type = types_.vector_of(element);
  const TypeRef map_type = types_.keyword_map_of(any_scalar());
  switch (random_.below(7)) {
    case 0: return form({"contains?", expression(int_set_, depth), expression(int_, depth)});
    case 1: return form({"contains?", expression(map_type, depth), keyword()});
    case 2: return form({"empty?", expression(any_data(1)->is_collection() ? vector_type : map_type, depth)});
    case 3: return form({"subset?", expression(int_set_, depth), expression(int_set_, depth)});
    case 4: return form({"every?", predicate(element, depth), expression(vector_type, depth)});
    case 5: return form({"not-any?", predicate(element, depth), expression(vector_type, depth)});
    default: return form({"boolean", form({"some", predicate(element, depth), expression(vector_type, depth)})});
  }
}

Text Composer::test_of_number(TypeRef, unsigned depth) {
  static constexpr std::string_view kTests[] = {"even?", "odd?", "pos?", "neg?", "zero?"};
  static constexpr std::string_view kTextTests[] = {"includes?", "starts-with?", "ends-with?"};
  switch (random_.below(4)) {
    case 0: return form({Text(random_.pick(kTextTests)), expression(string_, depth), "\"a\""});
    case 1: return form({random_.chance(50) ? ":ok" : "some?", expression(record_, depth)});
    case 2: return form({"blank?", expression(string_, depth)});
    default: return form({Text(random_.pick(kTests)), expression(int_, depth)});
  }
}

}  // namespace ptc::test
