// A line as a pattern, the rest as the text that it is used on: refused with a place inside of it, or used by every
// function of the language that takes one.
#include "fuzz/fuzz_target.h"
#include "fuzz/value_trial.h"
#include "vm/builtins/regex.h"

using ptc::BuiltinId;
using ptc::Value;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ptc::fuzz::promise;
  std::string_view text = ptc::fuzz::text_of(data, size);
  const std::string_view pattern = ptc::fuzz::take_line(text);
  std::string error;
  std::size_t position = 0;
  const bool good = ptc::regex_check(pattern, error, position);
  promise(good || (!error.empty() && position <= pattern.size()), "refused without reason or place");
  ptc::fuzz::ValueTrial trial;
  trial.try_call(BuiltinId::re_pattern, {trial.text(pattern)});
  if (!good) return 0;
  const Value regex = ptc::regex_make(trial.heap, pattern, nullptr);
  for (const BuiltinId id : {BuiltinId::re_find, BuiltinId::re_matches, BuiltinId::re_seq, BuiltinId::re_split}) {
    trial.try_call(id, {retained(regex), trial.text(text)});
  }
  trial.try_call(BuiltinId::split, {trial.text(text), retained(regex)});
  trial.try_call(BuiltinId::split, {trial.text(text), retained(regex), Value::integer(3)});
  const Value all = Value::boolean(true);
  trial.try_call(BuiltinId::h_replace_text, {trial.text(text), retained(regex), trial.text("<$0>"), all});
  trial.heap.release(regex);
  return 0;
}
