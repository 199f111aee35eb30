#include "agents/loop/program_text.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ptcvm::loop {

namespace {

// Characters that cannot be seen, as UTF-8: soft hyphen, zero-width characters, marks of direction, BOM.
constexpr auto kInvisible = std::to_array<std::string_view>(
    {"\u00AD", "\u200B", "\u200C", "\u200D", "\u200E", "\u200F", "\u2060", "\uFEFF"});
constexpr auto kSpaces = std::to_array<std::string_view>({"\u00A0", "\u202F", "\u2007"});
constexpr auto kDoubleQuotes = std::to_array<std::string_view>({"\u201C", "\u201D", "\u201E", "\u201F"});
constexpr auto kSingleQuotes = std::to_array<std::string_view>({"\u2018", "\u2019", "\u201A", "\u201B"});

// Returns the size of the one of these characters with which a text begins, or 0. None of them is ASCII.
template <std::size_t N>
std::size_t starts_with_one(std::string_view text, const std::array<std::string_view, N>& all) {
  if (text.empty() || static_cast<unsigned char>(text.front()) < 0x80) return 0;
  for (const std::string_view one : all) {
    if (text.starts_with(one)) return one.size();
  }
  return 0;
}

bool is_opening(char c) { return c == '(' || c == '[' || c == '{'; }
bool is_closing(char c) { return c == ')' || c == ']' || c == '}'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',' || c == '\f'; }

// Returns the end of what begins at `at` and has no brackets of its own: a string, a regular expression, a character, a
// comment, a token or one bracket.
std::size_t end_of_atom(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == ';') return std::min(text.find('\n', at), text.size());
  if (c == '"' || (c == '#' && text.substr(at + 1).starts_with('"'))) {
    for (std::size_t i = at + (c == '"' ? 1 : 2); i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        return i + 1;
      }
    }
    return text.size();
  }
  std::size_t end = at + 1;
  if (c == '\\' && end < text.size()) ++end;   // \( is a character
  if (c != '\\' && (is_opening(c) || is_closing(c) || is_space(c))) return end;
  while (end < text.size() && !is_space(text[end]) && !is_opening(text[end]) && !is_closing(text[end]) &&
         text[end] != '"' && text[end] != ';') {
    ++end;
  }
  return end;
}

// Copies with straight quotes and without what cannot be seen. A string that begins with a straight quote keeps what is
// inside of it; one that begins with a smart quote ends with a smart or a straight one.
std::string straightened(std::string_view text) {
  enum class In { Code, Straight, Smart, Comment } in = In::Code;
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (const std::size_t invisible = starts_with_one(rest, kInvisible)) {
      i += invisible;
      continue;
    }
    if (rest.starts_with("\r\n")) {
      ++i;
      continue;
    }
    if (in != In::Straight && in != In::Comment) {
      if (const std::size_t quote = starts_with_one(rest, kDoubleQuotes)) {
        out += '"';
        in = in == In::Code ? In::Smart : In::Code;
        i += quote;
        continue;
      }
    }
    if (in == In::Code) {
      const std::size_t space = starts_with_one(rest, kSpaces);
      const std::size_t quote = starts_with_one(rest, kSingleQuotes);
      if (space + quote != 0) {
        out += space != 0 ? ' ' : '\'';
        i += space + quote;
        continue;
      }
    }
    const char c = text[i++];
    out += c;
    if (c == '\\' && in != In::Comment && i < text.size()) {
      out += text[i++];
    } else if (c == '"' && in != In::Comment) {
      in = in == In::Code ? In::Straight : In::Code;
    } else if (c == ';' && in == In::Code) {
      in = In::Comment;
    } else if (c == '\n' && in == In::Comment) {
      in = In::Code;
    }
  }
  return out;
}

// Returns where the surplus brackets begin, when only brackets, spaces and comments follow.
std::optional<std::size_t> surplus_begin(std::string_view text) {
  std::size_t depth = 0;
  std::optional<std::size_t> begin;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const bool counts = !is_space(c) && c != ';';
    if (begin && counts && !is_closing(c)) return std::nullopt;
    if (is_opening(c)) ++depth;
    if (is_closing(c)) {
      if (depth == 0) {
        if (!begin) begin = i;
      } else {
        --depth;
      }
    }
    i = end_of_atom(text, i);
  }
  return begin;
}

}  // namespace

ProgramText read_program_text(std::string_view written) {
  ProgramText out{straightened(written), 0};
  while (!out.text.empty() && is_space(out.text.back())) out.text.pop_back();
  const auto begin = surplus_begin(out.text);
  if (!begin) return out;
  std::string kept = out.text.substr(0, *begin);
  for (std::size_t i = *begin; i < out.text.size();) {
    const std::size_t end = end_of_atom(out.text, i);
    if (is_closing(out.text[i])) {
      ++out.dropped_brackets;
    } else {
      kept.append(out.text, i, end - i);
    }
    i = end;
  }
  out.text = std::move(kept);
  return out;
}

std::string without_invisible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t invisible = starts_with_one(text.substr(i), kInvisible)) {
      i += invisible;
    } else {
      out += text[i++];
    }
  }
  return out;
}

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

ExplainedProgram explain(std::string_view program,
                         const std::function<std::string(std::string_view form, std::string_view name)>& answer) {
  ExplainedProgram out;
  for (std::size_t i = 0; i < program.size();) {
    std::string_view form, name;
    std::size_t end = i;
    if (program[i] == '(' && i + 1 < program.size()) {
      const std::size_t head_end = end_of_atom(program, i + 1);
      form = program.substr(i + 1, head_end - i - 1);
      std::size_t at = head_end;
      while (at < program.size() && is_space(program[at])) ++at;
      if ((form == "doc" || form == "apropos") && at > head_end && at < program.size()) {
        const std::size_t name_end = end_of_atom(program, at);
        name = program.substr(at, name_end - at);
        end = name_end;
        while (end < program.size() && is_space(program[end])) ++end;
        if (end >= program.size() || program[end] != ')' || is_opening(name.front()) || is_closing(name.front())) {
          name = {};
        }
      }
    }
    if (!name.empty() && name.front() == '\'') name.remove_prefix(1);
    if (name.size() >= 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
    if (name.empty()) {
      const std::size_t next = end_of_atom(program, i);
      out.text.append(program.substr(i, next - i));
      i = next;
      continue;
    }
    const std::string text = answer(form, name);
    const std::string literal = string_literal(text);
    out.text.append("(do (println ").append(literal).append(") ").append(literal).append(")");
    out.answer_bytes += text.size();
    i = end + 1;
  }
  return out;
}

std::vector<std::pair<std::string_view, std::string_view>> entries_of_map(std::string_view edn) {
  std::vector<std::string_view> forms;
  if (edn.size() < 2 || edn.front() != '{') return {};
  std::size_t depth = 0, begin = std::string_view::npos;
  const auto finish = [&](std::size_t end) {
    if (begin != std::string_view::npos) forms.push_back(edn.substr(begin, end - begin));
    begin = std::string_view::npos;
  };
  for (std::size_t i = 1; i + 1 < edn.size();) {
    const std::size_t end = end_of_atom(edn, i);
    const char c = edn[i];
    if (!is_space(c) && begin == std::string_view::npos) begin = i;
    if (is_opening(c)) ++depth;
    if (is_closing(c) && depth > 0) --depth;
    // A tag and what it tags are one form: "#tag {…}", "#{…}".
    const bool is_tag = c == '#' && depth == 0 && edn.substr(i, end - i).find('"') == std::string_view::npos;
    if (!is_space(c) && depth == 0 && !is_tag) finish(end);
    i = end;
  }
  finish(edn.size() - 1);
  std::vector<std::pair<std::string_view, std::string_view>> out;
  for (std::size_t i = 0; i + 1 < forms.size(); i += 2) out.emplace_back(forms[i], forms[i + 1]);
  return out;
}

std::size_t whole_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0u) == 0x80u) --most;
  return most;
}

}  // namespace ptcvm::loop
