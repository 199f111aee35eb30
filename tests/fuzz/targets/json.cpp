// Any text as JSON, by the runtime's reader and by the builtins of the language; what is written of it reads as the
// same.
#include "fuzz/fuzz_target.h"
#include "fuzz/value_trial.h"
#include "runtime/text/json_value.h"

using ptc::BuiltinId;
using ptc::Value;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ptc::fuzz::promise;
  const std::string_view text = ptc::fuzz::text_of(data, size);
  ptc::fuzz::ValueTrial trial;
  trial.heap.release(trial.call(BuiltinId::json_parse_lines, {trial.text(text)}));
  const Value parsed = trial.call(BuiltinId::json_parse_string, {trial.text(text)});
  if (!parsed.is_absent()) trial.heap.release(trial.call(BuiltinId::json_generate_string, {parsed}));
  const auto read = read_json(trial.heap, text);
  if (const auto* error = std::get_if<ptc::JsonError>(&read)) {
    promise(!error->message.empty() && error->offset <= size, "refused without reason or place");
    return 0;
  }
  std::string first, second;
  append_json(first, std::get<Value>(read), trial.heap);
  trial.heap.release(std::get<Value>(read));
  const auto again = read_json(trial.heap, first);
  if (const auto* error = std::get_if<ptc::JsonError>(&again)) {
    ptc::fuzz::complain("written, and refused: " + error->message);
  }
  append_json(second, std::get<Value>(again), trial.heap);
  trial.heap.release(std::get<Value>(again));
  promise(second == first, "written, read, and written otherwise");
  return 0;
}
