// Whether a stream is a terminal that wants colour, and messages of the tool itself.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "ptcvm/diagnostic.hpp"

namespace ptcvm::cli {

bool stderr_has_colour();     // a terminal, and NO_COLOR is not set
bool stdout_has_colour();
bool stdin_is_terminal();
std::size_t stderr_rows();    // the lines of the terminal; 0 without a terminal that can be drawn on
bool write_out(std::string_view text);     // to standard output, past its buffers; returns false when it is closed
void complain(std::string_view message);   // "ptcvm: message" on standard error, as harmless_text()
// Returns text of a stranger as a terminal may show it: "?" in the place of each control character but tab and line
// end, and of each character that changes the direction of writing.
std::string harmless_text(std::string_view text);
// Returns diagnostic_text() for standard error, with everything that a program or a tool said as harmless_text().
std::string shown_diagnostic(Diagnostic diagnostic);

}  // namespace ptcvm::cli
