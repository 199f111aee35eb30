// The definitions that a text has, found without compiling it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/source_span.h"

namespace ptc {

// One (def …), (defonce …) or (defn …).
struct SourceDefinition {
  std::string name, doc;                   // doc: the docstring, or ""
  bool is_function = false;                // defn, or the value is a (fn …) or #(…)
  std::string parameters;                  // as the text has them; "" for values and for #(…)
  std::optional<std::uint32_t> arity;      // the least number of arguments; nullopt for values and for #(…)
  SourceSpan span;                         // the name
};

// Returns the definitions in the order of the text, those inside of other forms as well. A text that cannot be read has
// none.
std::vector<SourceDefinition> source_definitions(std::string_view text);

}  // namespace ptc
