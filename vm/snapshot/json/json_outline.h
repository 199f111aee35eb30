// Looks at JSON text before a document is built from it. The document takes many times the memory of the text, so text
// that is no snapshot is refused before.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptc {

// A snapshot names its format in so many bytes from the beginning. Snapshots are written with the format first.
inline constexpr std::size_t kJsonHeadBytes = std::size_t{1} << 20;

enum class JsonOutline : std::uint8_t {
  MaybeSnapshot,   // the text names its format, or is malformed: the parser of the document says more
  NoSnapshot,      // the text is another value than an object, names no format in its head, or another member before it
};

// `is_known` says whether a snapshot may have a member of that name at its top. Reads no further than to the format, or
// to the end of the head.
JsonOutline json_outline(std::string_view text, std::size_t max_depth, bool (*is_known)(std::string_view name));

// What a whole text has at its top.
struct JsonSurvey {
  std::string complaint;   // why the text is no JSON, or ""
  std::string unknown;     // the beginning of the name of the first member that a snapshot does not have, or ""
  std::optional<std::uint64_t> format, oldest_reader;   // when they are whole numbers of 0 or more
  bool has_programs = false;
};

// Goes through the whole text, in time and not in memory.
JsonSurvey json_survey(std::string_view text, std::size_t max_depth, bool (*is_known)(std::string_view name));

}  // namespace ptc
