// Strings and keywords.
#include "support/generator/composer.h"

namespace ptc::test {

Text Composer::text_pieces(TypeRef type, unsigned depth) {
  switch (random_.below(4)) {
    case 0: return bounded(type, form({"join", "\",\"", expression(types_.vector_of(any_scalar()), depth)}));
    case 1: return bounded(type, form({"format", "\"%d of %s\"", expression(int_, depth), expression(string_, depth)}));
    case 2: return bounded(type, form({"str", expression(string_, depth), quoted_word(), expression(int_, depth)}));
    default: return bounded(type, form({"str", expression(string_, depth), expression(any_data(1), depth)}));
  }
}

Text Composer::text_change(TypeRef, unsigned depth) {
  static constexpr std::string_view kChanges[] = {"upcase", "downcase", "capitalize", "trim", "clojure.string/reverse"};
  switch (random_.below(3)) {
    case 0: return form({"subs", expression(string_, depth), "0", std::to_string(random_.between(0, 6))});
    case 1: return form({"replace", expression(string_, depth), "\"e\"", "\"3\""});
    default: return form({Text(random_.pick(kChanges)), expression(string_, depth)});
  }
}

Text Composer::text_of_other(TypeRef type, unsigned depth) {
  switch (random_.below(4)) {
    case 0: return form({"name", expression(keyword_, depth)});
    case 1: return form({":label", expression(record_, depth)});
    case 2: return bounded(type, form({"pr-str", expression(any_data(2), depth)}));
    default: return form({"str", expression(int_, depth)});
  }
}

Text Composer::keyword_of_other(TypeRef, unsigned depth) {
  const TypeRef map_type = types_.keyword_map_of(any_scalar());
  switch (random_.below(4)) {
    case 0: return form({"keyword", form({"str", "\"k\"", form({"mod", expression(int_, depth), "3"})})});
    case 1: return form({"or", form({"first", form({"keys", expression(map_type, depth)})}), keyword()});
    case 2: return form({"or", form({"last", form({":tags", expression(record_, depth)})}), keyword()});
    default: return form({"if", expression(bool_, depth), keyword(), keyword()});
  }
}

}  // namespace ptc::test
