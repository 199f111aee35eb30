#include "tools/ptcvm/process/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <utility>

#include "agents/chain/text/terminal_harm.h"
#include "tools/ptcvm/process/complaints.h"
#include "vm/value/utf8.h"

namespace ptcvm::cli {
namespace {

std::mutex complaints_mutex;
std::function<void(std::string_view)> complaints_taker;   // under the mutex; empty: standard error

}  // namespace

bool stderr_has_colour() { return isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }
bool stdout_has_colour() { return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }
std::size_t stderr_rows() {
  const char* const kind = std::getenv("TERM");
  if (isatty(STDERR_FILENO) != 1 || kind == nullptr || std::string_view(kind) == "dumb") return 0;
  constexpr std::size_t kUsual = 24;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : kUsual;
}
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

std::string harmless_text(std::string_view given) {
  const std::string repaired = ptc::utf8_repaired(std::string(given));
  std::string out;
  for (std::string_view text = repaired; !text.empty();) {
    const std::size_t harm = chain::terminal_harm(text);
    out += harm == 0 ? text[0] : '?';
    text.remove_prefix(std::max<std::size_t>(harm, 1));
  }
  return out;
}

std::string shown_diagnostic(Diagnostic diagnostic) {
  for (std::string* const text : {&diagnostic.message, &diagnostic.hint, &diagnostic.found, &diagnostic.source_name}) {
    *text = harmless_text(*text);
  }
  for (CallFrame& frame : diagnostic.stack) {
    frame.name = harmless_text(frame.name);
    frame.source_name = harmless_text(frame.source_name);
  }
  return diagnostic_text(diagnostic, stderr_has_colour());
}

void complain(std::string_view message) {
  const std::lock_guard lock(complaints_mutex);
  if (complaints_taker) return complaints_taker(message);
  std::cerr << "ptcvm: " << harmless_text(message) << '\n';
}

ComplaintsTo::ComplaintsTo(std::function<void(std::string_view message)> take) {
  const std::lock_guard lock(complaints_mutex);
  complaints_taker = std::move(take);
}

ComplaintsTo::~ComplaintsTo() {
  const std::lock_guard lock(complaints_mutex);
  complaints_taker = nullptr;
}

}  // namespace ptcvm::cli
