#include "agents/chain/check/verification.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cstdint>
#include <optional>

#include "agents/chain/check/bounded_regex.h"
#include "agents/chain/check/free_text_check.h"
#include "agents/chain/check/predicate_check.h"
#include "agents/chain/check/schema_check.h"
#include "agents/chain/text/ascii_text.h"
#include "agents/chain/text/model_json.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr std::size_t kSnippetBytes = 280;
constexpr std::string_view kVerificationFailed = "Verification failed for ";

CheckResult verdict(bool passes) { return passes ? CheckResult::Passed : CheckResult::Failed; }

bool finds(const RE2& regex, std::string_view output) {
  return regex.ok() && RE2::PartialMatch(re2::StringPiece(output.data(), output.size()), regex);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool contains(std::string_view output, std::string_view text) {
  if (lowercase(output).find(lowercase(text)) != std::string::npos) return true;
  if (is_ascii(text)) return false;
  RE2::Options options = bounded_regex_options();   // RE2 knows upper and lower case of other scripts
  options.set_literal(true);
  options.set_case_sensitive(false);
  return finds(RE2(re2::StringPiece(text.data(), text.size()), options), output);
}

bool matches(std::string_view pattern, std::string_view output) {
  return !pattern.empty() && finds(RE2("(?m)" + std::string(pattern), bounded_regex_options()), trimmed(output));
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// Takes the number at the beginning of the text, as "3abc" has 3.
bool has_length(std::string_view number, std::string_view output) {
  std::int64_t least = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), least);
  const std::string_view text = trimmed(output);
  return error == std::errc() && std::count_if(text.begin(), text.end(), begins_character) >= least;
}

bool has_value_at(std::string_view text, std::string_view output) {
  const std::size_t equals = text.find('=');
  const std::string_view pointer = trimmed(text.substr(0, equals));
  const std::optional<json::value> document = find_json(output);
  if (!document) return false;
  boost::system::error_code error;
  const json::value* const found = document->find_pointer(pointer, error);
  if (found == nullptr || error) return false;
  if (equals == std::string_view::npos) return true;
  const json::value expected = json::parse(trimmed(text.substr(equals + 1)), error);
  return !error && *found == expected;
}

bool fits_schema(std::string_view text, std::string_view output) {
  boost::system::error_code error;
  const json::value schema = json::parse(text, error);
  const std::optional<json::value> document = error ? std::nullopt : find_json(output);
  return document && !schema_mismatch(*document, schema);
}

// A word with which a criterion of the grammar begins: "NAME:TEXT", or "NAME" alone.
struct Word {
  std::string_view name;
  bool has_text;
  bool (*passes)(std::string_view text, std::string_view output);
};

constexpr auto kWords = std::to_array<Word>({
    {"contains", true, [](std::string_view text, std::string_view output) {
       return !text.empty() && contains(output, text);
     }},
    {"not_contains", true, [](std::string_view text, std::string_view output) {
       return text.empty() || !contains(output, text);
     }},
    {"regex", true, matches},
    {"min_length", true, has_length},
    {"pointer", true, has_value_at},
    {"schema", true, fits_schema},
    {"predicate", true, holds_predicate},
    {"nonempty", false, [](std::string_view, std::string_view output) { return !trimmed(output).empty(); }},
    {"json", false, [](std::string_view, std::string_view output) { return has_json(output); }},
    {"path", false, [](std::string_view, std::string_view output) { return has_absolute_path(output); }},
});

// Returns the word of a trimmed criterion, or nullptr for free text. Case does not count.
const Word* word_of(std::string_view criterion) {
  const std::size_t colon = criterion.find(':');
  const std::string name = lowercase(criterion.substr(0, colon));
  const auto found = std::find_if(kWords.begin(), kWords.end(), [&](const Word& word) {
    return word.name == name && word.has_text == (colon != std::string_view::npos);
  });
  return found == kWords.end() ? nullptr : &*found;
}

// Returns at most so many bytes, and never half of a character.
std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && !begins_character(text[most])) --most;
  return text.substr(0, most);
}

}  // namespace

bool is_decided_by_grammar(std::string_view criterion) {
  const std::string_view text = trimmed(criterion);
  return text.empty() || word_of(text) != nullptr;
}

CheckResult check_output(std::string_view criterion, std::string_view output, CheckMode mode) {
  const std::string_view text = trimmed(criterion);
  if (text.empty()) return CheckResult::Passed;
  if (const Word* const word = word_of(text)) {
    const std::string_view rest = word->has_text ? trimmed(text.substr(word->name.size() + 1)) : std::string_view();
    return verdict(word->passes(rest, output));
  }
  if (mode == CheckMode::Heuristic) return verdict(meets_free_text(text, output));
  return CheckResult::Pending;
}

Verification verify_output(const std::vector<std::string>& criteria, std::string_view output, CheckMode mode) {
  Verification verification;
  for (const std::string& criterion : criteria) {
    const CheckResult result = check_output(criterion, output, mode);
    if (result == CheckResult::Failed) verification.unmet.push_back(criterion);
    if (result == CheckResult::Pending) verification.pending.push_back(criterion);
  }
  return verification;
}

bool is_verification_message(std::string_view text) { return text.starts_with(kVerificationFailed); }

std::string verification_message(std::string_view step_id, const Verification& verification, std::string_view output) {
  std::string message = std::string(kVerificationFailed) + std::string(step_id) + ". Unmet checks: ";
  for (std::size_t i = 0; i < verification.unmet.size(); ++i) {
    if (i > 0) message += ", ";
    message += '"' + verification.unmet[i] + '"';
  }
  const std::string_view snippet = cut(trimmed(output), kSnippetBytes);
  return message + ". Output snippet: " + (snippet.empty() ? "(empty output)" : std::string(snippet));
}

}  // namespace ptcvm::chain
