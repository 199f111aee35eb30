// Lines typed by a person (editing and history when libedit is there) or piped in.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tools/ptcvm/prompt/repl_words.h"

namespace ptcvm::cli {

// What an editor asks its user about the line that is being typed. All functions must be set.
struct EditorHooks {
  std::function<Completion(std::string_view line_to_cursor)> complete;
  std::function<std::string(std::string_view line, std::size_t cursor)> paint;   // the same text with colours
  std::function<bool()> is_interrupted;   // whether SIGINT came and nobody has taken it
};

class LineEditor {
 public:
  enum class Result { Line, End };
  virtual ~LineEditor() = default;
  // Reads a line without its newline. Prompt and indentation are shown to people only, who can delete the indentation.
  // A signal while waiting looks like the end.
  virtual Result read(const std::string& prompt, std::size_t indentation, std::string& line) = 0;
  virtual void remember(const std::string& /*text*/) {}   // adds to the history
};

// Makes an editor for a terminal, with history in ~/.ptcvm_history, or for plain standard input.
std::unique_ptr<LineEditor> make_line_editor(EditorHooks hooks);

}   // namespace ptcvm::cli
