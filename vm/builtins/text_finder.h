// Finds one text in others, in time linear in both texts. The standard library takes the product of the lengths for
// crafted texts. Short needles go to the standard library.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vm/value/scratch.h"

namespace ptc {

class TextFinder {
 public:
  explicit TextFinder(std::string_view needle);   // the needle must outlive the finder
  // Do what find() and rfind() of std::string_view do.
  std::size_t first(std::string_view text, std::size_t from = 0) const;
  std::size_t last(std::string_view text, std::size_t from = std::string_view::npos) const;
  // Visits every match from there on, also overlapping ones, until visit(position) returns false.
  template <class Visit>
  void each(std::string_view text, std::size_t from, Visit visit) const {
    std::size_t matched = 0;
    const auto next_match = [&] {
      if (!is_short()) return next(text, from, matched);
      const std::size_t at = text.find(needle_, from);
      from = at + 1;
      return at;
    };
    for (std::size_t at = next_match(); at != std::string_view::npos && visit(at);) at = next_match();
  }

 private:
  static constexpr std::size_t kShort = 32;
  bool is_short() const { return needle_.size() <= kShort; }
  std::size_t next(std::string_view text, std::size_t& at, std::size_t& matched) const;

  std::string_view needle_;
  HeldBytes held_;                       // what the next takes
  std::vector<std::uint32_t> shorter_;   // the longest border of each prefix (Knuth, Morris, Pratt)
};

// Finds one text once.
inline std::size_t find_text(std::string_view text, std::string_view needle, std::size_t from = 0) {
  if (from > text.size() || needle.size() > text.size() - from) return std::string_view::npos;
  return TextFinder(needle).first(text, from);
}

}  // namespace ptc
