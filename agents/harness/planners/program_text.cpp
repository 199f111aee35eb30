#include "agents/harness/planners/program_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace ptcvm::harness {

namespace {

// The words of planners, on one line: the program keeps the numbers of its lines. All of them are ASCII.
constexpr std::string_view kWords =
    "(def proposed-facts []) "
    "(defn propose [fact] (def proposed-facts (conj proposed-facts fact)) fact) "
    "(defn await-fact [kind key & more] (let [signal (tool/facts_awaited {:type kind :key key})] "
    "(if (seq more) (await-signal signal {:timeout-ms (first more) :default \"timeout\"}) (await-signal signal)))) "
    "(defn ask [prompt & more] (let [qid (tool/facts_ask {:prompt prompt :opts (or (first more) {})})] "
    "(await-fact :user_answer qid))) "
    "(defn confirm [prompt & more] (contains? #{\"yes\" \"y\" \"true\" \"ok\"} "
    "(lower-case (str (apply ask prompt more))))) ";

// The word has its argument by its place, and a program that uses it has it behind the others.
constexpr std::string_view kLastName = "facts/last", kLastWord = "facts-last";   // as long: no place moves
constexpr std::string_view kLast =
    "(defn facts-last [asked] (tool/facts_last {:type (if (map? asked) (:type asked) asked)})) ";

constexpr std::string_view kEnd = "\n{:value planned-value :proposed proposed-facts}";
constexpr std::string_view kBegin = "(def planned-value (do ";
constexpr std::string_view kFacts = "facts/", kTools = "tool/";
constexpr std::uint32_t kMoreColumns = kTools.size();   // facts/status becomes tool/facts_status

static_assert(kLastName.size() == kLastWord.size());

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// Finds names in the text of a program, and passes over strings and comments.
class NameFinder {
 public:
  explicit NameFinder(std::string_view source) : source_(source) {}

  // Looks at the next character. Returns whether the name facts/… is there, behind an opening bracket.
  bool is_at_facts(std::size_t at) {
    const char c = source_[at];
    const bool is_escaped = std::exchange(is_escaped_, in_string_ && c == '\\' && !is_escaped_);
    if (c == '"' && !in_comment_ && !is_escaped) in_string_ = !in_string_;
    if (c == ';' && !in_string_) in_comment_ = true;
    if (c == '\n') in_comment_ = false;
    const bool begins_word = at > 0 && source_[at - 1] == '(';
    return !in_string_ && !in_comment_ && begins_word && source_.substr(at).starts_with(kFacts);
  }

 private:
  const std::string_view source_;
  bool in_string_ = false, in_comment_ = false, is_escaped_ = false;
};

// Returns whether the name there is facts/last with an argument by its place. A map is what the tool takes.
bool is_last(std::string_view source, std::size_t at) {
  const std::string_view rest = source.substr(at);
  if (!rest.starts_with(kLastName)) return false;
  const std::string_view behind = rest.substr(kLastName.size());
  if (!behind.empty() && is_word_char(behind.front())) return false;
  const std::size_t argument = behind.find_first_not_of(" \t\r\n,");
  return argument == std::string_view::npos || behind[argument] != '{';
}

// Returns what is in front of the program.
std::string words_of(std::string_view source) {
  std::string words(kWords);
  NameFinder names(source);
  bool uses_last = false;
  for (std::size_t at = 0; at < source.size(); ++at) uses_last |= names.is_at_facts(at) && is_last(source, at);
  if (uses_last) words += kLast;
  return words.append(kBegin);
}

}  // namespace

ProgramText::ProgramText(std::string_view source)
    : source_(source), compiled_(words_of(source)), words_(static_cast<std::uint32_t>(compiled_.size())) {
  NameFinder names(source);
  Place place{1, words_ + 1};             // in the compiled text
  bool in_name = false;                   // the name becomes one that tools have, without hyphens
  std::size_t slash = 0;                  // in that name
  for (std::size_t at = 0; at < source.size(); ++at) {
    const bool is_name = names.is_at_facts(at);
    if (is_name && is_last(source, at)) {
      compiled_ += kLastWord;
      place.column += static_cast<std::uint32_t>(kLastWord.size());
      at += kLastName.size() - 1;
      continue;
    }
    if (is_name) {
      longer_.push_back(place);
      compiled_ += kTools;
      place.column += kMoreColumns;
      in_name = true;
      slash = at + kFacts.size() - 1;
    }
    const bool is_slash = in_name && at == slash;
    in_name = in_name && (is_slash || is_word_char(source[at]));
    compiled_ += in_name && (is_slash || source[at] == '-') ? '_' : source[at];
    if (source[at] == '\n') {
      place = {place.line + 1, 1};
    } else if (begins_character(source[at])) {
      ++place.column;
    }
  }
  lines_ = place.line;
  compiled_.append("\n))").append(kEnd);
}

bool ProgramText::is_in_words(const Place& place) const {
  return (place.line == 1 && place.column <= words_) || place.line > lines_;
}

ProgramText::Place ProgramText::moved(Place place) const {
  if (place.line == 0 || is_in_words(place)) return {};
  std::uint32_t more = place.line == 1 ? words_ : 0;
  for (const Place& name : longer_) {
    if (name.line != place.line || name.column >= place.column) continue;
    more += std::min(kMoreColumns, place.column - name.column);
  }
  return {place.line, place.column - more};
}

// Words are called like builtins: what they call is left out.
std::vector<CallFrame> ProgramText::moved(const std::vector<CallFrame>& stack) const {
  std::vector<CallFrame> out;
  std::string word;                       // that is called by the next frame of the program
  for (const CallFrame& frame : stack) {
    const bool has_place = frame.line != 0;
    if (has_place && is_in_words({frame.line, frame.column})) {
      word = frame.kind == "function" ? frame.name : word;
      continue;
    }
    const Place place = moved(Place{frame.line, frame.column});
    if (has_place && !word.empty()) {
      out.push_back({"builtin", std::exchange(word, {}), frame.source_name, place.line, place.column});
    }
    out.push_back({frame.kind, frame.name, frame.source_name, place.line, place.column});
  }
  return out;
}

std::uint32_t ProgramText::offset_of(const Place& place) const {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < place.line; ++line) at = source_.find('\n', at) + 1;
  for (std::uint32_t column = 1; column < place.column && at < source_.size(); ++column) {
    for (++at; at < source_.size() && !begins_character(source_[at]);) ++at;
  }
  return static_cast<std::uint32_t>(std::min(at, source_.size()));
}

// The words are around the program: a bracket that is open or too much is looked for in the program alone.
Diagnostic ProgramText::in_source(const Engine& engine, Diagnostic found) const {
  constexpr std::string_view kUnreadable = "parse_error";
  if (found.kind == kUnreadable) {
    const auto alone = engine.compile(source_);
    const bool is_found = !alone && alone.error().diagnostic && alone.error().diagnostic->kind == kUnreadable;
    if (is_found) return *alone.error().diagnostic;
  }
  const std::uint32_t bytes = found.end - std::min(found.begin, found.end);
  found.stack = moved(found.stack);
  Place place = moved(Place{found.line, found.column});
  const bool is_moved = place.line == 0;
  const auto outer = std::ranges::find_if(found.stack, [](const CallFrame& frame) { return frame.line != 0; });
  if (is_moved && outer != found.stack.end()) place = {outer->line, outer->column};
  found.line = place.line;
  found.column = place.column;
  found.begin = place.line == 0 ? 0 : offset_of(place);
  found.end = is_moved ? found.begin : std::min(found.begin + bytes, static_cast<std::uint32_t>(source_.size()));
  found.excerpt = place.line == 0 ? "" : source_excerpt(found, source_);
  found.text = diagnostic_text(found);
  return found;
}

std::string fault_line(const Diagnostic& fault) {
  std::string out = fault.kind + ": " + fault.message;
  if (fault.line == 0) return out;
  out += " (line " + std::to_string(fault.line) + ", column " + std::to_string(fault.column);
  const std::string calls = call_line(fault.stack);
  return out + (calls.empty() ? "" : "; ") + calls + ")";
}

}  // namespace ptcvm::harness
