#include "vm/builtins/regex.h"

#include <memory>

#include <re2/re2.h>

#include "vm/builtins/environment.h"
#include "vm/builtins/regex_search.h"
#include "vm/builtins/regex_syntax.h"
#include "vm/builtins/text.h"
#include "vm/value/string.h"
#include "vm/value/utf8.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::int64_t kAutomatonMemory = 512 * 1024;
constexpr std::uint64_t kScannedBytesPerFuelUnit = 1024;

// What Regex::compiled points to.
struct CompiledRegex {
  explicit CompiledRegex(Heap& h) : heap(h) { heap.account(kRegexBytes); }
  ~CompiledRegex() { heap.account(-kRegexBytes); }
  CompiledRegex(const CompiledRegex&) = delete;
  CompiledRegex& operator=(const CompiledRegex&) = delete;
  Heap& heap;
  std::unique_ptr<re2::RE2> automaton;
  bool reads_little = false;             // reads_little_past_match of the pattern, known with the automaton
};

void delete_compiled(void* compiled) { delete static_cast<CompiledRegex*>(compiled); }

std::unique_ptr<re2::RE2> compile(std::string_view translated) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kAutomatonMemory);
  return std::make_unique<re2::RE2>(re2::StringPiece(translated.data(), translated.size()), options);
}

std::string_view reason(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape: return "unknown escape";
    case re2::RE2::ErrorBadCharClass: return "malformed character class";
    case re2::RE2::ErrorBadCharRange: return "range out of order";
    case re2::RE2::ErrorMissingBracket: return "missing ]";
    case re2::RE2::ErrorMissingParen: return "missing )";
    case re2::RE2::ErrorUnexpectedParen: return "unmatched )";
    case re2::RE2::ErrorTrailingBackslash: return "nothing follows the last backslash";
    case re2::RE2::ErrorRepeatArgument: return "nothing to repeat";
    case re2::RE2::ErrorRepeatSize: return "repeat count out of range";
    case re2::RE2::ErrorRepeatOp: return "repeat of a repeat";
    case re2::RE2::ErrorBadPerlOp: return "unknown group syntax";
    case re2::RE2::ErrorBadUTF8: return "malformed text";
    case re2::RE2::ErrorBadNamedCapture: return "malformed group name";
    case re2::RE2::ErrorPatternTooLarge: return "the pattern expands to too many states";
    case re2::RE2::ErrorInternal:
    case re2::RE2::NoError: break;
  }
  return "invalid pattern";
}

// Null, with the error filled in, when the pattern is invalid.
std::unique_ptr<re2::RE2> checked(std::string_view pattern, RegexSyntaxError& error) {
  std::string translated;
  if (!translate_regex(pattern, translated, error)) return nullptr;
  std::unique_ptr<re2::RE2> automaton = compile(translated);
  if (automaton->ok()) return automaton;
  error.message = reason(automaton->error_code());
  const std::string& culprit = automaton->error_arg();
  const std::size_t at = culprit.empty() ? std::string_view::npos : pattern.find(culprit);
  error.offset = at == std::string_view::npos ? 0 : at;
  return nullptr;
}

std::string error_text(std::string_view pattern, const RegexSyntaxError& error) {
  return "invalid regex at position " + std::to_string(utf8_count(pattern.substr(0, error.offset))) + ": " +
         error.message;
}

// Compiled on first use; the automaton is null when the pattern is invalid.
const CompiledRegex& compiled_regex(Value regex) {
  const Regex* r = static_cast<const Regex*>(regex.object);
  CompiledRegex* compiled = static_cast<CompiledRegex*>(r->compiled);
  if (compiled->automaton == nullptr) {
    RegexSyntaxError error;
    compiled->automaton = checked(r->source->view(), error);
    compiled->reads_little = reads_little_past_match(r->source->view());
  }
  return *compiled;
}

}  // namespace

bool regex_check(std::string_view pattern, std::string& error, std::size_t& position) {
  const std::uint32_t limit = Limits{}.regex_pattern_bytes;
  if (pattern.size() > limit) {
    error = "pattern longer than " + std::to_string(limit) + " bytes";
    position = limit;
    return false;
  }
  RegexSyntaxError found;
  if (checked(pattern, found) != nullptr) return true;
  error = found.message;
  position = utf8_count(pattern.substr(0, found.offset));
  return false;
}

Value regex_make(Heap& heap, std::string_view pattern, std::string* error) {
  std::unique_ptr<re2::RE2> automaton;
  if (error != nullptr) {
    RegexSyntaxError found;
    automaton = checked(pattern, found);
    if (automaton == nullptr) {
      *error = error_text(pattern, found);
      return Value::absent();
    }
  }
  const Value regex = regex_of_source(heap, string_of(heap, pattern));
  static_cast<CompiledRegex*>(static_cast<Regex*>(regex.object)->compiled)->automaton = std::move(automaton);
  return regex;
}

Value regex_of_source(Heap& heap, Value taken_source) {
  heap.set_regex_deleter(delete_compiled);
  Regex* regex = heap.make<Regex>(Kind::Regex);
  regex->source = static_cast<String*>(taken_source.object);
  auto compiled = std::make_unique<CompiledRegex>(heap);
  compiled->reads_little = reads_little_past_match(string_view_of(taken_source));
  regex->compiled = compiled.release();
  return Value::of(Tag::Regex, regex);
}

Value regex_of_argument(Call& call, std::uint32_t i) {
  const Value v = call.arg(i);
  if (v.is(Tag::Regex)) return retained(v);
  if (!v.is_string()) return call.type_error(i + 1, "regex or string");
  const std::string_view pattern = string_view_of(v);
  const std::uint32_t limit = call.env.limits.regex_pattern_bytes;
  if (pattern.size() > limit) {
    return call.fail(FaultKind::RegexLimitExceeded, std::string(call.name()) + ": regex pattern longer than " +
                                                        std::to_string(limit) + " bytes");
  }
  call.charge(pattern.size() + 1);
  if (!call.reserve(static_cast<std::uint64_t>(kRegexBytes))) return Value::absent();
  std::string error;
  const Value regex = regex_make(call.heap, pattern, &error);
  if (!regex.is_absent()) return regex;
  return call.fail(FaultKind::TypeError, std::string(call.name()) + ": " + error);
}

RegexSearch::RegexSearch(Call& call, Value regex, std::string_view text, Groups groups)
    : call_(call), text_(text) {
  const CompiledRegex& compiled = compiled_regex(regex);
  automaton_ = compiled.automaton.get();
  reads_little_ = compiled.reads_little;
  if (automaton_ == nullptr) {
    call_.fail(FaultKind::TypeError, std::string(call_.name()) + ": invalid regex");
    failed_ = true;
    return;
  }
  if (text_.data() == nullptr) text_ = "";   // groups without data are groups without match
  if (groups == Groups::All) group_count_ = static_cast<std::size_t>(automaton_->NumberOfCapturingGroups());
  matched_.resize(group_count_ + 1);
}

bool RegexSearch::run(std::size_t from, re2::RE2::Anchor anchor) {
  if (failed_) return false;
  const bool found = automaton_->Match(re2::StringPiece(text_.data(), text_.size()), from, text_.size(), anchor,
                                       matched_.data(), static_cast<int>(matched_.size()));
  return charge_scan(from, found) && found;
}

bool RegexSearch::charge_scan(std::size_t from, bool found) {
  const std::size_t read = (found && reads_little_ ? end() : text_.size()) - from;
  scanned_bytes_ += read;
  call_.charge(1 + read / kScannedBytesPerFuelUnit);
  if (scanned_bytes_ <= kMaxScannedBytes) return true;
  call_.fail(FaultKind::RegexLimitExceeded, std::string(call_.name()) + ": too many matches in a long text",
             "Use a pattern without | and without repeated groups, or a string, or work on the lines one by one.");
  failed_ = true;
  return false;
}

bool RegexSearch::find(std::size_t from) { return run(from, re2::RE2::UNANCHORED); }

bool RegexSearch::next() {
  if (exhausted_ || !find(next_from_)) return false;
  next_from_ = end();
  if (matched_[0].empty()) {
    if (next_from_ >= text_.size()) {
      exhausted_ = true;
    } else {
      next_from_ += utf8_decode(text_.substr(next_from_)).length;
    }
  }
  return true;
}

bool RegexSearch::matches_whole() { return run(0, re2::RE2::ANCHOR_BOTH); }

std::size_t RegexSearch::group_named(std::string_view name) const {
  const auto& names = automaton_->NamedCapturingGroups();
  const auto at = names.find(std::string(name));
  return at == names.end() ? 0 : static_cast<std::size_t>(at->second);
}

Value RegexSearch::match_value() const {
  if (group_count_ == 0) return string_of(call_.heap, group(0));
  VectorBuilder groups(call_.heap);
  for (std::size_t i = 0; i <= group_count_; ++i) {
    groups.push(has_group(i) ? string_of(call_.heap, group(i)) : Value::nil());
  }
  return groups.finish();
}

}  // namespace ptc
