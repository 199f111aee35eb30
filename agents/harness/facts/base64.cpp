#include "agents/harness/facts/base64.h"

#include <algorithm>

namespace ptcvm::harness {

bool is_base64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  return std::ranges::all_of(text.substr(0, text.size() - padding), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  });
}

std::size_t decoded_size(std::string_view base64) {
  std::size_t padding = 0;
  while (padding < 2 && padding < base64.size() && base64[base64.size() - 1 - padding] == '=') ++padding;
  return base64.size() / 4 * 3 - std::min(padding, base64.size() / 4 * 3);
}

}  // namespace ptcvm::harness
