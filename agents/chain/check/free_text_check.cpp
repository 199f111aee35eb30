#include "agents/chain/check/free_text_check.h"

#include <re2/re2.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "agents/chain/text/ascii_text.h"

namespace ptcvm::chain {

namespace {

// Patterns of the rules, each for whole words in lower case.
const RE2& failure_words() {
  static const RE2 pattern(R"(\b(error|failed|failure|exception|denied|not found|invalid|timeout|timed out)\b)");
  return pattern;
}
const RE2& missing_words() {
  static const RE2 pattern(R"(\b(missing|not found|does not exist|no such file|no such directory)\b)");
  return pattern;
}
const RE2& success_words() {
  static const RE2 pattern(R"(\b(success|succeeded|ok|completed|done|true|passed)\b)");
  return pattern;
}
const RE2& wants_success() {
  static const RE2 pattern(R"(\b(success|succeed|successful|ok|completed|done)\b)");
  return pattern;
}
const RE2& wants_no_error() {
  static const RE2 pattern(R"(\b(no errors?|without errors?|no failures?)\b)");
  return pattern;
}
const RE2& wants_existence() {
  static const RE2 pattern(R"(\b(exists?|present|found)\b)");
  return pattern;
}
const RE2& quoted_fragment() {
  static const RE2 pattern(R"re("([^"]+)"|'([^']+)')re");
  return pattern;
}
const RE2& absolute_path() {
  static const RE2 pattern(R"((^|[\s"'`(=:,])(/[^\s/]|[A-Za-z]:\\[^\s]))");
  return pattern;
}

bool has(const std::string& lower, const RE2& words) { return RE2::PartialMatch(lower, words); }

bool has_word(const std::string& lower, const char* word) {
  return RE2::PartialMatch(lower, std::string("\\b") + word + "\\b");
}

bool is_json(std::string_view text) {
  boost::system::error_code error;
  [[maybe_unused]] const auto value = boost::json::parse(trimmed(text), error);
  return !error;
}

// Returns the text from the first opening bracket to the last closing one; empty when there are none.
std::string_view outermost(std::string_view text, char opening, char closing) {
  const std::size_t begin = text.find(opening), end = text.rfind(closing);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  return text.substr(begin, end + 1 - begin);
}

std::vector<std::string> quoted_fragments(std::string_view criterion) {
  std::vector<std::string> fragments;
  re2::StringPiece rest(criterion.data(), criterion.size());
  std::string in_double, in_single;
  while (RE2::FindAndConsume(&rest, quoted_fragment(), &in_double, &in_single)) {
    fragments.push_back(lowercase(in_double.empty() ? in_single : in_double));
    in_double.clear();
    in_single.clear();
  }
  return fragments;
}

}  // namespace

bool has_absolute_path(std::string_view text) {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), absolute_path());
}

bool has_json(std::string_view text) {
  return is_json(text) || is_json(outermost(text, '{', '}')) || is_json(outermost(text, '[', ']'));
}

bool meets_free_text(std::string_view criterion, std::string_view output) {
  const std::string wanted = lowercase(trimmed(criterion)), got = lowercase(trimmed(output));
  const bool has_failed = has(got, failure_words());
  if (const auto fragments = quoted_fragments(criterion); !fragments.empty()) {
    for (const std::string& fragment : fragments) {
      if (got.find(fragment) == std::string::npos) return false;
    }
    return true;
  }
  if (has_word(wanted, "path")) return has_absolute_path(output);
  if (has_word(wanted, "json")) return has_json(output);
  if (has(wanted, wants_success())) return !has_failed && !got.empty() && has(got, success_words());
  if (has(wanted, wants_no_error())) return !has_failed;
  if (has(wanted, wants_existence())) return !has(got, missing_words());
  return !got.empty() && !has_failed;
}

}  // namespace ptcvm::chain
