// Patterns that take values apart.
#include "tools/generator/composer.h"

namespace ptc::generator {

Text Composer::taken_apart(TypeRef type, unsigned depth) {
  const Inside inside(*this);
  const TypeRef element = any_scalar();
  if (random_.chance(40)) {
    const TypeRef other = any_scalar();
    const Text value = vector({expression(element, depth), expression(other, depth), expression(element, depth)});
    const Text first = fresh_name("a");
    variables_.push_back({first, element});
    const Text second = "b" + std::to_string(++names_);
    variables_.push_back({second, other});
    return form({"let", vector({vector({first, second, "& more"}), value}), expression(type, depth)});
  }
  if (random_.chance(40)) {
    const Text value = expression(record_, depth);
    variables_.push_back({"score", int_});
    variables_.push_back({"tags", types_.vector_of(keyword_)});
    return form({"let", vector({"{:keys [score tags]}", value}), expression(type, depth)});
  }
  const Text value = expression(types_.keyword_map_of(element), depth);
  // Evaluated only when :alpha is missing; in Clojure always.
  const Text otherwise = in_clojure() ? literal(element, 0) : expression(element, depth);
  variables_.push_back({"alpha", element});
  const Text renamed = "g" + std::to_string(++names_);
  variables_.push_back({renamed, element});
  const Text pattern = "{:keys [alpha] " + renamed + " :gamma :or {alpha " + otherwise + ' ' + renamed + ' ' +
                       literal(element, 0) + "}}";
  return form({"let", vector({pattern, value}), expression(type, depth)});
}

}  // namespace ptc::generator
