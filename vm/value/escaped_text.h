// Texts as they are written inside of quotes, in EDN and in the readable form.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

// Appends the text with its escapes, without quotes around it. Counts the bytes as work done.
void append_escaped(std::string& out, std::string_view utf8);

}  // namespace ptc
