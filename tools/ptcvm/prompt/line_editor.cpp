#include "tools/ptcvm/prompt/line_editor.h"

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <iostream>
#include <optional>

#include "tools/ptcvm/process/line_source.h"
#include "tools/ptcvm/process/terminal.h"

#ifdef PTCVM_HAVE_LIBEDIT
#include <histedit.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#endif

namespace ptcvm::cli {
namespace {

constexpr std::size_t kMaxTypedBytes = 16u << 20;

class PlainInput : public LineEditor {
 public:
  Result read(const std::string& prompt, std::size_t, std::string& line) override {
    if (stdin_is_terminal()) std::cout << prompt << std::flush;
    return lines_.next(line) == LineSource::Next::End ? Result::End : Result::Line;
  }

 private:
  LineSource lines_{0, kMaxTypedBytes};
};

#ifdef PTCVM_HAVE_LIBEDIT

constexpr int kHistorySize = 1000;
constexpr std::size_t kMostListed = 200;   // words that Tab lists

// Returns how many columns a text takes, or nullopt when some of its characters may be wider than one column.
std::optional<std::size_t> narrow_columns(std::string_view text) {
  constexpr unsigned char kFirstOfThree = 0xe0;   // UTF-8 of U+0800 and above
  std::size_t columns = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= kFirstOfThree || byte < 0x20) return std::nullopt;
    columns += (byte & 0xc0U) == 0x80U ? 0 : 1;
  }
  return columns;
}

std::size_t terminal_columns() {
  winsize size = {};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// While one lives, SIGINT waits. `was()` is the mask of the thread before.
class HeldInterrupts {
 public:
  HeldInterrupts() {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    pthread_sigmask(SIG_BLOCK, &held, &was_);
  }
  ~HeldInterrupts() { pthread_sigmask(SIG_SETMASK, &was_, nullptr); }
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;
  const sigset_t& was() const { return was_; }

 private:
  sigset_t was_;
};

std::size_t common_length(const std::vector<std::string>& words) {
  std::size_t length = words.front().size();
  for (const std::string& word : words) {
    const auto ends = std::mismatch(word.begin(), word.end(), words.front().begin(), words.front().end());
    length = std::min(length, static_cast<std::size_t>(ends.first - word.begin()));
  }
  return length;
}

// libedit knows no colours. The screen has its text when libedit asks for a key, so the same characters are written
// again with colours in front of each key: what libedit believes about the screen stays true.
class EditedInput : public LineEditor {
 public:
  explicit EditedInput(EditorHooks hooks)
      : hooks_(std::move(hooks)), editor_(el_init("ptcvm", stdin, stdout, stderr)), history_(history_init()) {
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
    el_set(editor_, EL_ADDFN, "ptc-complete", "Completes the word before the cursor", complete);
    el_set(editor_, EL_BIND, "^I", "ptc-complete", nullptr);
    el_set(editor_, EL_GETCFN, next_key);
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

  Result read(const std::string& prompt, std::size_t indentation, std::string& line) override {
    prompt_ = prompt;
    painted_.clear();
    if (indentation > 0) el_push(editor_, std::string(indentation, ' ').c_str());
    // Keys belong to the editor before the prompt shows: libedit changes the terminal when it reads the first key,
    // and until then Ctrl-D and Ctrl-U would go to the terminal, which forgets them.
    el_set(editor_, EL_PREP_TERM, 1);
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
  static EditedInput& self_of(EditLine* editor) {
    void* self = nullptr;
    el_get(editor, EL_CLIENTDATA, &self);
    return *static_cast<EditedInput*>(self);
  }
  static char* prompt_of(EditLine* editor) { return self_of(editor).prompt_.data(); }

  // Reads a character of UTF-8. Returns 1, 0 at the end of the input, or -1 when a signal came.
  static int next_key(EditLine* editor, wchar_t* key) {
    self_of(editor).paint();
    std::mbstate_t state = {};
    for (;;) {
      char byte = 0;
      const ssize_t count = self_of(editor).next_byte(byte);
      if (count <= 0) return static_cast<int>(count);
      const std::size_t used = std::mbrtowc(key, &byte, 1, &state);
      if (used == static_cast<std::size_t>(-2)) continue;   // the character goes on
      if (used == static_cast<std::size_t>(-1)) {           // no character of the locale: it is dropped
        state = {};
        continue;
      }
      return 1;
    }
  }

  // Reads a byte as ::read() does. A SIGINT that came since the last byte ends the wait, too: it may have come when
  // nothing waited.
  ssize_t next_byte(char& byte) const {
    const HeldInterrupts held;
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    if (hooks_.is_interrupted()) {
      errno = EINTR;
      return -1;
    }
    if (::ppoll(&input, 1, nullptr, &held.was()) < 0) return -1;
    return ::read(STDIN_FILENO, &byte, 1);
  }

  void paint() {
    if (!has_colour_) return;
    const LineInfo* const info = el_line(editor_);
    const std::string_view line(info->buffer, static_cast<std::size_t>(info->lastchar - info->buffer));
    const auto cursor = static_cast<std::size_t>(info->cursor - info->buffer);
    const std::size_t width = terminal_columns();
    if (line.empty() || width == 0 || !narrow_columns(line)) return;
    std::string text = hooks_.paint(line, cursor);
    if (text == painted_) return;
    const std::size_t row = (prompt_.size() + *narrow_columns(line.substr(0, cursor))) / width;
    std::string out = "\0337\r";   // keeps the place of the cursor
    if (row > 0) out += "\033[" + std::to_string(row) + 'A';
    if (!prompt_.empty()) out += "\033[" + std::to_string(prompt_.size()) + 'C';
    out += text + "\0338";
    std::fwrite(out.data(), 1, out.size(), stdout);
    std::fflush(stdout);
    painted_ = std::move(text);
  }

  static unsigned char complete(EditLine* editor, int) {
    EditedInput& self = self_of(editor);
    const LineInfo* const info = el_line(editor);
    const std::string before(info->buffer, static_cast<std::size_t>(info->cursor - info->buffer));
    if (before.find_first_not_of(' ') == std::string::npos) return inserted(editor, "  ");
    const Completion found = self.hooks_.complete(before);
    if (found.words.empty()) return CC_REFRESH_BEEP;
    const std::size_t common = common_length(found.words);
    if (common > found.typed_bytes)
      return inserted(editor, found.words.front().substr(found.typed_bytes, common - found.typed_bytes));
    if (found.words.size() == 1) return inserted(editor, " ");
    list(found.words);
    self.painted_.clear();
    return CC_REDISPLAY;
  }

  static unsigned char inserted(EditLine* editor, const std::string& text) {
    return el_insertstr(editor, text.c_str()) == 0 ? CC_REFRESH : CC_REFRESH_BEEP;
  }

  static void list(const std::vector<std::string>& words) {
    const std::size_t shown = std::min(words.size(), kMostListed);
    std::size_t widest = 0;
    for (std::size_t k = 0; k < shown; ++k) widest = std::max(widest, words[k].size() + 2);
    const std::size_t columns = std::max<std::size_t>(terminal_columns() / widest, 1);
    std::string out = "\n";
    for (std::size_t k = 0; k < shown; ++k) {
      const bool ends_line = (k + 1) % columns == 0 || k + 1 == shown;
      out += words[k] + (ends_line ? "\n" : std::string(widest - words[k].size(), ' '));
    }
    if (shown < words.size()) out += "… " + std::to_string(words.size() - shown) + " more\n";
    std::fwrite(out.data(), 1, out.size(), stdout);
  }

  const EditorHooks hooks_;
  const bool has_colour_ = stdout_has_colour();
  EditLine* editor_;
  History* history_;
  std::string history_path_, prompt_;
  std::string painted_;   // what is on the screen now, with its colours
};

#endif

}   // namespace

std::unique_ptr<LineEditor> make_line_editor([[maybe_unused]] EditorHooks hooks) {
#ifdef PTCVM_HAVE_LIBEDIT
  if (stdin_is_terminal()) {
    std::setlocale(LC_CTYPE, "");   // so that libedit reads UTF-8; numbers are not touched
    return std::make_unique<EditedInput>(std::move(hooks));
  }
#endif
  return std::make_unique<PlainInput>();
}

}   // namespace ptcvm::cli
