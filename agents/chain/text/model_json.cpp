#include "agents/chain/text/model_json.h"

#include <boost/json/parse.hpp>
#include <boost/json/stream_parser.hpp>
#include <utility>

#include "agents/chain/text/ascii_text.h"

namespace ptcvm::chain {

namespace {

constexpr std::string_view kFence = "```";
constexpr std::size_t kMostReadings = 16;   // how often the text of a reply is read to find JSON in it

std::optional<boost::json::value> parsed(std::string_view text) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(trimmed(text), error);
  if (error) return std::nullopt;
  return value;
}

// Reads the object or list at the first character, and says how far the text was read. Text behind it does not count.
std::optional<boost::json::value> parsed_at_begin(std::string_view text, std::size_t& read) {
  boost::json::stream_parser parser;
  boost::system::error_code error;
  read = parser.write_some(text.data(), text.size(), error);
  if (error || !parser.done()) return std::nullopt;
  return parser.release();
}

// Returns the object or the list inside of the first fence that holds one.
std::optional<boost::json::value> fenced(std::string_view text) {
  for (std::size_t open = text.find(kFence); open != std::string_view::npos;) {
    const std::size_t line = text.find('\n', open);
    if (line == std::string_view::npos) break;
    const std::size_t close = text.find(kFence, line);
    const bool is_closed = close != std::string_view::npos;
    auto inner = parsed(text.substr(line + 1, is_closed ? close - line - 1 : close));
    if (inner && inner->is_structured()) return inner;
    open = is_closed ? text.find(kFence, close + kFence.size()) : close;
  }
  return std::nullopt;
}

// Returns whether the text begins as an object or a list of JSON does, and not as braces in prose do.
bool begins_as_json(std::string_view text) {
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  if (next == std::string_view::npos) return false;
  return text[next] == '"' || (text[0] == '[' && (text[next] == '{' || text[next] == '['));
}

// Returns where the brackets that the text begins with are closed, or its end.
std::size_t bracket_end(std::string_view text) {
  std::size_t depth = 0;
  bool is_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_text && c == '\\') ++at;
    if (c == '"') is_text = !is_text;
    if (is_text) continue;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at + 1;
  }
  return text.size();
}

// Models that think aloud begin their replies with it.
std::string_view without_thoughts(std::string_view text) {
  constexpr std::string_view kBegin = "<think", kEnd = "</think";
  if (!trimmed(text).starts_with(kBegin)) return text;
  const std::size_t end = text.find(kEnd), close = text.find('>', end);
  return close == std::string_view::npos ? std::string_view() : text.substr(close + 1);
}

// Returns the first object in prose; the first list when there is no object. What is inside of a list, or of JSON that
// is broken, is no object in prose.
std::optional<boost::json::value> enclosed(std::string_view text) {
  std::optional<boost::json::value> list;
  std::size_t readable = kMostReadings * text.size();
  for (std::size_t at = text.find_first_of("{["); at != std::string_view::npos; at = text.find_first_of("{[", at)) {
    std::size_t read = 0;
    auto value = parsed_at_begin(text.substr(at), read);
    if (value && value->is_object()) return value;
    const bool is_broken = !value && begins_as_json(text.substr(at));
    at += value ? read : is_broken ? bracket_end(text.substr(at)) : 1;
    if (value && !list) list = std::move(value);
    if (read >= readable) break;
    readable -= read;
  }
  return list;
}

}  // namespace

std::optional<boost::json::value> find_json(std::string_view text) {
  text = without_thoughts(text);
  if (auto whole = parsed(text)) return whole;
  if (auto inner = fenced(text)) return inner;
  return enclosed(text);
}

}  // namespace ptcvm::chain
