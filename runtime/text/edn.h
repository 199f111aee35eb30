// Reads EDN text into values: the text that append_edn writes, and text that hosts write. The reader is iterative, and
// the text bounds the nesting.
//
// Lists become vectors, characters become strings of one character, ratios become floats. The language has no symbols:
// the reader turns x into the string "'x", which data/'x looks for. #"…" is a regex as programs write it; #ptc/regex
// "…" is a regex with all escapes of a string. When a map has a key twice, the last one wins. Functions need hooks,
// because this file does not use the compiler.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "runtime/text/value_builder.h"
#include "vm/value/value.h"

namespace ptc {

using EdnError = TextError;

// Each hook returns an owned value, or Absent to refuse the text.
struct EdnHooks {
  // #ptc/closure {:src "…" :captured {…}}; captured is a map, borrowed.
  std::function<Value(std::string_view source, Value borrowed_captured)> closure;
  // #ptc/fn "…": the text of a function form, or the name of a builtin or tool/…
  std::function<Value(std::string_view text)> function;
  // Refuses a text whose regular expressions are more than a program may have (schema/regex_total.h).
  bool bounds_regexes = false;
};

// Returns whether the text may hold functions, which only hooks can read.
bool holds_functions(std::string_view edn);

// Reads exactly one value, which the caller owns.
std::variant<Value, EdnError> read_edn(Heap& heap, std::string_view text, const EdnHooks& hooks = {});

}  // namespace ptc
