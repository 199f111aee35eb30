#include "tools/ptcvm/line_editor.h"

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "tools/ptcvm/line_source.h"
#include "tools/ptcvm/terminal.h"

#ifdef PTCVM_HAVE_LIBEDIT
#include <histedit.h>
#endif

namespace ptcvm::cli {
namespace {

constexpr std::size_t kMaxTypedBytes = 16u << 20;

class PlainInput : public LineEditor {
 public:
  Result read(const std::string& prompt, std::string& line) override {
    if (stdin_is_terminal()) std::cout << prompt << std::flush;
    return lines_.next(line) == LineSource::Next::End ? Result::End : Result::Line;
  }

 private:
  LineSource lines_{0, kMaxTypedBytes};
};

#ifdef PTCVM_HAVE_LIBEDIT

constexpr int kHistorySize = 1000;

class EditedInput : public LineEditor {
 public:
  EditedInput() : editor_(el_init("ptcvm", stdin, stdout, stderr)), history_(history_init()) {
    HistEvent event;
    history(history_, &event, H_SETSIZE, kHistorySize);
    history(history_, &event, H_SETUNIQUE, 1);
    if (const char* home = std::getenv("HOME")) {
      history_path_ = std::string(home) + "/.ptcvm_history";
      history(history_, &event, H_LOAD, history_path_.c_str());
    }
    el_set(editor_, EL_CLIENTDATA, this);
    el_set(editor_, EL_PROMPT, prompt_of);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_SIGNAL, 0);
    el_set(editor_, EL_HIST, history, history_);
    el_source(editor_, nullptr);
  }

  ~EditedInput() override {
    HistEvent event;
    if (!history_path_.empty()) history(history_, &event, H_SAVE, history_path_.c_str());
    history_end(history_);
    el_end(editor_);
  }

  EditedInput(const EditedInput&) = delete;
  EditedInput& operator=(const EditedInput&) = delete;

  Result read(const std::string& prompt, std::string& line) override {
    prompt_ = prompt;
    int count = 0;
    const char* text = el_gets(editor_, &count);
    if (text == nullptr || count <= 0) {
      el_reset(editor_);
      std::cout << '\n' << std::flush;
      return Result::End;
    }
    line.assign(text, static_cast<std::size_t>(count));
    if (!line.empty() && line.back() == '\n') line.pop_back();
    return Result::Line;
  }

  void remember(const std::string& text) override {
    HistEvent event;
    history(history_, &event, H_ENTER, text.c_str());
  }

 private:
  static char* prompt_of(EditLine* editor) {
    void* self = nullptr;
    el_get(editor, EL_CLIENTDATA, &self);
    return static_cast<EditedInput*>(self)->prompt_.data();
  }

  EditLine* editor_;
  History* history_;
  std::string history_path_, prompt_;
};

#endif

}  // namespace

std::unique_ptr<LineEditor> make_line_editor() {
#ifdef PTCVM_HAVE_LIBEDIT
  if (stdin_is_terminal()) {
    std::setlocale(LC_CTYPE, "");     // so that libedit reads UTF-8; numbers are not touched
    return std::make_unique<EditedInput>();
  }
#endif
  return std::make_unique<PlainInput>();
}

}  // namespace ptcvm::cli
