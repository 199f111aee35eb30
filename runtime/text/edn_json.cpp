#include "runtime/text/edn_json.h"

#include "runtime/text/edn.h"
#include "runtime/text/json_text.h"
#include "runtime/text/json_value.h"

namespace ptc {
namespace {

constexpr std::uint64_t kValueMemory = 256u << 20;

}  // namespace

std::string json_of_edn(const std::string& edn) {
  if (edn.empty()) return "null";
  Heap heap(kValueMemory);
  std::string out;
  auto read = read_edn(heap, edn);
  if (const auto* value = std::get_if<Value>(&read)) {
    const Owned owned(heap, *value);
    append_json(out, owned.get(), heap);
  } else {
    append_json_string(out, edn);
  }
  return out;
}

}  // namespace ptc
