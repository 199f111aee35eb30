// Looks at the beginning of JSON text, before a document is built from it. The document takes many times the memory of
// the text, so text that is no snapshot is refused before.
#pragma once
#include <cstdint>
#include <string_view>

namespace ptc {

enum class JsonOutline : std::uint8_t {
  MaybeSnapshot,   // the text names its format, or is malformed: the parser of the document says more
  NoSnapshot,      // the text is another value than an object, ends without a format, or has another member before it
};

// `is_known` says whether a snapshot may have a member of that name at its top. Reads no further than to the format.
JsonOutline json_outline(std::string_view text, std::size_t max_depth, bool (*is_known)(std::string_view name));

}  // namespace ptc
