// Compares two texts line by line, for messages that say what changed.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptcvm::replay {

struct LineDiff {
  std::size_t changed = 0;   // lines that only one of the texts has
  std::string text;          // `- ` before lines of the old text, `+ ` before lines of the new one, some lines around
};

// Compares two texts. Shows at most `most_lines` lines. Very different texts are compared as one block.
LineDiff line_diff(std::string_view old_text, std::string_view new_text, std::size_t most_lines = 60);

}  // namespace ptcvm::replay
