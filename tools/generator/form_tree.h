// The forms of a text by their delimiters, as stretches of bytes. A text that no reader takes has a tree as well.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace ptc::generator {

struct FormNode {
  std::size_t begin = 0, end = 0;          // with delimiters and a prefix such as # or #date
  std::vector<std::size_t> parts;          // indexes of the nodes inside, in order
};

// Returns the nodes; the first is the whole text, and a node comes before its parts.
std::vector<FormNode> form_tree(std::string_view text);

}  // namespace ptc::generator
