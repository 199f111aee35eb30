// Argument conversions of the interop members.
#include "vm/builtins/java_call.h"

#include <cmath>

#include "vm/builtins/number_call.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {

bool java_string(Call& call, std::uint32_t i, std::string_view& text) {
  if (!call.arg(i).is_string()) {
    java_type_error(call, i + 1, "string");
    return false;
  }
  text = string_view_of(call.arg(i));
  return true;
}

bool java_long(Call& call, std::uint32_t i, std::int64_t& n) {
  constexpr double kLimit = 9223372036854775808.0;
  const Value v = call.arg(i);
  if (v.is_int()) {
    n = v.i;
    return true;
  }
  if (v.is_float() && std::isnan(v.d)) {
    n = 0;
    return true;
  }
  if (v.is_float() && v.d >= -kLimit && v.d < kLimit) {
    n = static_cast<std::int64_t>(v.d);
    return true;
  }
  java_type_error(call, i + 1, v.is_number() ? "integer of 64 bits" : "number");
  return false;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::size_t size = text.size() < kMost ? text.size() : kMost;
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U) --size;
  std::string out;
  append_quoted(out, text.substr(0, size));
  if (size < text.size()) out += "...";
  return out;
}

}  // namespace ptc
