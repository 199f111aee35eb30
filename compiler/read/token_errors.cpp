#include "compiler/read/token_errors.h"

#include "compiler/read/cursor.h"
#include "schema/blank_characters.h"

namespace ptc {

std::string_view number_hint(std::string_view token) {
  std::string_view hint = "A number needs a blank or a delimiter after it";
  if (token.find('/') != std::string_view::npos) hint = "There are no ratios: write (/ a b)";
  if (token.find_first_of("xX") != std::string_view::npos) hint = "Numbers are decimal only";
  if (token.back() == 'N' || token.back() == 'M') hint = "Leave the suffix out: integers have any size";
  if (token.back() == '.') hint = "Write at least one digit after the point, such as 5.0";
  return hint;
}

std::string_view keyword_hint(std::string_view token) {
  std::string_view hint = "A keyword is : and then letters, digits or any of + - * < > = ? ! _";
  if (token == ":") hint = "Maps have no colon between key and value: {\"key\" 1} or {:key 1}";
  if (token.find('/') != std::string_view::npos) hint = "Keywords have no namespace: write :name";
  if (token.starts_with("::")) hint = "Write one colon";
  return hint;
}

std::optional<HiddenCharacter> hidden_character(std::string_view token, SourceSpan start) {
  const InvisibleCharacter found = invisible_in(token);
  if (found.length == 0) return std::nullopt;
  Cursor before(token);
  before.advance_bytes(found.offset);
  const auto begin = static_cast<std::uint32_t>(start.begin + found.offset);
  const auto end = static_cast<std::uint32_t>(begin + found.length);
  const std::uint32_t column = start.column + before.column() - 1;   // a token has no line feed
  return HiddenCharacter{{begin, end, start.line, column}, "invisible character " + found.name};
}

}  // namespace ptc
