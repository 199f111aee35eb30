#include "tools/ptcvm/terminal.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>

namespace ptcvm::cli {

bool stderr_has_colour() { return isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }
bool stdout_has_colour() { return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }
bool stdin_is_terminal() { return isatty(STDIN_FILENO) == 1; }

bool write_out(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void complain(std::string_view message) { std::cerr << "ptcvm: " << message << '\n'; }

}  // namespace ptcvm::cli
