// A stretch of program text. Offsets count bytes; lines and columns are 1-based and columns count code points.
#pragma once
#include <cstdint>

namespace ptc {

struct SourceSpan {
  std::uint32_t begin = 0;   // byte offset of the first character
  std::uint32_t end = 0;     // byte offset past the last character
  std::uint32_t line = 0;    // 0: no position known
  std::uint32_t column = 0;
};

}  // namespace ptc
