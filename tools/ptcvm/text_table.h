// Columns of text for a terminal: left-aligned, two blanks between them, the last one as long as it is.
#pragma once
#include <string>
#include <vector>

namespace ptcvm {

// `rows` begin with the headings; all of one length. Control characters become blanks.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace ptcvm
