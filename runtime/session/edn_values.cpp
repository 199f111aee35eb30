#include "runtime/session/edn_values.h"

#include <utility>
#include <vector>

#include "runtime/engine/function_text.h"
#include "runtime/text/counted_bytes.h"
#include "runtime/text/edn.h"
#include "runtime/text/json_value.h"
#include "runtime/text/text_place.h"
#include "vm/value/account.h"
#include "vm/value/map.h"
#include "vm/value/string.h"

namespace ptc {

std::optional<std::string> edn_name(Value key) {
  if (key.is_keyword()) return std::string(key.keyword->name());
  if (key.is_string()) return std::string(string_view_of(key));
  return std::nullopt;
}

// Returns a function that the caller owns, or absent when the text is no function.
Value EdnValues::make_function(std::string_view source, Value borrowed_captured,
                               std::span<const std::string_view> names) {
  std::vector<std::string> captured;
  for (MapCursor entry(run_.heap(), borrowed_captured); entry.next();) {
    auto name = edn_name(entry.key());
    if (!name) return Value::absent();
    captured.push_back(std::move(*name));
  }
  const std::vector<std::string_view> captured_names(captured.begin(), captured.end());
  const AccountScope whole(run_.heap(), nullptr);   // the compiler is never left in the middle
  const auto program = function_program(source, captured_names);
  if (!program) return Value::absent();
  CompileRequest request;
  request.source = *program;
  request.memory_names = names;
  const CompileAnswer answer = engine_.compile(request);
  if (answer.program == nullptr) return Value::absent();
  run_.set_context(retained(borrowed_captured));
  const std::uint64_t turn = run_.turn();
  run_.start(answer.program);
  const StepStatus status = run_.step();
  run_.set_identity(run_.run_id(), turn);     // no turn of the program's
  run_.set_context(Value::nil());
  if (status != StepStatus::Completed || !run_.result().is_function()) return Value::absent();
  return retained(run_.result());
}

std::optional<Value> EdnValues::read_with(std::string_view edn, std::span<const std::string_view> names,
                                          bool bounds_regexes, std::string& message) {
  EdnHooks hooks;
  hooks.bounds_regexes = bounds_regexes;
  const Owned no_captures(run_.heap(), map_empty(run_.heap()));
  const CountedBytes counted(run_.heap(), edn.size());
  hooks.closure = [&](std::string_view source, Value captured) { return make_function(source, captured, names); };
  hooks.function = [&](std::string_view text) { return make_function(text, no_captures.get(), names); };
  auto read = read_edn(run_.heap(), edn, hooks);
  if (auto* value = std::get_if<Value>(&read)) return *value;
  const EdnError& error = std::get<EdnError>(read);
  if (error.kind == EdnError::Kind::TooLarge) {
    refuse();
    return Value::nil();
  }
  message = error.message + " at " + text_place_words(edn, error.offset);
  return std::nullopt;
}

std::optional<Value> EdnValues::read_json(std::string_view json, std::string& message) {
  const CountedBytes counted(run_.heap(), json.size());
  auto read = ptc::read_json(run_.heap(), json);
  if (auto* value = std::get_if<Value>(&read)) return *value;
  const JsonError& error = std::get<JsonError>(read);
  if (error.kind == JsonError::Kind::TooLarge) {
    refuse();
    return Value::nil();
  }
  message = error.message + " at " + text_place_words(json, error.offset);
  return std::nullopt;
}

std::optional<Value> EdnValues::read_map(std::string_view edn, std::string_view what, std::string& message) {
  auto value = read_data(edn, message);
  if (value && value->is_nil()) value = map_empty(run_.heap());
  if (value && !value->is_map()) {
    message = std::string(what) + " must be a map";
    run_.heap().release(*value);
    return std::nullopt;
  }
  return value;
}

}  // namespace ptc
