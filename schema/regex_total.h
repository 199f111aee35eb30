// Adds up the regular expressions of one program. Compiling one takes some hundred nanoseconds for each instruction,
// and happens before any limit of a run counts, so the sum is bounded.
#pragma once
#include <cstdint>
#include <string_view>
#include <unordered_set>

namespace ptc {

class RegexTotal {
 public:
  // Instructions of all distinct expressions: about a hundred classes such as \pL, or some thousand small expressions.
  static constexpr std::uint64_t kMost = 131'072;

  // Texts must outlive the total.
  bool has(std::string_view text) const { return texts_.contains(text); }
  bool is_full() const { return total_ > kMost; }
  // Adds an expression of so many instructions. Returns false when there is no room for it.
  bool add(std::string_view text, std::uint32_t instructions) {
    total_ += kAlways + instructions;
    if (is_full()) return false;
    texts_.insert(text);
    return true;
  }

 private:
  static constexpr std::uint64_t kAlways = 32;   // what the smallest expression takes

  std::unordered_set<std::string_view> texts_;
  std::uint64_t total_ = 0;
};

}  // namespace ptc
