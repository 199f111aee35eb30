#include "vm/builtins/string_search.h"

#include "vm/builtins/text.h"
#include "vm/builtins/text_finder.h"
#include "vm/value/string.h"

namespace ptc {

std::optional<std::uint32_t> first_index_of(Value text, std::string_view needle, std::uint32_t from) {
  const std::size_t at = find_text(string_view_of(text), needle, string_offset(text, from));
  if (at == std::string_view::npos) return std::nullopt;
  return string_index_of_offset(text, at);
}

std::optional<std::uint32_t> last_index_of(Value text, std::string_view needle, std::uint32_t from) {
  const std::size_t at = TextFinder(needle).last(string_view_of(text), string_offset(text, from));
  if (at == std::string_view::npos) return std::nullopt;
  return string_index_of_offset(text, at);
}

namespace {

constexpr std::uint64_t kComparedBytesPerByte = 8;   // for the price of one that is searched

Value index_or_nil(std::optional<std::uint32_t> index) {
  return index ? Value::integer(*index) : Value::nil();
}

void charge_search(Call& call) {
  charge_bytes(call, std::uint64_t{as_string(call.arg(0))->size_bytes} + as_string(call.arg(1))->size_bytes);
}

}  // namespace

Value builtin_starts_with_p(Call& call) {
  if (!check_strings(call, 0, 2)) return Value::absent();
  charge_bytes(call, as_string(call.arg(1))->size_bytes / kComparedBytesPerByte);
  return Value::boolean(string_view_of(call.arg(0)).starts_with(string_view_of(call.arg(1))));
}

Value builtin_ends_with_p(Call& call) {
  if (!check_strings(call, 0, 2)) return Value::absent();
  charge_bytes(call, as_string(call.arg(1))->size_bytes / kComparedBytesPerByte);
  return Value::boolean(string_view_of(call.arg(0)).ends_with(string_view_of(call.arg(1))));
}

Value builtin_includes_p(Call& call) {
  if (!check_strings(call, 0, 2)) return Value::absent();
  charge_search(call);
  return Value::boolean(find_text(string_view_of(call.arg(0)), string_view_of(call.arg(1))) != std::string_view::npos);
}

Value builtin_index_of(Call& call) {
  if (!check_strings(call, 0, 2)) return Value::absent();
  charge_search(call);
  std::uint32_t from = 0;
  const std::string_view needle = string_view_of(call.arg(1));
  if (call.count() == 3) {
    const std::optional<std::uint32_t> position = position_argument(call, 2, string_count(call.arg(0)));
    if (!position) return Value::absent();
    from = *position;
  }
  return index_or_nil(first_index_of(call.arg(0), needle, from));
}

Value builtin_last_index_of(Call& call) {
  if (!check_strings(call, 0, 2)) return Value::absent();
  charge_search(call);
  std::uint32_t from = string_count(call.arg(0));
  if (call.count() == 3) {
    const std::optional<std::int64_t> position = integer_argument(call, 2);
    if (!position) return Value::absent();
    if (*position < 0) return Value::nil();
    if (*position < from) from = static_cast<std::uint32_t>(*position);
  }
  return index_or_nil(last_index_of(call.arg(0), string_view_of(call.arg(1)), from));
}

}  // namespace ptc
