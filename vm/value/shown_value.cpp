#include "vm/value/shown_value.h"

#include <algorithm>

#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// Each part of a value takes at least two bytes of text, so parts beyond these are not in it.
constexpr std::size_t kMostTextBytes = 4 * kMostShownCharacters;
constexpr int kMostParts = static_cast<int>(kMostTextBytes);
constexpr std::uint32_t kMostEntries = 32;       // a map or set is put in order before its first entry is shown
constexpr std::uint32_t kMostDigitsWork = 32;

std::uint32_t size_of(Value v) {
  return v.is_vector() ? vector_count(v) : v.is_map() ? map_count(v) : v.is_set() ? set_count(v) : 0;
}

// Looks at the parts of a value in the order in which they are shown.
class Effort {
 public:
  explicit Effort(Heap& heap) : heap_(heap) {}

  // Returns whether the beginning of the value is shown without much work. The recursion is as deep as there are parts.
  bool is_small(Value v) {
    if (--parts_left_ < 0) return true;
    if (v.is(Tag::BigInt)) return digits_work(v) <= kMostDigitsWork;
    if (v.is_vector()) {
      const std::uint32_t count = vector_count(v);
      for (std::uint32_t k = 0; k < count && parts_left_ > 0; ++k) {
        if (!is_small(vector_at(v, k))) return false;
      }
      return true;
    }
    if (!v.is_map() && !v.is_set()) return true;
    if (size_of(v) > kMostEntries) return false;
    for (MapCursor entry(heap_, v); entry.next();) {
      if (!is_small(entry.key()) || (v.is_map() && !is_small(entry.value()))) return false;
    }
    return true;
  }

 private:
  Heap& heap_;
  int parts_left_ = kMostParts;
};

std::string size_text(Value v) {
  std::string out(kind_text(v));
  if (v.is(Tag::BigInt)) return out + " of many digits";
  return out + " of " + std::to_string(size_of(v)) + (v.is_map() ? " entries" : " elements");
}

// Returns where the code point with that number begins, or the end of the text.
std::size_t place_of(std::string_view text, std::size_t code_point) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80U;
    if (begins && code_point-- == 0) break;
  }
  return at;
}

}  // namespace

std::string shown_value(Heap& heap, Value borrowed) {
  if (borrowed.is_nil() || borrowed.is_absent()) return {};
  if (!Effort(heap).is_small(borrowed)) return size_text(borrowed);
  std::string text;
  bool is_cut = false;
  append_readable(text, borrowed, heap, {kMostTextBytes, &is_cut});
  std::replace_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  const std::size_t end = place_of(text, kMostShownCharacters - (is_cut ? 1 : 0));
  if (end == text.size() && !is_cut) return text;
  return text.substr(0, place_of(text, kMostShownCharacters - 1)) + "…";
}

}  // namespace ptc
