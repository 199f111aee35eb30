// Text to numbers and booleans. Anything that is not such text gives nil; only a pending handle and an integer wider
// than the limit are faults.
#include <algorithm>
#include <limits>

#include "vm/builtins/text.h"
#include "schema/ascii.h"
#include "vm/value/numeric.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_integer_text(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::string_view take_digits(std::string_view& rest) {
  std::size_t count = 0;
  while (count < rest.size() && is_digit(rest[count])) ++count;
  const std::string_view digits = rest.substr(0, count);
  rest.remove_prefix(count);
  return digits;
}

// Java's trim: everything up to the space.
std::string_view without_controls(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Java's decimal spellings (".5", "1.", "Infinity"), rewritten to the one that parse_double accepts.
std::optional<double> parse_java_double(std::string_view text) {
  std::string_view rest = without_controls(text);
  std::string spelled;
  if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) {
    if (rest.front() == '-') spelled += '-';
    rest.remove_prefix(1);
  }
  const bool negative = !spelled.empty();
  if (rest == "Infinity") return negative ? -kInfinity : kInfinity;
  if (rest == "NaN") return std::numeric_limits<double>::quiet_NaN();
  const std::string_view whole = take_digits(rest);
  std::string_view fraction;
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  spelled.append(whole.empty() ? "0" : whole).append(".").append(fraction.empty() ? "0" : fraction);
  if (!rest.empty()) {
    if (rest.front() != 'e' && rest.front() != 'E') return std::nullopt;
    rest.remove_prefix(1);
    if (!is_integer_text(rest)) return std::nullopt;
    spelled.append("e").append(rest.front() == '+' ? rest.substr(1) : rest);
  }
  return parse_double(spelled);
}

Value parse_integer(Call& call) {
  if (!check_none_pending(call)) return Value::absent();
  if (!call.arg(0).is_string()) return Value::nil();
  return integer_of_text(call, string_view_of(call.arg(0)));
}

}  // namespace

Value integer_of_text(Call& call, std::string_view text) {
  if (!is_integer_text(text)) return Value::nil();
  charge_bytes(call, text.size());
  const std::uint32_t limit = call.env.limits.integer_bits;
  const Value number = integer_from_decimal(call.heap, text, limit);
  if (!number.is_absent()) return number;
  return call.fail(FaultKind::IntegerLimitExceeded, std::string(call.name()) + ": integer wider than " +
                                                        std::to_string(limit) + " bits");
}

Value builtin_parse_long(Call& call) { return parse_integer(call); }
Value builtin_parse_int(Call& call) { return parse_integer(call); }

Value builtin_parse_double(Call& call) {
  if (!check_none_pending(call)) return Value::absent();
  if (!call.arg(0).is_string()) return Value::nil();
  charge_bytes(call, as_string(call.arg(0))->size_bytes);
  const std::optional<double> x = parse_java_double(string_view_of(call.arg(0)));
  return x ? Value::real(*x) : Value::nil();
}

Value builtin_parse_boolean(Call& call) {
  if (!check_none_pending(call)) return Value::absent();
  if (!call.arg(0).is_string()) return Value::nil();
  const std::string_view text = string_view_of(call.arg(0));
  if (text == "true") return Value::boolean(true);
  return text == "false" ? Value::boolean(false) : Value::nil();
}

}  // namespace ptc
