// Reads the bytes of an input as choices: which function is called next, with which handle, number and text. Numbers
// are at their edges most of the time. When the bytes are used up, every choice is the first one.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace ptc::fuzz {

class CallScript {
 public:
  // The bytes must outlive the script.
  explicit CallScript(std::string_view bytes) : bytes_(bytes) {}

  bool is_over() const { return bytes_.empty(); }

  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return first;
  }

  // Returns one of `count` choices; a count above 256 takes two bytes.
  std::size_t below(std::size_t count) {
    const std::size_t drawn = count > 256 ? byte() * std::size_t{256} + byte() : byte();
    return count == 0 ? 0 : drawn % count;
  }
  bool one_in(std::size_t count) { return below(count) == count - 1; }

  // Returns one of the texts, or one of the next bytes of the input.
  std::string_view text(std::span<const std::string_view> texts) {
    const std::size_t drawn = below(texts.size() + 1);
    if (drawn < texts.size()) return texts[drawn];
    const std::string_view own = bytes_.substr(0, byte());
    bytes_.remove_prefix(own.size());
    return own;
  }

  // Returns a number at an edge of its type, or a small one.
  template <class Number>
  Number number() {
    using Limits = std::numeric_limits<Number>;
    constexpr std::array kEdges = {Number{0}, Number{1}, Number{2}, Limits::max(), Limits::min(),
                                   static_cast<Number>(Limits::max() - 1), static_cast<Number>(Limits::min() + 1),
                                   static_cast<Number>(-1), Number{100}, static_cast<Number>(Limits::max() / 2)};
    const std::size_t drawn = below(kEdges.size() + 6);
    return drawn < kEdges.size() ? kEdges[drawn] : static_cast<Number>(byte());
  }

 private:
  std::string_view bytes_;
};

}  // namespace ptc::fuzz
