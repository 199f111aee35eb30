#include "agents/chain/model_json.h"

#include <boost/json/parse.hpp>

#include "agents/chain/ascii_text.h"

namespace ptcvm::chain {

namespace {

constexpr std::string_view kFence = "```";

std::optional<boost::json::value> parsed(std::string_view text) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(trimmed(text), error);
  if (error) return std::nullopt;
  return value;
}

// Returns what is between the first fence, with the word behind it, and the next one.
std::string_view fenced(std::string_view text) {
  const std::size_t open = text.find(kFence);
  if (open == std::string_view::npos) return {};
  const std::size_t line = text.find('\n', open);
  if (line == std::string_view::npos) return {};
  const std::size_t close = text.find(kFence, line);
  return text.substr(line + 1, close == std::string_view::npos ? close : close - line - 1);
}

// Returns the stretch from the first brace or bracket to the one that closes it, brackets in strings left out.
std::string_view enclosed(std::string_view text) {
  const std::size_t begin = text.find_first_of("{[");
  if (begin == std::string_view::npos) return {};
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return text.substr(begin, i + 1 - begin);
  }
  return {};
}

}  // namespace

std::optional<boost::json::value> find_json(std::string_view text) {
  if (auto whole = parsed(text)) return whole;
  if (auto inner = parsed(fenced(text))) return inner;
  return parsed(enclosed(text));
}

}  // namespace ptcvm::chain
