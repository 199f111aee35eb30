// ptcvm repl: turns of one session. Ctrl-C stops the running program, or forgets what was typed; Ctrl-D ends.
#include <iostream>

#include "tools/ptcvm/command_calls.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/interrupt.h"
#include "tools/ptcvm/line_editor.h"
#include "tools/ptcvm/pretty.h"
#include "ptcvm/reference.hpp"
#include "tools/ptcvm/report.h"
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
  explicit Repl(const RunArguments& options) : options_(options), reporter_(stdout) {}

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
    if (!text_.empty()) std::cerr << diagnostic_text(unfinished_, stderr_has_colour());
    return text_.empty() ? kSuccess : kProgramFailed;
  }

 private:
  bool reset() {
    std::string message;
    if (!tools_) tools_ = command_tools(options_, message);
    if (tools_) {
      interrupted_.cancels_nothing();
      MadeSession made = make_session(engine_, options_, {tools_->tools, &reporter_}, "<repl>", message);
      session_ = std::move(made.session);
      refusal_ = std::move(made.refusal);
    }
    if (session_ || refusal_) return true;
    complain(message);
    return false;
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
      std::cout << pretty_edn(session_ ? session_->definitions_edn() : "{}") << '\n';
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

  TurnEnd turn() {
    TurnEnd end;
    end.outcome.diagnostic = refusal_;
    if (!session_) return end;
    if (!session_->run().is_over()) {     // what waits is given up
      session_->run().cancel();
      session_->run().step();
    }
    if (const auto begun = session_->begin(text_); !begun) return {outcome_of(begun.error()), {}};
    CommandCalls commands(*tools_, options_.parallel_tools, interrupted_.flag());
    interrupted_.cancels(session_->run());
    run_with_commands(session_->run(), commands);
    interrupted_.cancels_nothing();
    return end_of_turn(session_->run(), OutputForm::Pretty);
  }

  void evaluate() {
    interrupted_.take();
    const TurnEnd end = turn();
    const Outcome& outcome = end.outcome;
    interrupted_.take();         // it concerned that program
    if (outcome.diagnostic && outcome.diagnostic->is_incomplete) {
      unfinished_ = *outcome.diagnostic;
      return;
    }
    for (const std::string& warning : outcome.warnings) std::cerr << "warning: " << warning << '\n';
    if (outcome.diagnostic) {
      std::cerr << diagnostic_text(*outcome.diagnostic, stderr_has_colour());
    } else if (outcome.state == RunState::Suspended) {
      std::cout << "suspended, " << waiting_text(session_->run().pending()) << '\n';
    } else {
      const std::string value = pretty_edn(end.value);
      std::cout << (outcome.state == RunState::Failed ? "fail " : "") << value << '\n';
    }
    if (options_.stats) {
      std::cerr << "fuel " << outcome.usage.fuel << ", " << outcome.usage.active_micros << " us\n";
    }
    std::cout.flush();
    taken_ = std::move(text_);
    text_.clear();
  }

  const RunArguments& options_;
  const Engine engine_;
  RunReporter reporter_;
  InterruptFlag interrupted_;
  std::optional<CommandTools> tools_;
  std::optional<Session> session_;
  std::optional<Diagnostic> refusal_;   // why the signature is refused; then every program is refused
  std::string text_;            // the program that is being typed
  std::string taken_;           // what the last line completed, for the history
  Diagnostic unfinished_;
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
