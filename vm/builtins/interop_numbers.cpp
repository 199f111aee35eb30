// The parse methods of Double, Float, Integer, Long and Boolean.
#include <limits>

#include "vm/builtins/java_call.h"
#include "vm/builtins/java_number.h"
#include "vm/builtins/number_call.h"
#include "vm/value/string.h"

namespace ptc {

namespace {

constexpr std::size_t kBytesPerUnit = 16;   // of fuel

Value parse_real(Call& call, std::optional<double> (*parse)(std::string_view), std::string_view kind) {
  std::string_view text;
  if (!java_string(call, 0, text)) return Value::absent();
  call.charge(text.size() / kBytesPerUnit);
  const auto x = parse(text);
  if (!x) return java_domain_error(call, "invalid Java " + std::string(kind) + " string " + shown(text));
  return Value::real(*x);
}

Value parse_integer(Call& call, std::int64_t min, std::int64_t max, std::string_view kind) {
  std::string_view text;
  if (!java_string(call, 0, text)) return Value::absent();
  call.charge(text.size() / kBytesPerUnit);
  const auto n = parse_java_integer(text, min, max);
  if (!n) return java_domain_error(call, "invalid Java " + std::string(kind) + " string " + shown(text));
  return Value::integer(*n);
}

bool is_true(std::string_view text) {
  constexpr std::string_view kTrue = "true";
  if (text.size() != kTrue.size()) return false;
  for (std::size_t i = 0; i < kTrue.size(); ++i) {
    if ((text[i] | 0x20) != kTrue[i]) return false;
  }
  return true;
}

}  // namespace

Value builtin_Double_parseDouble(Call& call) { return parse_real(call, parse_java_double, "double"); }
Value builtin_Float_parseFloat(Call& call) { return parse_real(call, parse_java_float, "float"); }

Value builtin_Integer_parseInt(Call& call) {
  return parse_integer(call, std::numeric_limits<std::int32_t>::min(),
                       std::numeric_limits<std::int32_t>::max(), "integer");
}

Value builtin_Long_parseLong(Call& call) {
  return parse_integer(call, std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::int64_t>::max(), "long");
}

Value builtin_Boolean_parseBoolean(Call& call) {
  if (call.arg(0).is_nil()) return Value::boolean(false);
  std::string_view text;
  if (!java_string(call, 0, text)) return Value::absent();
  return Value::boolean(is_true(text));
}

}  // namespace ptc
