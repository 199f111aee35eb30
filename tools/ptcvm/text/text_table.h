// Columns of text for a terminal: left-aligned, two blanks between them, the last one as long as it is.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace ptcvm::cli {

// Returns the text with a blank in the place of each character that could steer a terminal, line ends too.
std::string one_line(std::string text);

// `rows` begin with the headings; all of one length. Control characters become blanks.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

// Cuts a longer text at the border of a character, with "…" behind it.
std::string cut_text(const std::string& text, std::size_t most_bytes = 120);

}  // namespace ptcvm::cli
