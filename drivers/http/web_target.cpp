#include "drivers/http/web_target.h"

#include <algorithm>
#include <charconv>

namespace ptcvm::drivers {

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    unsigned byte = 0;
    const char* const begin = text.data() + i + 1;
    if (std::from_chars(begin, begin + 2, byte, 16).ptr != begin + 2) return std::nullopt;
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

std::optional<WebTarget> read_target(std::string_view target) {
  if (!target.starts_with('/')) return std::nullopt;
  target.remove_prefix(1);
  WebTarget read;
  const std::size_t question = std::min(target.find('?'), target.size());
  read.query = target.substr(std::min(question + 1, target.size()));
  std::string_view rest = target.substr(0, question);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    auto decoded = percent_decoded(part);
    if (!decoded) return std::nullopt;
    read.path.push_back(*std::move(decoded));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return read;
}

}  // namespace ptcvm::drivers
