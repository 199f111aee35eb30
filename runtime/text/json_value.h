// Reads JSON text into values and writes values as JSON text: context files, tool results, reports.
//
// Reading: objects become maps with string keys (when a key is there twice, the last one wins), integers stay exact at
// any size within the integer limit, other numbers become floats. Writing never fails: keywords become their names,
// sets become arrays, dates become ISO text, NaN and infinities become null, functions become their readable text; map
// keys other than strings and keywords become their readable text. Both directions are iterative.
#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "runtime/text/value_builder.h"
#include "vm/value/print.h"
#include "vm/value/value.h"

namespace ptc {

using JsonError = TextError;

std::variant<Value, JsonError> read_json(Heap& heap,
                                         std::string_view text);  // the caller owns the value
void append_json(std::string& out, Value v, Heap& heap, PrintLimit limit = {});

}  // namespace ptc
