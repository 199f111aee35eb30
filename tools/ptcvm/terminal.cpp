#include "tools/ptcvm/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace ptcvm::cli {

bool stderr_has_colour() { return isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }
bool stdout_has_colour() { return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }
bool stdin_is_terminal() { return isatty(STDIN_FILENO) == 1; }
void complain(std::string_view message) { std::cerr << "ptcvm: " << message << '\n'; }

}  // namespace ptcvm::cli
