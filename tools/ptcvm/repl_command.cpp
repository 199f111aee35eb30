// ptcvm repl: turns of one session. Ctrl-C stops the running program, or forgets what was typed; Ctrl-D ends.
#include <iostream>

#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/interrupt.h"
#include "tools/ptcvm/line_editor.h"
#include "tools/ptcvm/pretty.h"
#include "tools/ptcvm/reference.h"
#include "tools/ptcvm/run_options.h"
#include "tools/ptcvm/suspension.h"
#include "tools/ptcvm/terminal.h"
#include "tools/ptcvm/trace.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kPrompt = "ptc> ";
constexpr const char* kMorePrompt = "...> ";

constexpr const char* kHelp = R"(Type a program; it runs when its last form is closed. *1 *2 *3 are the last results.
  :help        this text
  :doc NAME    explain a function or form
  :memory      show what is defined
  :reset       forget definitions and results
  :quit        leave (also Ctrl-D)
Ctrl-C stops a running program, or forgets an unfinished one.
)";

class Repl {
 public:
  explicit Repl(const RunArguments& options) : options_(options), reporter_(stdout, nullptr) {}

  int run() {
    if (!reset()) return kBadInput;
    const auto editor = make_line_editor();
    if (stdin_is_terminal()) std::cout << "PTC-Lisp. :help for help, :quit to leave.\n";
    std::string line;
    while (!done_) {
      const auto got = editor->read(text_.empty() ? kPrompt : kMorePrompt, line);
      if (interrupted_.take()) {
        text_.clear();
        continue;
      }
      if (got == LineEditor::Result::End) break;
      take_line(line);
      if (text_.empty() && !taken_.empty()) editor->remember(taken_);
    }
    if (!text_.empty()) std::cerr << ptc::render_fault(unfinished_, stderr_has_colour());
    return text_.empty() ? kSuccess : kProgramFailed;
  }

 private:
  bool reset() {
    std::string message;
    session_ = make_session(engine_, options_, "<repl>", message);
    if (session_ == nullptr) {
      complain(message);
      return false;
    }
    session_->set_reader(&reporter_);
    session_->clock().set_cancel_flag(interrupted_.flag());
    return true;
  }

  void take_line(const std::string& line) {
    taken_.clear();
    if (text_.empty()) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) return;
      if (command(line)) {
        taken_ = line;
        return;
      }
    }
    text_ += text_.empty() ? line : "\n" + line;
    evaluate();
  }

  bool command(const std::string& line) {
    const std::size_t end = line.find_last_not_of(" \t\r") + 1;
    const std::string text = line.substr(0, end);
    if (text == ":help") {
      std::cout << kHelp;
    } else if (text == ":quit" || text == ":exit") {
      done_ = true;
    } else if (text == ":memory") {
      std::cout << pretty_edn(session_->definitions().edn()) << '\n';
    } else if (text == ":reset") {
      done_ = !reset();
    } else if (text.starts_with(":doc ")) {
      show_doc(text.substr(5));
    } else {
      return false;
    }
    std::cout.flush();
    return true;
  }

  static void show_doc(const std::string& name) {
    const auto entries = find_reference(name);
    for (const ReferenceEntry& entry : entries) std::cout << reference_text(entry);
    if (!entries.empty()) return;
    std::cout << "nothing is named " << name;
    const auto similar = similar_names(name);
    for (std::size_t i = 0; i < similar.size(); ++i) std::cout << (i == 0 ? ". Did you mean: " : ", ") << similar[i];
    std::cout << '\n';
  }

  void evaluate() {
    interrupted_.take();
    const ptc::Outcome outcome = session_->turn(text_);
    interrupted_.take();         // it concerned that program
    if (outcome.status == ptc::OutcomeStatus::Error && outcome.fault.incomplete) {
      unfinished_ = outcome.fault;
      return;
    }
    for (const std::string& warning : outcome.warnings) std::cerr << "warning: " << warning << '\n';
    switch (outcome.status) {
      case ptc::OutcomeStatus::Error: std::cerr << ptc::render_fault(outcome.fault, stderr_has_colour()); break;
      case ptc::OutcomeStatus::Fail: std::cout << "fail " << pretty_edn(outcome.value_edn) << '\n'; break;
      case ptc::OutcomeStatus::Suspended: std::cout << "suspended, " << waiting_text(outcome) << '\n'; break;
      default: std::cout << pretty_edn(outcome.value_edn) << '\n';
    }
    if (options_.stats) std::cerr << "fuel " << outcome.fuel << ", " << outcome.micros << " us\n";
    std::cout.flush();
    taken_ = std::move(text_);
    text_.clear();
  }

  const RunArguments& options_;
  const ptc::Engine engine_;
  RunReporter reporter_;
  InterruptFlag interrupted_;
  std::unique_ptr<ptc::Session> session_;
  std::string text_;            // of the program that is being typed
  std::string taken_;           // what the last line completed, for the history
  ptc::OutcomeFault unfinished_;
  bool done_ = false;
};

}  // namespace

void add_repl_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("repl", "Type programs and see their values; definitions stay");
  auto options = std::make_shared<RunArguments>();
  declare_run_options(*command, *options);
  command->footer("Examples:\n  ptcvm repl\n  ptcvm repl --data orders.json --tool search='python3 search.py'");
  command->callback([options, &status] { status = Repl(*options).run(); });
}

}  // namespace ptcvm::cli
