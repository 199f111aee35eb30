#include "runtime/text/edn_json.h"

#include <cstdint>

#include "runtime/text/bounded_text.h"
#include "runtime/text/edn.h"
#include "runtime/text/json_text.h"

namespace ptc {
namespace {

constexpr std::uint64_t kValueMemory = 256u << 20;

}  // namespace

std::string json_of_edn(std::string_view edn) {
  if (edn.empty()) return "null";
  Heap heap(kValueMemory);
  auto read = read_edn(heap, edn);
  if (const auto* value = std::get_if<Value>(&read)) {
    const Owned owned(heap, *value);
    heap.set_limit_bytes(UINT64_MAX);   // which bounds the value, not the text
    return json_within(heap, owned.get()).text;
  }
  std::string out;
  append_json_string(out, edn);
  return out;
}

}  // namespace ptc
