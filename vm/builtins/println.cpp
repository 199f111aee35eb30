// println appends one entry to the prints of the run. Entries are cut at max_print_length clusters; all entries
// together have a limit of their own.
#include "vm/builtins/record_bytes.h"
#include "vm/builtins/text.h"
#include "vm/value/account.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

// More bytes than this per cluster cannot be part of an entry, however its clusters are made.
constexpr std::size_t kMaxBytesPerCluster = 64;

// Bytes of the first `count` clusters.
std::size_t length_of_graphemes(std::string_view text, std::uint32_t count) {
  std::size_t length = 0;
  for (; count > 0 && length < text.size(); --count) length += grapheme_length(text.substr(length));
  return length;
}

struct Printed {
  std::string entry;
  std::uint64_t left_out = 0;   // bytes of texts that are not in the entry
  bool is_cut = false;
};

// The arguments in print form, joined by a space; stops soon after max_bytes, and says so. A long text gives only the
// clusters that an entry may have, so that megabytes are not copied.
Printed printed(Call& call, std::size_t max_bytes) {
  Printed out;
  for (std::uint32_t i = 0; i < call.count() && !out.is_cut; ++i) {
    if (i > 0) out.entry += ' ';
    const Value v = call.arg(i);
    if (v.is_string() && string_view_of(v).size() > max_bytes) {
      const std::string_view text = string_view_of(v);
      const std::size_t taken = length_of_graphemes(text, call.env.limits.print_length);
      out.entry += text.substr(0, taken);
      out.left_out += text.size() - taken;
      out.is_cut = true;
      break;
    }
    std::string piece;
    append_print(piece, v, call.heap, {max_bytes, &out.is_cut});
    out.entry += piece;
    out.is_cut = out.is_cut || out.entry.size() > max_bytes;
  }
  return out;
}

}  // namespace

Value builtin_println(Call& call) {
  const Limits& limits = call.env.limits;
  auto [entry, left_out, is_cut] = printed(call, std::size_t{limits.print_length} * kMaxBytesPerCluster);
  const std::size_t kept = length_of_graphemes(entry, limits.print_length);
  if (is_cut || kept < entry.size()) {
    charge_text(entry.size() - kept + left_out);
    entry = entry.substr(0, kept) + "...";   // in memory of its own: prints are kept, and this was perhaps megabytes
  }
  charge_bytes(call, entry.size());
  // An empty entry counts as well, or their number would have no limit.
  const std::uint64_t total = call.env.print_bytes + entry.size() + 1;
  if (total > limits.print_bytes) {
    return call.fail(FaultKind::PrintLimitExceeded,
                     "println: more than " + std::to_string(limits.print_bytes) + " bytes printed");
  }
  const std::int64_t kept_bytes = counted_print_bytes(entry);
  if (!call.heap.can_allocate_records(static_cast<std::uint64_t>(kept_bytes))) return call.memory_error();
  call.heap.account_records(kept_bytes);
  call.env.print_bytes = total;
  call.env.prints.push_back(std::move(entry));
  return Value::nil();
}

}  // namespace ptc
