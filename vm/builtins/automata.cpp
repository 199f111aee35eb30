#include "vm/builtins/automata.h"

#include <algorithm>

#include "vm/value/account.h"

namespace ptc {
namespace {

// Most patterns fit into the first; those that do not get the second.
constexpr std::uint64_t kLightBytes = 128 * 1024;
constexpr std::uint64_t kHeavyBytes = 512 * 1024;
constexpr std::uint32_t kMostInstructions = 8'192;   // RE2 stops there with so many bytes
// Units of work for an instruction of a program, and for any program: some hundred nanoseconds each.
constexpr std::uint32_t kUnitsPerInstruction = 4;
constexpr std::uint32_t kUnitsPerProgram = 64;

std::unique_ptr<re2::RE2> compile_within(std::string_view translated, std::uint64_t most_bytes) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(static_cast<std::int64_t>(most_bytes));
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

}  // namespace

Automaton compile_regex(std::string_view pattern) {
  Automaton made;
  made.reads_little = reads_little_past_match(pattern);
  std::string translated;
  if (!translate_regex(pattern, translated, made.error)) return made;
  made.most_bytes = kLightBytes;
  std::unique_ptr<re2::RE2> program = compile_within(translated, kLightBytes);
  if (program->error_code() == re2::RE2::ErrorPatternTooLarge) {
    made.most_bytes = kHeavyBytes;
    program = compile_within(translated, kHeavyBytes);
  }
  if (program->ok()) {
    made.instructions = static_cast<std::uint32_t>(program->ProgramSize());
    work_done(kUnitsPerProgram + made.instructions * kUnitsPerInstruction);
    made.program = std::move(program);
    return made;
  }
  work_done(Patience::kUsualUnits);
  if (program->error_code() == re2::RE2::ErrorPatternTooLarge) made.instructions = kMostInstructions;
  made.error.message = reason(program->error_code());
  const std::string& culprit = program->error_arg();
  const std::size_t at = culprit.empty() ? std::string_view::npos : pattern.find(culprit);
  made.error.offset = at == std::string_view::npos ? 0 : at;
  return made;
}

std::shared_ptr<const Automaton> AutomatonShelf::find(std::string_view pattern) {
  const auto known = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.pattern == pattern; });
  if (known == slots_.end()) return nullptr;
  known->last_used = ++clock_;
  return known->automaton;
}

void AutomatonShelf::keep(std::string_view pattern, std::shared_ptr<const Automaton> automaton) {
  const std::uint64_t bytes = automaton->most_bytes;
  if (bytes > most_bytes_) return;
  while (bytes_ + bytes > most_bytes_) {
    const auto oldest = std::min_element(slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) {
      return a.last_used < b.last_used;
    });
    bytes_ -= oldest->automaton->most_bytes;
    std::swap(*oldest, slots_.back());
    slots_.pop_back();
  }
  slots_.push_back({std::string(pattern), std::move(automaton), ++clock_});
  bytes_ += bytes;
}

std::shared_ptr<const Automaton> Automata::of(std::string_view pattern) {
  if (auto known = shelf_.find(pattern)) return known;
  auto automaton = made(pattern);
  if (automaton->program != nullptr) shelf_.keep(pattern, automaton);
  return automaton;
}

std::shared_ptr<const Automaton> Automata::made(std::string_view pattern) {
  if (shared_ == nullptr) return std::make_shared<const Automaton>(compile_regex(pattern));
  if (auto known = shared_->find(pattern)) return known;
  auto automaton = std::make_shared<const Automaton>(compile_regex(pattern));
  if (automaton->program != nullptr) shared_->share(pattern, automaton);
  return automaton;
}

}  // namespace ptc
