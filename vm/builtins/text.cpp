#include "vm/builtins/text.h"

#include <algorithm>
#include <cmath>

#include "vm/value/account.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/text_pieces.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

constexpr std::uint64_t kBytesPerFuelUnit = 16;
constexpr std::uint64_t kPageBytes = 4096;

// Whether text is UTF-8, with a question to the host now and then.
bool is_valid_in_blocks(std::string_view utf8) {
  constexpr std::size_t kBlockBytes = 256 * 1024;
  while (utf8.size() > kBlockBytes) {
    const std::string_view block = utf8_prefix(utf8, kBlockBytes);
    if (block.empty() || !utf8_is_valid(block)) return false;
    work_done(kBlockBytes / 64);
    utf8.remove_prefix(block.size());
  }
  return utf8_is_valid(utf8);
}

// Charges a form that was written when memory ends before it is a part of a text that pays for it.
class WrittenForm {
 public:
  WrittenForm(Call& call, const TextPieces& pieces, const std::string& last)
      : call_(call), pieces_(pieces), last_(last) {}
  ~WrittenForm() {
    if (!is_kept_) charge_bytes(call_, size_bytes());
  }
  WrittenForm(const WrittenForm&) = delete;
  WrittenForm& operator=(const WrittenForm&) = delete;

  std::uint64_t size_bytes() const { return pieces_.size_bytes() + last_.size(); }
  void keep() { is_kept_ = true; }

 private:
  Call& call_;
  const TextPieces& pieces_;
  const std::string& last_;
  bool is_kept_ = false;
};

}  // namespace

bool check_strings(Call& call, std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t i = first; i < last && i < call.count(); ++i) {
    if (call.arg(i).is_string()) continue;
    call.type_error(i + 1, "string");
    return false;
  }
  return true;
}

bool check_none_pending(Call& call) {
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    if (!call.arg(i).is(Tag::Pending)) continue;
    call.type_error(i + 1, "data");
    return false;
  }
  return true;
}

Value pending_inside(Call& call, std::uint32_t arg_number, Value handle) {
  std::string text(call.name());
  text += ": arg " + std::to_string(arg_number) + " holds a pending operation (";
  text += static_cast<const Pending*>(handle.object)->id->view();
  text += "); use (await …)";
  return call.fail(FaultKind::TypeError, std::move(text));
}

std::optional<std::int64_t> integer_argument(Call& call, std::uint32_t i) {
  const Value v = call.arg(i);
  if (v.is_int()) return v.i;
  if (v.is(Tag::BigInt)) return (v.object->flags & BigInt::kNegative) != 0 ? INT64_MIN : INT64_MAX;
  if (v.is_float() && std::floor(v.d) == v.d && std::isfinite(v.d)) {
    if (v.d >= 9.2e18) return INT64_MAX;
    if (v.d <= -9.2e18) return INT64_MIN;
    return static_cast<std::int64_t>(v.d);
  }
  call.type_error(i + 1, "integer");
  return std::nullopt;
}

std::optional<std::uint32_t> position_argument(Call& call, std::uint32_t i, std::uint32_t count) {
  const std::optional<std::int64_t> position = integer_argument(call, i);
  if (!position) return std::nullopt;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(*position, 0, count));
}

void charge_bytes(Call& call, std::uint64_t size_bytes) { call.charge(size_bytes / kBytesPerFuelUnit); }

std::uint64_t most_text_bytes(const Call& call) {
  return std::min<std::uint64_t>(call.env.limits.string_bytes, UINT32_MAX);   // String::size_bytes
}

bool check_text_size(Call& call, std::uint64_t size_bytes) {
  const std::uint64_t limit = most_text_bytes(call);
  if (size_bytes > limit) {
    call.fail(FaultKind::StringLimitExceeded,
              std::string(call.name()) + ": string longer than " + std::to_string(limit) + " bytes");
    return false;
  }
  return size_bytes < kPageBytes || call.reserve(size_bytes);
}

Value text_result(Call& call, std::string_view utf8) {
  charge_bytes(call, utf8.size());   // it was written, also when there is no room for it
  if (!check_text_size(call, utf8.size())) return Value::absent();
  return is_valid_in_blocks(utf8) ? string_copy(call.heap, utf8) : string_of(call.heap, utf8);
}

bool append_str_form(Call& call, ScratchText& out, Value v) {
  const std::uint64_t limit = most_text_bytes(call);
  if (v.is_string()) {
    const std::string_view text = string_view_of(v);
    if (out.size() + text.size() > limit) return check_text_size(call, out.size() + text.size());
    out += text;
    return true;
  }
  return append_form(call, out, v, append_str);
}

bool append_form(Call& call, ScratchText& out, Value v, FormWriter* write) {
  const std::uint64_t most = most_text_bytes(call);
  const std::uint64_t left = most - std::min<std::uint64_t>(out.size(), most);
  TextPieces pieces(call.heap);
  std::string last;
  bool is_cut = false;
  WrittenForm form(call, pieces, last);
  write(last, v, call.heap, {static_cast<std::size_t>(left), &is_cut, &pieces});
  const std::uint64_t written = form.size_bytes();
  if (is_cut || written > left) {
    const bool has_room = written >= left || call.reserve(left - written);
    return has_room && check_text_size(call, most + 1);   // always false
  }
  out += pieces.joined(std::move(last));
  form.keep();   // it is charged as a part of the whole text
  return true;
}

NamedCall::NamedCall(Call& call, BuiltinId as)
    : call_(call.env, as, std::span<Value>(args_, std::min<std::size_t>(call.count(), kMaxArgs))) {
  std::copy_n(call.args().begin(), std::min<std::size_t>(call.count(), kMaxArgs), args_);
}

}  // namespace ptc
