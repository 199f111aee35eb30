// Makes the texts of the values in the records of an outcome. Values share their parts, and texts do not: a snapshot of
// a few kilobytes can be longer than any memory when it is written out. So all texts of one outcome have a common
// limit, a quarter of what the run has memory for, because the host copies the texts; a text beyond the limit is "…".
#pragma once
#include <algorithm>
#include <string>

#include "runtime/text/counted_bytes.h"
#include "runtime/text/json_value.h"
#include "runtime/text/written_size.h"
#include "vm/value/print.h"

namespace ptc {

class RecordTexts {
 public:
  explicit RecordTexts(Heap& heap)
      : heap_(heap), left_(std::clamp<std::uint64_t>(room_of(heap) / kBytesOfPart, kLeast, 4 * kMaxWrittenSize)) {}

  std::string edn(Value borrowed) {
    std::string text = "…";
    if (!fits(borrowed)) return text;
    text.clear();
    append_edn(text, borrowed, heap_);
    return text;
  }
  std::string json(Value borrowed) {
    std::string text = "null";
    if (!fits(borrowed)) return text;
    text.clear();
    append_json(text, borrowed, heap_);
    return text;
  }

 private:
  bool fits(Value v) {
    const std::uint64_t size = written_size(v, left_);
    if (size >= left_) return false;
    left_ -= size;
    return true;
  }

  static constexpr std::uint64_t kBytesOfPart = 4 * 16;   // a part is 16 bytes of text, as written_size() counts
  static constexpr std::uint64_t kLeast = 1u << 16;      // parts; also a run whose memory is full has records

  Heap& heap_;
  std::uint64_t left_;
};

}  // namespace ptc
