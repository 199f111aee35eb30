#include "runtime/text/json_members.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace ptc {
namespace {

namespace json = boost::json;

// Hears a document, and stops at the first member that its object has already.
class MemberWatch {
 public:
  static constexpr std::size_t max_array_size = SIZE_MAX, max_object_size = SIZE_MAX, max_string_size = SIZE_MAX,
                               max_key_size = SIZE_MAX;
  using Code = boost::system::error_code;
  using Text = json::string_view;

  explicit MemberWatch(std::span<const std::string_view> unchecked) : unchecked_(unchecked) {}

  const std::string& doubled() const { return doubled_; }

  bool on_object_begin(Code&) { return begin(false); }
  bool on_object_end(std::size_t, Code&) { return end(); }
  bool on_array_begin(Code&) { return begin(true); }
  bool on_array_end(std::size_t, Code&) { return end(); }
  bool on_key_part(Text part, std::size_t, Code&) { return key_.append(part.data(), part.size()), true; }
  bool on_key(Text rest, std::size_t, Code& error) {
    std::string name = std::exchange(key_, {}).append(rest.data(), rest.size());
    if (is_unchecked()) return true;
    open_.back().name = std::move(name);
    if (open_.back().names.insert(open_.back().name).second) return true;
    for (const Open& each : open_) doubled_ += '/' + (each.is_list ? std::to_string(each.items - 1) : each.name);
    error = json::error::exception;
    return false;
  }
  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_string_part(Text, std::size_t, Code&) { return true; }
  bool on_string(Text, std::size_t, Code&) { return item(); }
  bool on_number_part(Text, Code&) { return true; }
  bool on_int64(std::int64_t, Text, Code&) { return item(); }
  bool on_uint64(std::uint64_t, Text, Code&) { return item(); }
  bool on_double(double, Text, Code&) { return item(); }
  bool on_bool(bool, Code&) { return item(); }
  bool on_null(Code&) { return item(); }
  bool on_comment_part(Text, Code&) { return true; }
  bool on_comment(Text, Code&) { return true; }

 private:
  struct Open {
    bool is_list;
    std::size_t items = 0;         // values of a list so far, with the one that is read
    std::string name = {};         // the member of an object that is read
    std::set<std::string> names = {};
  };
  bool begin(bool is_list) { return item(), open_.push_back({.is_list = is_list}), true; }
  bool item() {
    if (!open_.empty()) ++open_.back().items;
    return true;
  }
  bool end() { return open_.pop_back(), true; }
  bool is_unchecked() const {
    return open_.size() > 1 && std::ranges::find(unchecked_, open_.front().name) != unchecked_.end();
  }

  std::span<const std::string_view> unchecked_;
  std::vector<Open> open_;
  std::string key_, doubled_;
};

}  // namespace

std::string doubled_member(std::string_view json, std::span<const std::string_view> open) {
  json::parse_options options;
  options.allow_invalid_utf8 = true;   // whether the text is good is for its reader to say
  json::basic_parser<MemberWatch> parser(options, open);
  boost::system::error_code error;
  parser.write_some(false, json.data(), json.size(), error);
  return parser.handler().doubled();
}

}  // namespace ptc
