#include "tools/ptcvm/source/source_paint.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ptcvm/reference.hpp"
#include "schema/ascii.h"
#include "tools/ptcvm/source/source_tokens.h"

namespace ptcvm::cli {
namespace {

constexpr std::string_view kText = "\033[32m", kKeyword = "\033[36m", kNumeral = "\033[35m", kSpecial = "\033[34m",
                           kHost = "\033[33m", kComment = "\033[2m", kWrong = "\033[31m", kMatch = "\033[1;4m",
                           kUncoloured = "\033[0m";
constexpr std::size_t kNoPartner = SIZE_MAX;

struct Bracket {
  std::size_t begin, end;             // offsets in the text
  std::size_t partner = kNoPartner;   // index of the other bracket
  bool opens;
};

struct Painted {
  std::size_t begin, end;
  std::string_view colour;
};

bool is_form(std::string_view name) {
  const auto entries = find_reference(name);
  return !entries.empty() && (entries.front().kind == "special form" || entries.front().kind == "macro");
}

std::string_view colour_of_atom(std::string_view text, bool is_head) {
  if (text.starts_with('"') || text.starts_with("#\"") || text.starts_with('\\')) return kText;
  if (text.starts_with(':')) return kKeyword;
  if (ptc::is_digit(text.front()) || (text.size() > 1 && text.front() == '-' && ptc::is_digit(text[1])))
    return kNumeral;
  if (text == "nil" || text == "true" || text == "false") return kNumeral;
  if (text.starts_with("tool/") || text.starts_with("data/")) return kHost;
  return is_head && is_form(text) ? kSpecial : std::string_view();
}

char partner_of(char bracket) { return bracket == ')' ? '(' : bracket == ']' ? '[' : '{'; }

// The brackets of a text with their partners, and the colours of its other tokens.
class Paint {
 public:
  explicit Paint(std::string_view text) {
    SourceTokens tokens(text);
    std::vector<std::size_t> open;
    bool is_head = false;
    for (SourceToken token; tokens.next(token);) {
      const auto begin = static_cast<std::size_t>(token.text.data() - text.data());
      const std::size_t end = begin + token.text.size();
      if (token.kind == SourceToken::Kind::Open) {
        open.push_back(brackets.size());
        brackets.push_back({begin, end, kNoPartner, true});
      } else if (token.kind == SourceToken::Kind::Close) {
        Bracket closing{begin, end, kNoPartner, false};
        if (!open.empty() && text[brackets[open.back()].end - 1] == partner_of(text[begin])) {
          closing.partner = open.back();
          brackets[open.back()].partner = brackets.size();
          open.pop_back();
        } else {
          spans.push_back({begin, end, kWrong});
        }
        brackets.push_back(closing);
      } else {
        const bool is_atom = token.kind == SourceToken::Kind::Atom;
        const std::string_view colour = is_atom ? colour_of_atom(token.text, is_head) : kComment;
        if (!colour.empty()) spans.push_back({begin, end, colour});
      }
      is_head = token.kind == SourceToken::Kind::Open && token.text.back() == '(';
    }
  }

  // Emphasises the bracket before the cursor, or the one at it, with its partner.
  void match(std::size_t cursor) {
    for (const Bracket& bracket : brackets) {
      const bool is_here = bracket.opens ? bracket.begin == cursor : bracket.end == cursor;
      if (!is_here || bracket.partner == kNoPartner) continue;
      spans.push_back({bracket.begin, bracket.end, kMatch});
      spans.push_back({brackets[bracket.partner].begin, brackets[bracket.partner].end, kMatch});
      return;
    }
  }

  std::vector<Bracket> brackets;
  std::vector<Painted> spans;
};

}   // namespace

std::string painted_line(std::string_view before, std::string_view line, std::size_t cursor) {
  std::string text(before);
  if (!text.empty()) text += '\n';
  const std::size_t first = text.size();
  text += line;
  Paint paint(text);
  paint.match(first + cursor);
  std::vector<std::string_view> colours(line.size());
  for (const Painted& span : paint.spans) {
    for (std::size_t at = std::max(span.begin, first); at < span.end; ++at) colours[at - first] = span.colour;
  }
  std::string out;
  std::string_view now;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (colours[at] != now) {
      if (!now.empty()) out += kUncoloured;
      out += colours[at];
      now = colours[at];
    }
    out += line[at];
  }
  if (!now.empty()) out += kUncoloured;
  return out;
}

}   // namespace ptcvm::cli
