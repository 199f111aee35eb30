#include "agents/replay/json_place.h"

#include <algorithm>
#include <boost/json/stream_parser.hpp>

namespace ptcvm::replay {

std::string json_problem(std::string_view text, std::size_t first_line) {
  boost::json::parse_options options;
  options.max_depth = 256;
  boost::json::stream_parser parser({}, options);
  boost::system::error_code error;
  const std::size_t good = parser.write_some(text, error);
  if (!error && good < text.size()) error = boost::json::error::extra_data;
  if (!error) parser.finish(error);
  const std::string_view before = text.substr(0, good);
  const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + first_line;
  const std::string_view row = before.substr(before.rfind('\n') + 1);
  const auto is_first_byte = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) != 0x80; };
  const auto column = std::ranges::count_if(row, is_first_byte) + 1;   // columns count characters
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + error.message();
}

}  // namespace ptcvm::replay
