// A line as a format string, the rest as EDN: its elements are the arguments. A text of bounded size, or a fault.
#include <vector>

#include "fuzz/fuzz_target.h"
#include "fuzz/value_trial.h"
#include "runtime/text/edn.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

using ptc::Value;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = ptc::fuzz::text_of(data, size);
  const std::string_view pattern = ptc::fuzz::take_line(text);
  ptc::fuzz::ValueTrial trial;
  std::vector<Value> arguments = {trial.text(pattern)};
  if (const auto read = read_edn(trial.heap, text); const auto* value = std::get_if<Value>(&read)) {
    if (value->is_vector()) {
      for (std::uint32_t k = 0; k < ptc::vector_count(*value); ++k) {
        arguments.push_back(retained(ptc::vector_at(*value, k)));
      }
    }
    trial.heap.release(*value);
  }
  const Value result = trial.call(ptc::BuiltinId::format, std::move(arguments));
  if (result.is_absent()) return 0;
  const std::size_t bytes = ptc::string_view_of(result).size();
  ptc::fuzz::promise(bytes <= trial.env.limits.string_bytes, "a text beyond its limit");
  trial.heap.release(result);
  return 0;
}
