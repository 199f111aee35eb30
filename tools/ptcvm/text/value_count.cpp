#include "tools/ptcvm/text/value_count.h"

#include <boost/json/basic_parser_impl.hpp>
#include <limits>

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

// Counts, and ends the parser at one value too many.
struct CountingHandler {
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code& error) { return count(error); }
  bool on_object_end(std::size_t, json::error_code&) { return true; }
  bool on_array_begin(json::error_code& error) { return count(error); }
  bool on_array_end(std::size_t, json::error_code&) { return true; }
  bool on_key_part(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_key(json::string_view, std::size_t, json::error_code& error) { return count(error); }
  bool on_string_part(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_string(json::string_view, std::size_t, json::error_code& error) { return count(error); }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, json::error_code& error) { return count(error); }
  bool on_uint64(std::uint64_t, json::string_view, json::error_code& error) { return count(error); }
  bool on_double(double, json::string_view, json::error_code& error) { return count(error); }
  bool on_bool(bool, json::error_code& error) { return count(error); }
  bool on_null(json::error_code& error) { return count(error); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

  bool count(json::error_code& error) {
    if (++values <= most) return true;
    error = make_error_code(boost::system::errc::operation_canceled);
    return false;
  }

  std::size_t most = 0, values = 0;
};

}  // namespace

bool has_more_values(std::string_view text, std::size_t most) {
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  json::basic_parser<CountingHandler> parser(options);
  parser.handler().most = most;
  json::error_code error;
  parser.write_some(false, text.data(), text.size(), error);
  return parser.handler().values > most;
}

}  // namespace ptcvm::cli
