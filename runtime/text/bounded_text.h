// Writes a value as text within the memory of its heap and the time of its run. Parts that values share are written
// each time, so a value of a kilobyte can have a text that fits into no memory.
#pragma once
#include <cstdint>
#include <string>

#include "vm/value/heap.h"

namespace ptc {

struct BoundedText {
  enum class End : std::uint8_t {
    Whole,
    TooLarge,   // the text and the heap do not fit into the limit of the heap
    Stopped,    // the host of the AccountScope around the call said that the run must not go on
  };
  End end = End::Whole;
  std::string text;   // whole, or ""
};

using BoundedWriter = BoundedText (*)(Heap& heap, Value borrowed);
BoundedText edn_within(Heap& heap, Value borrowed);
BoundedText json_within(Heap& heap, Value borrowed);

}  // namespace ptc
