// Strings as values. Invariants: the bytes are valid UTF-8 (string_of repairs; the caller of string_raw promises it);
// kScanned says that kAscii is known, and kAscii that every byte is a cluster of its own, so that offsets are indexes.
// Hazard: text with CR LF is all ASCII but one of its clusters has two bytes, hence not kAscii.
#include "vm/value/string.h"

#include <algorithm>
#include <cstring>

#include <utf8proc.h>

#include "vm/value/account.h"
#include "vm/value/utf8.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

String* mutable_string(Value v) { return static_cast<String*>(v.object); }

bool every_byte_is_a_cluster(std::string_view text) {
  if (text.find('\r') == std::string_view::npos) return utf8_is_ascii(text);
  unsigned previous = 0;
  for (const char c : text) {
    const unsigned b = static_cast<unsigned char>(c);
    if (b >= 0x80 || (b == '\n' && previous == '\r')) return false;
    previous = b;
  }
  return true;
}

// A cluster of more bytes than this is charged by its bytes, block by block.
constexpr std::size_t kClusterBlockBytes = 1024;

// A string keeps how many clusters it has, and forgets it when its run is restored. So counting them asks the host and
// costs no fuel: making the string did.
enum class Price : std::uint8_t { Nothing, Fuel };

template <Price price>
std::size_t cluster_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  // Two ASCII bytes in a row are always two clusters, except CR LF.
  if (byte(0) < 0x80) {
    if (text.size() == 1) return 1;
    if (byte(1) < 0x80) return byte(0) == '\r' && byte(1) == '\n' ? 2 : 1;
  }
  work_done(1);
  Utf8Step step = utf8_decode(text);
  std::size_t length = step.length;
  char32_t previous = step.code_point;
  std::size_t charged = 0;   // bytes of a large cluster that the account knows
  utf8proc_int32_t state = 0;
  while (length < text.size()) {
    step = utf8_decode(text.substr(length));
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(previous),
                                         static_cast<utf8proc_int32_t>(step.code_point), &state)) {
      break;
    }
    length += step.length;
    previous = step.code_point;
    if (length >= charged + kClusterBlockBytes) {
      if (price == Price::Fuel) charge_parts(length - charged);
      work_done(static_cast<std::uint32_t>(length - charged));
      charged = length;
    }
  }
  return length;
}

void scan(String* s) {
  s->flags |= String::kScanned;
  if (!every_byte_is_a_cluster(s->view())) return;
  s->flags |= String::kAscii;
  s->grapheme_count = s->size_bytes;
}

}  // namespace

Value string_copy(Heap& heap, std::string_view valid_utf8) {
  const Value v = string_raw(heap, valid_utf8.size());
  if (!valid_utf8.empty()) std::memcpy(mutable_string(v)->bytes(), valid_utf8.data(), valid_utf8.size());
  return v;
}

Value string_of(Heap& heap, std::string_view utf8) {
  if (utf8_is_valid(utf8)) return string_copy(heap, utf8);
  return string_copy(heap, utf8_repaired(utf8));
}

Value string_raw(Heap& heap, std::size_t size_bytes) {
  String* s = heap.make<String>(Kind::String, sizeof(String) + size_bytes);
  s->size_bytes = static_cast<std::uint32_t>(size_bytes);
  s->grapheme_count = 0;
  s->hash = 0;
  return Value::of(Tag::String, s);
}

bool string_is_ascii(Value string) {
  String* s = mutable_string(string);
  if ((s->flags & String::kScanned) == 0) scan(s);
  return (s->flags & String::kAscii) != 0;
}

std::uint32_t string_count(Value string) {
  if (string_is_ascii(string)) return as_string(string)->size_bytes;
  String* s = mutable_string(string);
  if (s->grapheme_count == 0) {
    std::uint32_t count = 0;
    for (std::string_view rest = s->view(); !rest.empty(); ++count) {
      rest.remove_prefix(cluster_length<Price::Nothing>(rest));
    }
    s->grapheme_count = count;
  }
  return s->grapheme_count;
}

std::size_t string_offset(Value string, std::uint32_t i) {
  if (string_is_ascii(string)) return i;
  const std::string_view text = string_view_of(string);
  std::size_t offset = 0;
  for (; i > 0; --i) offset += grapheme_length(text.substr(offset));
  charge_parts(offset);
  return offset;
}

std::uint32_t string_index_of_offset(Value string, std::size_t offset) {
  if (string_is_ascii(string)) return static_cast<std::uint32_t>(offset);
  const std::string_view text = string_view_of(string);
  std::uint32_t index = 0;
  std::size_t at = 0;
  while (at < offset) {
    at += grapheme_length(text.substr(at));
    if (at <= offset) ++index;
  }
  charge_parts(at);
  return index;
}

std::size_t grapheme_length(std::string_view text) { return cluster_length<Price::Fuel>(text); }

Value string_slice(Heap& heap, Value borrowed, std::uint32_t from, std::uint32_t to) {
  const String* s = as_string(borrowed);
  const bool ascii = string_is_ascii(borrowed);
  const std::size_t begin = string_offset(borrowed, from);
  std::size_t end = begin;
  if (ascii) {
    end = to;
  } else {
    for (std::uint32_t i = from; i < to; ++i) end += grapheme_length(s->view().substr(end));
    charge_parts(end - begin);
  }
  if (begin == 0 && end == s->size_bytes) return retained(borrowed);
  const Value slice = string_copy(heap, s->view().substr(begin, end - begin));
  String* made = mutable_string(slice);
  if (ascii) made->flags |= String::kAscii | String::kScanned;
  made->grapheme_count = to - from;
  return slice;
}

Value string_graphemes(Heap& heap, Value borrowed) {
  VectorBuilder out(heap);
  for (std::string_view rest = string_view_of(borrowed); !rest.empty() && !heap.has_failed();) {
    const std::size_t length = grapheme_length(rest);
    out.push(string_copy(heap, rest.substr(0, length)));
    rest.remove_prefix(length);
  }
  return out.finish();
}

}  // namespace ptc
