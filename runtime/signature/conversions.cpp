// A rule of all of these: what comes out can be turned back into what came in. So "007" is no integer (the zeros would
// be gone), and 1e300 is no integer either (no program meant exactly that number).
#include "runtime/signature/conversions.h"

#include <algorithm>
#include <cmath>

#include "schema/ascii.h"
#include "vm/value/calendar.h"
#include "vm/value/numeric.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

using TypeKind = SignatureType::Kind;

constexpr double kMaxExactFloat = 9'007'199'254'740'992.0;   // 2^53: above it floats skip integers
constexpr std::size_t kMaxIntegerText = 20'000;              // digits of kMaxIntegerBitsDefault, and a sign
constexpr std::size_t kMaxFloatText = 64;
constexpr std::size_t kExactDigits = 15;                     // decimal text of so many comes back from a double
constexpr std::size_t kMaxKeywordText = 256;                 // names are kept as long as the heap
constexpr std::size_t kMaxTemporalText = 64;

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

// The end of an integer as JSON and we write it, at the start of the text: no "+", no leading zeros. 0: none.
std::size_t integer_end(std::string_view text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  const std::size_t count = digits_at(text, begin);
  return count == 0 || (count > 1 && text[begin] == '0') ? 0 : begin + count;
}

Value integer_of_text(Heap& heap, std::string_view text) {
  if (text.size() > kMaxIntegerText || text == "-0" || text.empty() || integer_end(text) != text.size()) {
    return Value::absent();
  }
  return integer_from_decimal(heap, text);
}

Value integer_of_float(double x) {
  const bool exact = std::trunc(x) == x && std::abs(x) <= kMaxExactFloat && !(x == 0 && std::signbit(x));
  return exact ? Value::integer(static_cast<std::int64_t>(x)) : Value::absent();
}

bool is_number_text(std::string_view text) {
  std::size_t at = integer_end(text);
  if (at == 0) return false;
  if (at < text.size() && text[at] == '.') {
    const std::size_t count = digits_at(text, at + 1);
    if (count == 0) return false;
    at += 1 + count;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t count = digits_at(text, at);
    if (count == 0) return false;
    at += count;
  }
  return at == text.size();
}

// Digits of the number in front of the exponent, without leading zeros.
std::size_t significant_digits(std::string_view number) {
  std::size_t count = 0;
  for (const char c : number.substr(0, number.find_first_of("eE"))) {
    if (is_digit(c) && (count > 0 || c != '0')) ++count;
  }
  return count;
}

// Text with more digits than a float holds is taken only when it is how that float is written.
Value float_of_text(std::string_view text) {
  if (text.size() > kMaxFloatText || !is_number_text(text)) return Value::absent();
  const auto x = parse_double(text);
  if (!x || !std::isfinite(*x)) return Value::absent();
  const std::size_t digits = significant_digits(text);
  if (digits > 0 && !std::isnormal(*x)) return Value::absent();
  std::string written;
  append_float(written, *x, true);
  return digits <= kExactDigits || written == text ? Value::real(*x) : Value::absent();
}

Value datetime_of_text(Heap& heap, std::string_view text) {
  const auto at = parse_instant(text);
  const bool leap_second = text.find(":60") != std::string_view::npos;     // the calendar has no such second
  return at && !leap_second ? instant_of(heap, *at) : Value::absent();
}

Value of_text(Heap& heap, TypeKind kind, std::string_view text) {
  switch (kind) {
    case TypeKind::Int: return integer_of_text(heap, text);
    case TypeKind::Float: return float_of_text(text);
    case TypeKind::Bool:
      return text == "true" ? Value::boolean(true) : text == "false" ? Value::boolean(false) : Value::absent();
    case TypeKind::Keyword:
      return text.size() <= kMaxKeywordText && is_plain_keyword(text) ? Value::of(heap.intern(text)) : Value::absent();
    default: break;
  }
  if (text.size() > kMaxTemporalText) return Value::absent();
  if (kind == TypeKind::Datetime) return datetime_of_text(heap, text);
  if (kind == TypeKind::Date) {
    const auto day = parse_date(text);
    return day ? Value::date(*day) : Value::absent();
  }
  if (kind == TypeKind::Duration) {
    const auto length = parse_duration(text);
    return length ? duration_of(heap, *length) : Value::absent();
  }
  return Value::absent();
}

Value text_of(Heap& heap, Value value) {
  if (value.is_keyword()) return string_of(heap, value.keyword->name());
  if (!value.is(Tag::Date) && !value.is(Tag::Instant) && !value.is(Tag::Duration)) return Value::absent();
  std::string text;
  append_temporal(text, value);
  return string_of(heap, text);
}

}  // namespace

Value integer_as_float(Value integer) {
  const Value real = Value::real(num_to_double(integer));
  return num_compare(integer, real) == Ordering::Equal ? real : Value::absent();
}

Value converted_scalar(Heap& heap, TypeKind kind, Value value) {
  if (value.is_string()) return of_text(heap, kind, string_view_of(value));
  if (kind == TypeKind::Int && value.is_float()) return integer_of_float(value.d);
  if (kind == TypeKind::String) return text_of(heap, value);
  return Value::absent();
}

}  // namespace ptc
