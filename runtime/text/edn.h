// EDN text -> values: what append_edn writes, and what hosts write by hand. Iterative; nesting is bounded by
// the text.
//
// Lists are vectors, characters one-character strings, ratios floats. The language has no symbols: x is read
// as the string "'x", which is what data/'x looks for. #"…" is a regex as programs write it, #ptc/regex "…"
// one with all escapes of a string. Of equal map keys the last wins. Functions need hooks: this file knows no
// compiler.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "runtime/text/value_builder.h"
#include "vm/value/value.h"

namespace ptc {

using EdnError = TextError;

// Each gives an owned value or Absent, which refuses the text.
struct EdnHooks {
  // #ptc/closure {:src "…" :captured {…}}; captured is a map, borrowed.
  std::function<Value(std::string_view source, Value borrowed_captured)> closure;
  // #ptc/fn "…": the text of a function form, or the name of a builtin or tool/…
  std::function<Value(std::string_view text)> function;
};

// Whether the text may hold functions: reading them needs hooks.
bool holds_functions(std::string_view edn);

// Exactly one value; the caller owns it.
std::variant<Value, EdnError> read_edn(Heap& heap, std::string_view text, const EdnHooks& hooks = {});

}  // namespace ptc
