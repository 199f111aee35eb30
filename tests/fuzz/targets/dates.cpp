// Any text as a date: by every function that reads one. What is printed of a date reads as the same date.
#include "fuzz/fuzz_target.h"
#include "fuzz/value_trial.h"
#include "runtime/signature/coercion.h"
#include "vm/builtins/date_text.h"
#include "vm/value/equality.h"
#include "vm/value/print.h"

using ptc::BuiltinId;
using ptc::Value;

namespace {

void expect_same_again(ptc::fuzz::ValueTrial& trial, BuiltinId id, Value value) {
  std::string printed;
  append_str(printed, value, trial.heap);
  const Value again = trial.call(id, {trial.text(printed)});
  ptc::fuzz::promise(!again.is_absent() && equal(again, value), "a date is printed and reads as another");
  trial.heap.release(again);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Kind = ptc::SignatureType::Kind;
  const std::string_view text = ptc::fuzz::text_of(data, size);
  ptc::parse_date_text(text);
  ptc::fuzz::ValueTrial trial;
  trial.try_call(BuiltinId::date_new, {trial.text(text)});
  for (const BuiltinId id : {BuiltinId::LocalDate_parse, BuiltinId::Instant_parse}) {
    const Value value = trial.call(id, {trial.text(text)});
    if (value.is_absent()) continue;
    expect_same_again(trial, id, value);
    trial.try_call(BuiltinId::Duration_between, {retained(value), retained(value)});
    trial.heap.release(value);
  }
  for (const Kind kind : {Kind::Date, Kind::Datetime, Kind::Duration}) {
    ptc::SignatureType type;
    type.kind = kind;
    trial.heap.release(coerce_type(trial.heap, type, trial.text(text), "text").value);
  }
  return 0;
}
