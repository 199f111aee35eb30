#include "vm/builtins/regex.h"

#include <algorithm>
#include <memory>

#include <re2/re2.h>

#include "vm/builtins/automata.h"
#include "vm/builtins/environment.h"
#include "vm/builtins/regex_search.h"
#include "vm/builtins/regex_syntax.h"
#include "vm/builtins/text.h"
#include "vm/value/string.h"
#include "vm/value/utf8.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint64_t kScannedBytesPerFuelUnit = 1024;
// Programs up to this size are compiled and searched for without more charge.
constexpr std::uint64_t kLightInstructions = 256;
constexpr std::uint64_t kHeavyInstructions = 2048;
// Compiling takes some hundred nanoseconds for an instruction of the program.
constexpr std::uint64_t kCompilePrice = 6;
// Units of work of a search: text goes through tables, or each byte through the program.
constexpr std::uint64_t kBytesPerUnit = 32;
constexpr std::uint64_t kStepsPerUnit = 512;

// What Regex::compiled points to: the bytes that a regex counts while it lives.
struct RegexCount {
  explicit RegexCount(Heap& h) : heap(h) { heap.account(kRegexBytes); }
  ~RegexCount() { heap.account(-kRegexBytes); }
  RegexCount(const RegexCount&) = delete;
  RegexCount& operator=(const RegexCount&) = delete;
  Heap& heap;
};

void delete_count(void* count) { delete static_cast<RegexCount*>(count); }

std::string error_text(std::string_view pattern, const RegexSyntaxError& error) {
  return "invalid regex at position " + std::to_string(utf8_count(pattern.substr(0, error.offset))) + ": " +
         error.message;
}

std::shared_ptr<const Automaton> automaton_of(Environment& env, std::string_view pattern) {
  if (env.automata == nullptr) env.automata = std::make_shared<Automata>(env.shared_automata);
  return env.automata->of(pattern);
}

}  // namespace

std::uint32_t regex_check(std::string_view pattern, std::string& error, std::size_t& position) {
  const std::uint32_t limit = Limits{}.regex_pattern_bytes;
  if (pattern.size() > limit) {
    error = "pattern longer than " + std::to_string(limit) + " bytes";
    position = limit;
    return 0;
  }
  const Automaton automaton = compile_regex(pattern);
  if (automaton.program != nullptr) return std::max(1u, automaton.instructions);
  error = automaton.error.message;
  position = utf8_count(pattern.substr(0, automaton.error.offset));
  return 0;
}

Value regex_make(Heap& heap, std::string_view pattern, std::string* error) {
  if (error != nullptr) {
    const Automaton automaton = compile_regex(pattern);
    if (automaton.program == nullptr) {
      *error = error_text(pattern, automaton.error);
      return Value::absent();
    }
  }
  return regex_of_source(heap, string_of(heap, pattern));
}

Value regex_of_source(Heap& heap, Value taken_source) {
  heap.set_regex_deleter(delete_count);
  Regex* regex = heap.make<Regex>(Kind::Regex);
  regex->source = static_cast<String*>(taken_source.object);
  regex->compiled = new RegexCount(heap);
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
  const std::shared_ptr<const Automaton> automaton = automaton_of(call.env, pattern);
  // The charge is for compiling, also when the automaton is known: it does not depend on what ran before.
  if (automaton->instructions > kLightInstructions) call.charge(kCompilePrice * automaton->instructions);
  if (automaton->program == nullptr) {
    const std::string reason = error_text(pattern, automaton->error);
    return call.fail(FaultKind::TypeError, std::string(call.name()) + ": " + reason);
  }
  return regex_make(call.heap, pattern, nullptr);
}

RegexSearch::RegexSearch(Call& call, Value regex, std::string_view text, Groups groups)
    : call_(call), text_(text) {
  automaton_ = automaton_of(call.env, static_cast<const Regex*>(regex.object)->source->view());
  if (automaton_->program == nullptr) {
    call_.fail(FaultKind::TypeError, std::string(call_.name()) + ": invalid regex");
    failed_ = true;
    return;
  }
  if (text_.data() == nullptr) text_ = "";   // groups without data are groups without match
  if (groups == Groups::All) group_count_ = static_cast<std::size_t>(automaton_->program->NumberOfCapturingGroups());
  matched_.resize(group_count_ + 1);
}

bool RegexSearch::run(std::size_t from, re2::RE2::Anchor anchor) {
  if (failed_) return false;
  const bool found =
      automaton_->program->Match(re2::StringPiece(text_.data(), text_.size()), from, text_.size(), anchor,
                                 matched_.data(), static_cast<int>(matched_.size()));
  return charge_scan(from, found) && found;
}

bool RegexSearch::charge_scan(std::size_t from, bool found) {
  const std::size_t read = (found && automaton_->reads_little ? end() : text_.size()) - from;
  scanned_bytes_ += read;
  call_.charge(1 + read / kScannedBytesPerFuelUnit + price_of_large_program(read));
  work_done(static_cast<std::uint32_t>(read / kBytesPerUnit + read * automaton_->instructions / kStepsPerUnit));
  if (scanned_bytes_ <= kMaxScannedBytes) return true;
  call_.fail(FaultKind::RegexLimitExceeded, std::string(call_.name()) + ": too many matches in a long text",
             "Use a pattern without | and without repeated groups, or a string, or work on the lines one by one.");
  failed_ = true;
  return false;
}

// What a search costs more than with a small program: RE2 may go through the whole program at each byte, and a large
// program that was not used lately is compiled again.
std::uint64_t RegexSearch::price_of_large_program(std::uint64_t read) const {
  const std::uint64_t size = automaton_->instructions;
  if (size <= kLightInstructions) return 0;
  return read * (size / kLightInstructions) / kScannedBytesPerFuelUnit + (size > kHeavyInstructions ? size : 0);
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
  const auto& names = automaton_->program->NamedCapturingGroups();
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
