#include "tools/ptcvm/json_file.h"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <set>
#include <utility>
#include <vector>

#include "tools/ptcvm/json_problem.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

// Hears a document, and stops at the first member that its object has already.
class MemberWatch {
 public:
  static constexpr std::size_t max_array_size = SIZE_MAX, max_object_size = SIZE_MAX, max_string_size = SIZE_MAX,
                               max_key_size = SIZE_MAX;
  using Code = boost::system::error_code;
  using Text = json::string_view;

  const std::string& doubled() const { return doubled_; }

  bool on_object_begin(Code&) { return begin(); }
  bool on_object_end(std::size_t, Code&) { return end(); }
  bool on_array_begin(Code&) { return begin(); }
  bool on_array_end(std::size_t, Code&) { return end(); }
  bool on_key_part(Text part, std::size_t, Code&) { return key_ += part, true; }
  bool on_key(Text rest, std::size_t, Code& error) {
    open_.back().name = std::exchange(key_, {}) + std::string(rest);
    if (open_.back().names.insert(open_.back().name).second) return true;
    for (const Open& each : open_) doubled_ += '/' + each.name;
    error = json::error::exception;
    return false;
  }
  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_string_part(Text, std::size_t, Code&) { return true; }
  bool on_string(Text, std::size_t, Code&) { return true; }
  bool on_number_part(Text, Code&) { return true; }
  bool on_int64(std::int64_t, Text, Code&) { return true; }
  bool on_uint64(std::uint64_t, Text, Code&) { return true; }
  bool on_double(double, Text, Code&) { return true; }
  bool on_bool(bool, Code&) { return true; }
  bool on_null(Code&) { return true; }
  bool on_comment_part(Text, Code&) { return true; }
  bool on_comment(Text, Code&) { return true; }

 private:
  struct Open {
    std::string name;              // the member that is read; "" in a list
    std::set<std::string> names;
  };
  bool begin() { return open_.emplace_back(), true; }
  bool end() { return open_.pop_back(), true; }

  std::vector<Open> open_;
  std::string key_, doubled_;
};

}  // namespace

std::string doubled_member(std::string_view text) {
  json::basic_parser<MemberWatch> parser{json::parse_options()};
  boost::system::error_code error;
  parser.write_some(false, text.data(), text.size(), error);
  return parser.handler().doubled();
}

std::optional<json::value> read_json_file(const std::string& path, const FileBound& bound, std::string& message) {
  const auto text = read_file(path, message, bound);
  if (!text) return std::nullopt;
  boost::system::error_code error;
  json::value value = json::parse(*text, error);
  if (error) {
    message = path + " is no JSON: " + json_problem(*text);
    return std::nullopt;
  }
  const std::string doubled = doubled_member(*text);
  if (doubled.empty()) return value;
  message = path + ": the member " + doubled + " is written twice";
  return std::nullopt;
}

}  // namespace ptcvm::cli
