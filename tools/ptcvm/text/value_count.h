// Counts the values of JSON text before a document is built from it. The document takes many times the memory of a text
// such as [{},{},…].
#pragma once
#include <cstddef>
#include <string_view>

namespace ptcvm::cli {

// Returns true when the text has more than `most` values, members counted twice. Text that is no JSON is read as far as
// it is JSON.
bool has_more_values(std::string_view text, std::size_t most);

}  // namespace ptcvm::cli
