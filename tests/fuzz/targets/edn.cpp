// Any text as EDN: refused with a reason and a place, or read; what is written of it reads as the same.
#include "fuzz/fuzz_target.h"
#include "fuzz/value_trial.h"
#include "runtime/text/edn.h"
#include "vm/value/equality.h"
#include "vm/value/print.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ptc::fuzz::promise;
  ptc::fuzz::ValueTrial trial;
  const auto read = read_edn(trial.heap, ptc::fuzz::text_of(data, size));
  if (const auto* error = std::get_if<ptc::EdnError>(&read)) {
    promise(!error->message.empty() && error->offset <= size, "refused without reason or place");
    return 0;
  }
  const ptc::Value value = std::get<ptc::Value>(read);
  std::string text, second;
  append_edn(text, value, trial.heap);
  const auto again = read_edn(trial.heap, text);
  if (const auto* error = std::get_if<ptc::EdnError>(&again)) {
    ptc::fuzz::complain("written, and refused: " + error->message);
  }
  append_edn(second, std::get<ptc::Value>(again), trial.heap);
  promise(second == text, "written, read, and written otherwise");
  trial.heap.release(value);
  trial.heap.release(std::get<ptc::Value>(again));
  return 0;
}
