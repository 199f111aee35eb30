#include "vm/builtins/text_finder.h"

#include <algorithm>

namespace ptc {

TextFinder::TextFinder(std::string_view needle) : needle_(needle) {
  if (is_short()) return;
  held_ = HeldBytes((needle.size() + 1) * sizeof(std::uint32_t));
  charge_text(needle.size());
  shorter_.resize(needle.size() + 1);
  std::uint32_t border = 0;
  for (std::uint32_t i = 1; i < needle.size(); ++i) {
    while (border > 0 && needle[i] != needle[border]) border = shorter_[border];
    if (needle[i] == needle[border]) ++border;
    shorter_[i + 1] = border;
  }
}

// Where the next match begins that ends behind `at`, which goes on with `matched` bytes matched before it.
std::size_t TextFinder::next(std::string_view text, std::size_t& at, std::size_t& matched) const {
  while (at < text.size()) {
    while (matched > 0 && text[at] != needle_[matched]) matched = shorter_[matched];
    if (text[at] == needle_[matched]) ++matched;
    ++at;
    if (matched == needle_.size()) {
      matched = shorter_[matched];
      return at - needle_.size();
    }
  }
  return std::string_view::npos;
}

std::size_t TextFinder::first(std::string_view text, std::size_t from) const {
  if (is_short() || from > text.size()) return text.find(needle_, from);
  std::size_t matched = 0;
  return next(text, from, matched);
}

std::size_t TextFinder::last(std::string_view text, std::size_t from) const {
  if (is_short() || needle_.size() > text.size()) return text.rfind(needle_, from);
  const std::size_t begin = std::min(from, text.size() - needle_.size());   // where the last match that counts begins
  text = text.substr(0, begin + needle_.size());
  std::size_t found = std::string_view::npos;
  each(text, 0, [&found](std::size_t at) {
    found = at;
    return true;
  });
  return found;
}

}  // namespace ptc
