// Lines typed by a person (editing and history when libedit is there) or piped in.
#pragma once
#include <memory>
#include <string>

namespace ptcvm::cli {

class LineEditor {
 public:
  enum class Result { Line, End };
  virtual ~LineEditor() = default;
  // Reads a line without its newline. The prompt is shown to people only. A signal while waiting looks like the end.
  virtual Result read(const std::string& prompt, std::string& line) = 0;
  virtual void remember(const std::string& /*text*/) {}     // adds to the history
};

// Makes an editor for a terminal, with history in ~/.ptcvm_history, or for plain standard input.
std::unique_ptr<LineEditor> make_line_editor();

}  // namespace ptcvm::cli
