#include "agents/replay/canonical_request.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <vector>

namespace ptcvm::replay {

namespace {

namespace json = boost::json;

std::vector<std::string_view> sorted_names(const json::object& object) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : object) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

void write_canonical(std::string& text, const json::value& value) {
  if (value.is_object()) {
    text += '{';
    for (const std::string_view name : sorted_names(value.get_object())) {
      if (text.back() != '{') text += ',';
      text += json::serialize(json::string_view(name));
      text += ':';
      write_canonical(text, value.get_object().at(name));
    }
    text += '}';
  } else if (value.is_array()) {
    text += '[';
    bool is_first = true;
    for (const json::value& item : value.get_array()) {
      if (!is_first) text += ',';
      is_first = false;
      write_canonical(text, item);
    }
    text += ']';
  } else {
    text += json::serialize(value);
  }
}

void write_lines(std::string& text, const json::value& value, std::size_t depth, std::string_view name) {
  const std::string indent(2 * depth, ' ');
  text.append(indent).append(name);
  if (!name.empty()) text += ": ";
  if (value.is_object()) {
    text += "{\n";
    for (const std::string_view inner : sorted_names(value.get_object())) {
      write_lines(text, value.get_object().at(inner), depth + 1, inner);
    }
    text.append(indent).append("}\n");
  } else if (value.is_array()) {
    text += "[\n";
    for (const json::value& item : value.get_array()) write_lines(text, item, depth + 1, "");
    text.append(indent).append("]\n");
  } else if (value.is_string() && value.get_string().find('\n') != json::string::npos) {
    text += "|\n";
    std::string_view rest = value.get_string();
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      text.append(indent).append("  ").append(rest.substr(0, end)).append("\n");
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  } else {
    text.append(json::serialize(value)).append("\n");
  }
}

}  // namespace

std::optional<std::string> canonical_request(std::string_view body) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = 256;
  const json::value value = json::parse(body, error, {}, options);
  if (error) return std::nullopt;
  std::string text;
  write_canonical(text, value);
  return text;
}

std::string request_hash(std::string_view canonical) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(canonical.data()), canonical.size());
  std::array<char, 2 * crypto_hash_sha256_BYTES + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
  return hex.data();
}

std::string request_lines(const json::value& request) {
  std::string text;
  write_lines(text, request, 0, "");
  return text;
}

}  // namespace ptcvm::replay
