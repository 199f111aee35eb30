#include "vm/builtins/hidden_arguments.h"

#include <string_view>

#include "vm/value/map.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// One letter an argument: s text; p position, from 0 to the greatest index; v vector; k vector, at least as long as the
// next argument; w vector that is not empty; a anything.
std::string_view kinds_of(BuiltinId id) {
  switch (id) {
    case BuiltinId::h_seq:
    case BuiltinId::h_callable:
    case BuiltinId::h_map:
    case BuiltinId::h_key_values:
    case BuiltinId::h_times: return "spa";
    case BuiltinId::h_rows: return "spv";
    case BuiltinId::h_fail: return "ss";
    case BuiltinId::h_join:
    case BuiltinId::h_path_get: return "av";
    case BuiltinId::h_group:
    case BuiltinId::h_distinct_by:
    case BuiltinId::h_partition_by: return "kv";
    case BuiltinId::h_extreme: return "savv";
    case BuiltinId::h_extreme_number: return "sakw";
    case BuiltinId::h_sum:
    case BuiltinId::h_avg:
    case BuiltinId::h_pairs_map: return "sv";
    case BuiltinId::h_open: return "saaa";
    case BuiltinId::h_fill_nil: return "vv";
    case BuiltinId::h_nth_bind:
    case BuiltinId::h_rest_bind: return "vp";
    case BuiltinId::h_kwargs: return "v";
    default: return {};   // its body looks at everything itself
  }
}

bool is_position(Value v) { return v.is_int() && v.i >= 0 && v.i <= std::int64_t{UINT32_MAX}; }

// A collection opened by %open, with the key that it gave.
bool is_opened(Value container, Value key) {
  if (container.is_map()) return true;
  return container.is_vector() && is_position(key) && key.i <= std::int64_t{vector_count(container)};
}

}  // namespace

bool hidden_arguments_fit(BuiltinId id, std::span<const Value> args) {
  if (id == BuiltinId::h_close) return is_opened(args[0], args[1]);
  const std::string_view kinds = kinds_of(id);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const Value v = args[k];
    bool fits = true;
    switch (kinds[k]) {
      case 's': fits = v.is_string(); break;
      case 'p': fits = is_position(v); break;
      case 'v': fits = v.is_vector(); break;
      case 'w': fits = v.is_vector() && vector_count(v) > 0; break;
      case 'k':
        fits = v.is_vector() && args[k + 1].is_vector() && vector_count(v) >= vector_count(args[k + 1]);
        break;
      default: break;
    }
    if (!fits) return false;
  }
  return true;
}

}  // namespace ptc
