// What is wrong with a token, for messages of the reader.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "schema/source_span.h"

namespace ptc {

// Return what would help with a malformed number or keyword.
std::string_view number_hint(std::string_view token);
std::string_view keyword_hint(std::string_view token);

// A character that nobody sees.
struct HiddenCharacter {
  SourceSpan span;
  std::string message;
};
inline constexpr std::string_view kHiddenHint = "Delete it: it often comes with text that was copied";
// Returns the first one in a token that begins at `start`.
std::optional<HiddenCharacter> hidden_character(std::string_view token, SourceSpan start);

}  // namespace ptc
