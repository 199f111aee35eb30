#include "vm/snapshot/json/json_outline.h"

#include <boost/json/basic_parser_impl.hpp>
#include <limits>
#include <string>

namespace ptc {
namespace {

namespace json = boost::json;

// Counts the nesting and reads the keys of the members at the top. Everything else is skipped.
struct Nesting {
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) {
    ++depth;
    return true;
  }
  bool on_object_end(std::size_t, json::error_code&) {
    --depth;
    return true;
  }
  bool on_array_begin(json::error_code&) {
    ++depth;
    return true;
  }
  bool on_array_end(std::size_t, json::error_code&) {
    --depth;
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    if (depth == 1) part_of_key.append(part.data(), part.size());
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

  // Takes the last part of a key at the top.
  void end_key(json::string_view part) {
    key = std::move(part_of_key).append(part.data(), part.size());
    part_of_key.clear();
  }

  bool (*is_known)(std::string_view name) = nullptr;
  std::size_t depth = 0;
  std::string key, part_of_key;   // name the member at the top that is being read
};

// Ends the parser as soon as the outline is clear.
struct OutlineHandler : Nesting {
  bool on_document_end(json::error_code&) {
    outline = JsonOutline::NoSnapshot;
    return true;
  }
  bool on_array_begin(json::error_code& error) {
    if (depth++ == 0) return end(JsonOutline::NoSnapshot, error);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code& error) {
    if (depth != 1) return true;
    end_key(part);
    has_format |= key == "format";
    has_oldest_reader |= key == "oldest_reader";
    if (has_format && has_oldest_reader) return end(JsonOutline::MaybeSnapshot, error);
    if (!is_known(key)) return end(has_format ? JsonOutline::MaybeSnapshot : JsonOutline::NoSnapshot, error);
    return true;
  }

  bool end(JsonOutline found, json::error_code& error) {
    outline = found;
    error = make_error_code(boost::system::errc::operation_canceled);
    return false;
  }

  JsonOutline outline = JsonOutline::MaybeSnapshot;
  bool has_format = false, has_oldest_reader = false;
};

struct SurveyHandler : Nesting {
  bool on_key(json::string_view part, std::size_t, json::error_code&) {
    if (depth != 1) return true;
    end_key(part);
    survey.has_programs |= key == "programs";
    if (survey.unknown.empty() && !is_known(key)) survey.unknown = key.substr(0, kShownBytes);
    return true;
  }
  bool on_int64(std::int64_t number, json::string_view, json::error_code&) {
    if (number >= 0) note(static_cast<std::uint64_t>(number));
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, json::error_code&) {
    note(number);
    return true;
  }

  void note(std::uint64_t number) {
    if (depth != 1) return;
    if (key == "format") survey.format = number;
    if (key == "oldest_reader") survey.oldest_reader = number;
  }

  static constexpr std::size_t kShownBytes = 80;
  JsonSurvey survey;
};

json::parse_options options_for(std::size_t max_depth) {
  json::parse_options options;
  options.max_depth = max_depth;
  return options;
}

}  // namespace

JsonOutline json_outline(std::string_view text, std::size_t max_depth, bool (*is_known)(std::string_view name)) {
  json::basic_parser<OutlineHandler> parser(options_for(max_depth));
  parser.handler().is_known = is_known;
  json::error_code error;
  const std::string_view head = text.substr(0, kJsonHeadBytes);
  parser.write_some(head.size() < text.size(), head.data(), head.size(), error);
  const bool ends_without_format = head.size() < text.size() && !error;
  return ends_without_format ? JsonOutline::NoSnapshot : parser.handler().outline;
}

JsonSurvey json_survey(std::string_view text, std::size_t max_depth, bool (*is_known)(std::string_view name)) {
  json::basic_parser<SurveyHandler> parser(options_for(max_depth));
  parser.handler().is_known = is_known;
  json::error_code error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (!error && text.find_first_not_of(" \t\r\n", read) != std::string_view::npos) error = json::error::extra_data;
  JsonSurvey survey = std::move(parser.handler().survey);
  if (error) survey.complaint = error.message();
  return survey;
}

}  // namespace ptc
