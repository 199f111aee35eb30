// JSON text <-> values, for data that hosts hand in and get back: context files, tool results, reports.
//
// Reading: objects are maps with string keys (of equal ones the last wins), integers exact at any size within
// the integer limit, other numbers floats. Writing never fails: keywords are their names, sets arrays, dates
// ISO text, NaN and infinities null, anything that is no data its readable text; map keys that are no strings
// or keywords are their readable text. Both directions are iterative.
#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "runtime/text/value_builder.h"
#include "vm/value/value.h"

namespace ptc {

using JsonError = TextError;

std::variant<Value, JsonError> read_json(Heap& heap,
                                         std::string_view text);  // exactly one value, owned by the caller
void append_json(std::string& out, Value v, Heap& heap);

}  // namespace ptc
