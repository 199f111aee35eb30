#include "tools/ptcvm/trace/trace_steps.h"

#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>

#include "tools/ptcvm/text/pretty.h"
#include "tools/ptcvm/trace/trace_show.h"

namespace ptcvm::cli {
namespace {

constexpr std::size_t kLinesAround = 5;
constexpr const char* kKeys = "n or → next, b or ← back, g first, G last, c next call, q quit";

void append_part(std::string& out, const char* name, const std::optional<std::string>& text, bool is_edn) {
  if (text && !text->empty()) out.append(name).append(":\n").append(is_edn ? pretty_edn(*text) : *text).append("\n");
}

// Makes the terminal give each key at once, without showing it.
class KeyMode {
 public:
  KeyMode() {
    is_set_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    termios keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    if (is_set_) tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  ~KeyMode() {
    if (is_set_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  KeyMode(const KeyMode&) = delete;
  KeyMode& operator=(const KeyMode&) = delete;

 private:
  termios before_ = {};
  bool is_set_ = false;
};

// Returns the next key, 'C' for an arrow to the right and so on, or nullopt at the end of the input.
std::optional<char> read_key() {
  char byte = 0;
  const auto next = [&byte] { return ::read(STDIN_FILENO, &byte, 1) == 1; };
  if (!next()) return std::nullopt;
  if (byte != '\033') return byte;
  if (!next() || (byte == '[' && !next())) return std::nullopt;
  return byte;
}

}   // namespace

TraceSteps::TraceSteps(std::vector<const ptc::TraceEvent*> borrowed, bool colour) : events_(std::move(borrowed)) {
  const std::string table = show_events(events_, colour);
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = table.find('\n', at);
    lines_.push_back(table.substr(at, end - at));
    at = end + 1;
  }
}

std::string TraceSteps::page(std::size_t index) const {
  const ptc::TraceEvent& event = *events_[index];
  std::string out =
      "event " + std::to_string(index + 1) + " of " + std::to_string(count()) + "\n\n  " + lines_[0] + '\n';
  const std::size_t first = index > kLinesAround ? index - kLinesAround : 0;
  const std::size_t end = std::min(index + kLinesAround + 1, count());
  for (std::size_t k = first; k < end; ++k) out += (k == index ? "> " : "  ") + lines_[k + 1] + '\n';
  out += '\n';
  append_part(out, "arguments", event.args, true);
  append_part(out, "value", event.value, true);
  append_part(out, "text", event.text, false);
  append_part(out, "error", event.error, false);
  return out + '\n' + kKeys + '\n';
}

std::size_t TraceSteps::after_key(std::size_t index, char key) const {
  const std::size_t last = count() - 1;
  switch (key) {
    case 'n':
    case ' ':
    case '\n':
    case 'B':
    case 'C':
      return std::min(index + 1, last);
    case 'b':
    case 'p':
    case 'A':
    case 'D':
      return index == 0 ? 0 : index - 1;
    case 'g':
      return 0;
    case 'G':
      return last;
    case 'c':
      for (std::size_t k = index + 1; k < count(); ++k) {
        if (events_[k]->kind == ptc::TraceKind::ToolStart) return k;
      }
      return index;
    case 'q':
      return count();
    default:
      return index;
  }
}

bool can_step_through() { return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1; }

void step_through(const TraceSteps& steps) {
  const KeyMode keys;
  for (std::size_t at = 0; at < steps.count();) {
    std::cout << "\033[H\033[2J" << steps.page(at) << std::flush;
    const auto key = read_key();
    at = key ? steps.after_key(at, *key) : steps.count();
  }
}

}   // namespace ptcvm::cli
