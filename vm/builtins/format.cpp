// format: %s %d %f %e %x %o %b %c %n %% with the flags - + space 0 # and comma, width and precision. Capital S B X E C
// give upper case. nil is "" for %s, false for %b and "null" elsewhere; extra arguments are ignored.
#include <algorithm>
#include <cmath>

#include "vm/builtins/format_spec.h"
#include "vm/builtins/text.h"
#include "vm/value/numeric.h"
#include "vm/value/string.h"
#include "vm/value/unicode_case.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

constexpr std::string_view kConversions = "sdfexobc";
constexpr std::string_view kCapitals = "SBXEC";
constexpr std::uint64_t kCopiesOfDigits = 3;         // while a number is written with its precision
constexpr std::string_view kNumeric = "dfexo";       // may be padded with zeros

std::uint32_t grapheme_count(std::string_view text) {
  std::uint32_t count = 0;
  for (; !text.empty(); text.remove_prefix(grapheme_length(text))) {
    work_done_at_byte(text.size());
    ++count;
  }
  return count;
}

std::string_view first_graphemes(std::string_view text, std::uint32_t count) {
  std::size_t length = 0;
  for (; count > 0 && length < text.size(); --count) length += grapheme_length(text.substr(length));
  return text.substr(0, length);
}

class Formatter {
 public:
  explicit Formatter(Call& call) : call_(call), rest_(string_view_of(call.arg(0))), out_(call.heap) {}

  Value run() {
    while (!rest_.empty()) {
      const std::size_t plain = std::min(rest_.find('%'), rest_.size());
      out_ += rest_.substr(0, plain);
      rest_.remove_prefix(plain);
      if (!rest_.empty() && !directive()) return Value::absent();
    }
    return text_result(call_, out_);
  }

 private:
  bool fail(std::string message) {
    call_.fail(FaultKind::TypeError, "format: " + message);
    return false;
  }
  bool mismatch(std::string_view expected) {
    call_.type_error(arg_ + 1, expected);
    return false;
  }

  bool directive();
  bool parse(FormatSpec& spec, std::string_view directive_start);
  bool parse_flags(FormatSpec& spec);
  bool parse_count(std::uint32_t& count);
  bool convert(const FormatSpec& spec, ScratchText& text, bool& number);
  bool convert_number(const FormatSpec& spec, Value v, ScratchText& text);
  bool convert_character(Value v, ScratchText& text);
  bool pad(const FormatSpec& spec, std::string_view text, bool number);

  Call& call_;
  std::string_view rest_;
  ScratchText out_;
  std::uint32_t arg_ = 0;       // the argument used last
};

bool Formatter::parse_flags(FormatSpec& spec) {
  for (; !rest_.empty(); rest_.remove_prefix(1)) {
    switch (rest_.front()) {
      case '-': spec.left = true; break;
      case '+': spec.plus = true; break;
      case ' ': spec.space = true; break;
      case '0': spec.zero = true; break;
      case '#': spec.alternate = true; break;
      case ',': spec.grouped = true; break;
      default: return true;
    }
  }
  return true;
}

// Counts above the string limit are refused here, before anything is built.
bool Formatter::parse_count(std::uint32_t& count) {
  std::uint64_t n = 0;
  while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
    n = n * 10 + static_cast<std::uint64_t>(rest_.front() - '0');
    rest_.remove_prefix(1);
    if (n > most_text_bytes(call_)) return check_text_size(call_, n);
  }
  count = static_cast<std::uint32_t>(n);
  return true;
}

bool Formatter::parse(FormatSpec& spec, std::string_view start) {
  rest_.remove_prefix(1);
  parse_flags(spec);
  if (!parse_count(spec.width)) return false;
  if (!rest_.empty() && rest_.front() == '.') {
    rest_.remove_prefix(1);
    spec.has_precision = true;
    if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') spec.conversion = '?';
    if (!parse_count(spec.precision)) return false;
  }
  const char c = rest_.empty() ? '\0' : rest_.front();
  spec.upper = c != '\0' && kCapitals.find(c) != std::string_view::npos;
  const char lower = spec.upper ? static_cast<char>(c - 'A' + 'a') : c;
  const bool known = c == '%' || c == 'n' || (c != '\0' && kConversions.find(lower) != std::string_view::npos);
  if (spec.conversion != 0 || !known) {
    const std::size_t length = start.size() - rest_.size();
    const std::size_t culprit = rest_.empty() ? 0 : utf8_decode(rest_).length;
    return fail("unsupported directive " + std::string(start.substr(0, std::min<std::size_t>(length, 32))) +
                std::string(rest_.substr(0, culprit)));
  }
  spec.conversion = lower;
  rest_.remove_prefix(1);
  return true;
}

bool Formatter::directive() {
  const std::string_view start = rest_;
  FormatSpec spec;
  if (!parse(spec, start)) return false;
  const std::string_view spelled = start.substr(0, start.size() - rest_.size());
  if (spec.conversion == '%' || spec.conversion == 'n') {
    if (spelled.size() > 2) return fail("unsupported directive " + std::string(spelled.substr(0, 32)));
    out_ += spec.conversion == '%' ? '%' : '\n';
    return true;
  }
  if (spec.zero && kNumeric.find(spec.conversion) == std::string_view::npos) {
    return fail("unsupported directive " + std::string(spelled.substr(0, 32)));
  }
  if (++arg_ >= call_.count()) {
    return fail("not enough arguments: nothing for " + std::string(spelled.substr(0, 32)));
  }
  ScratchText text(call_.heap);
  bool number = false;
  if (!convert(spec, text, number)) return false;
  if (!spec.upper) return pad(spec, text, number);
  ScratchText capitals(call_.heap);
  append_upper(capitals, text);
  return pad(spec, capitals, number);
}

// number: digits that zeros may be put in front of.
bool Formatter::convert(const FormatSpec& spec, ScratchText& text, bool& number) {
  const Value v = call_.arg(arg_);
  call_.charge(1);
  switch (spec.conversion) {
    case 's': {
      if (!v.is_nil() && !append_str_form(call_, text, v)) return false;
      if (spec.has_precision) text.resize(first_graphemes(text, spec.precision).size());
      return true;
    }
    case 'b':
      text.assign(v.truthy() ? "true" : "false");
      if (spec.has_precision) text.resize(std::min<std::size_t>(text.size(), spec.precision));
      return true;
    default: break;
  }
  if (v.is_nil()) {
    text.assign("null");
    return true;
  }
  if (spec.conversion == 'c') return convert_character(v, text);
  if (!check_text_size(call_, spec.has_precision ? spec.precision : 0)) return false;
  const HeldBytes held(spec.has_precision ? kCopiesOfDigits * std::uint64_t{spec.precision} : 0);
  if (!convert_number(spec, v, text)) return false;
  const char last = text.back();
  number = last != 'y' && last != 'N';      // not Infinity, not NaN
  return true;
}

bool Formatter::convert_number(const FormatSpec& spec, Value v, ScratchText& text) {
  if (spec.conversion == 'f' || spec.conversion == 'e') {
    if (!v.is_number()) return mismatch("number");
    text.assign(spec.conversion == 'f' ? format_fixed(spec, v) : format_scientific(spec, v));
    return true;
  }
  if (spec.has_precision) return fail(std::string("a precision cannot be used with %") + spec.conversion);
  Owned truncated(call_.heap, Value::nil());
  if (v.is_float() && std::isfinite(v.d) && std::floor(v.d) == v.d) {
    truncated.reset(num_trunc(call_.heap, v).value);
  } else if (v.is_integer()) {
    truncated.reset(retained(v));
  } else {
    return mismatch("integer");
  }
  if (spec.conversion == 'd') {
    text.assign(format_integer(spec, truncated.get()));
  } else {
    text.assign(format_radix(spec, truncated.get(), spec.conversion == 'x' ? 4 : 3));
  }
  return true;
}

bool Formatter::convert_character(Value v, ScratchText& text) {
  if (v.is_string() && string_count(v) == 1) {
    text.assign(string_view_of(v));
    return true;
  }
  const bool scalar = v.is_int() && v.i >= 0 && v.i <= 0x10FFFF && (v.i < 0xD800 || v.i > 0xDFFF);
  if (!scalar) return mismatch("character or code point");
  utf8_append(text, static_cast<char32_t>(v.i));
  return true;
}

bool Formatter::pad(const FormatSpec& spec, std::string_view text, bool number) {
  const std::uint32_t count = grapheme_count(text);
  const std::size_t fill = spec.width > count ? spec.width - count : 0;
  if (!check_text_size(call_, out_.size() + text.size() + fill)) return false;
  if (spec.left) {
    out_.append(text).append(fill, ' ');
  } else if (spec.zero && number) {
    std::size_t prefix = text.front() == '-' || text.front() == '+' || text.front() == ' ' ? 1 : 0;
    if (spec.alternate && spec.conversion == 'x') prefix += 2;
    out_.append(text.substr(0, prefix)).append(fill, '0').append(text.substr(prefix));
  } else {
    out_.append(fill, ' ').append(text);
  }
  return true;
}

}  // namespace

Value builtin_format(Call& call) {
  if (!check_strings(call, 0, 1) || !check_none_pending(call)) return Value::absent();
  return Formatter(call).run();
}

}  // namespace ptc
