#include "vm/snapshot/json/json_outline.h"

#include <boost/json/basic_parser_impl.hpp>
#include <limits>
#include <string>

namespace ptc {
namespace {

namespace json = boost::json;

// Counts the nesting, and ends the parser as soon as the outline is clear.
struct OutlineHandler {
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) {
    outline = JsonOutline::NoSnapshot;
    return true;
  }
  bool on_object_begin(json::error_code&) {
    ++depth;
    return true;
  }
  bool on_object_end(std::size_t, json::error_code&) {
    --depth;
    return true;
  }
  bool on_array_begin(json::error_code& error) {
    if (depth++ == 0) return end(JsonOutline::NoSnapshot, error);
    return true;
  }
  bool on_array_end(std::size_t, json::error_code&) {
    --depth;
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    if (depth == 1) key.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code& error) {
    if (depth != 1) return true;
    key.append(part.data(), part.size());
    has_format |= key == "format";
    has_oldest_reader |= key == "oldest_reader";
    if (has_format && has_oldest_reader) return end(JsonOutline::MaybeSnapshot, error);
    if (!is_known(key)) return end(has_format ? JsonOutline::MaybeSnapshot : JsonOutline::NoSnapshot, error);
    key.clear();
    return true;
  }
  bool on_string_part(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_string(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, json::error_code&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, json::error_code&) { return true; }
  bool on_double(double, json::string_view, json::error_code&) { return true; }
  bool on_bool(bool, json::error_code&) { return true; }
  bool on_null(json::error_code&) { return true; }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

  bool end(JsonOutline found, json::error_code& error) {
    outline = found;
    error = make_error_code(boost::system::errc::operation_canceled);
    return false;
  }

  bool (*is_known)(std::string_view name) = nullptr;
  JsonOutline outline = JsonOutline::MaybeSnapshot;
  std::size_t depth = 0;
  std::string key;                   // the key of the member at the top that is being read
  bool has_format = false, has_oldest_reader = false;
};

}  // namespace

JsonOutline json_outline(std::string_view text, std::size_t max_depth, bool (*is_known)(std::string_view name)) {
  json::parse_options options;
  options.max_depth = max_depth;
  json::basic_parser<OutlineHandler> parser(options);
  parser.handler().is_known = is_known;
  json::error_code error;
  parser.write_some(false, text.data(), text.size(), error);
  return parser.handler().outline;
}

}  // namespace ptc
