// ptcvm repl: turns of one session, or of a run in a store. Ctrl-C stops the running program, or forgets what was
// typed; Ctrl-D ends.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/prompt/line_editor.h"
#include "tools/ptcvm/prompt/own_definitions.h"
#include "tools/ptcvm/prompt/pending_text.h"
#include "tools/ptcvm/prompt/repl_reporter.h"
#include "tools/ptcvm/prompt/repl_turns.h"
#include "tools/ptcvm/source/formatter.h"
#include "tools/ptcvm/source/source_paint.h"
#include "tools/ptcvm/text/folded_text.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/pretty.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kPrompt = "ptc> ";
constexpr const char* kMorePrompt = "...> ";
constexpr std::string_view kSpaces = " \t\r\n";

struct ReplRequest {
  RunArguments options;
  StoreOptions store;
};

// Cuts the first word off; what is left begins with a word, too.
std::pair<std::string, std::string> first_word(const std::string& text) {
  const std::size_t end = std::min(text.find_first_of(kSpaces), text.size());
  const std::size_t next = std::min(text.find_first_not_of(kSpaces, end), text.size());
  return {text.substr(0, end), text.substr(next)};
}

class Repl {
 public:
  explicit Repl(const ReplRequest& request) : request_(request) {}

  int run() {
    if (!reset()) return status_;
    const auto editor = make_line_editor(
        {[this](std::string_view line) { return completion_of(line, text_.empty(), names()); },
         [this](std::string_view line, std::size_t cursor) { return painted_line(text_, line, cursor); },
         [this] { return interrupted_.flag()->load(); }});
    if (stdin_is_terminal()) std::cout << "PTC-Lisp. :help for help, :quit to leave.\n";
    if (turns_->has_program()) begin_with_program();
    std::string line;
    while (!done_) {
      const bool is_first = text_.empty();
      const auto got = editor->read(is_first ? kPrompt : kMorePrompt, next_line_column(text_), line);
      if (interrupted_.take()) {
        text_.clear();
        continue;
      }
      if (got == LineEditor::Result::End) break;
      take_line(line);
      if (text_.empty() && !taken_.empty()) editor->remember(taken_);
    }
    if (is_refused_) return kBadInput;
    if (!text_.empty()) std::cerr << shown_diagnostic(unfinished_);
    if (refusal_ != kSuccess && !stdin_is_terminal()) return refusal_;
    return text_.empty() ? kSuccess : kProgramFailed;
  }

 private:
  bool reset() {
    std::string message;
    if (!tools_) tools_ = command_tools(request_.options, message);
    status_ = kBadInput;
    if (tools_) {
      const ReplParts parts{engine_, request_.options, *tools_, interrupted_, reporter_};
      turns_ = request_.store.path.empty() ? session_turns(parts, message, status_)
                                           : stored_turns(parts, request_.store, message, status_);
    }
    if (tools_ && turns_) return true;
    if (!message.empty()) complain(message);
    return false;
  }

  ReplNames names() const {
    ReplNames names;
    names.defined = turns_->defined_names();
    names.data = map_keys(turns_->data_edn());
    for (const ToolInfo& tool : tools_->tools.list()) names.tools.push_back(tool.name);
    for (const WaitingOperation& operation : turns_->pending()) names.operations.push_back(operation.id);
    names.is_known = [this](const std::string& name) { return engine_.compile(name).has_value(); };
    return names;
  }

  void take_line(const std::string& line) {
    taken_.clear();
    if (text_.empty()) {
      if (turns_->is_woken()) go_on();
      if (line.find_first_not_of(kSpaces) == std::string::npos) return;
      if (line.front() == ':') {
        const auto [word, rest] = first_word(line.substr(1, line.find_last_not_of(kSpaces)));
        command(word, rest);
        taken_ = line;
        std::cout.flush();
        return;
      }
    }
    text_ += text_.empty() ? line : "\n" + line;
    if (turns_->has_program()) return hold_text();
    evaluate();
  }

  // Takes a text while a program waits. A text that is not whole is typed on; another one is refused.
  void hold_text() {
    interrupted_.take();
    const auto compiled = engine_.compile(text_);
    if (!compiled && compiled.error().diagnostic && compiled.error().diagnostic->is_incomplete) {
      unfinished_ = *compiled.error().diagnostic;
      return;
    }
    refuse_second_program();
    taken_ = std::move(text_);
    text_.clear();
  }

  // Goes on with the program that another process has left, or says who has it.
  void begin_with_program() {
    const std::string held = turns_->held_text();
    if (!held.empty()) return complain(held);
    go_on();
  }

  // Remembers the first reason why a program was not executed, for those who pipe programs in.
  void refuse(int status) {
    if (refusal_ == kSuccess) refusal_ = status;
  }

  void refuse_second_program() {
    const std::string held = turns_->held_text();
    refuse(held.empty() ? kSuspended : turns_->is_moved() ? kBadInput : kBusy);
    if (!held.empty()) return complain(held);
    const bool is_stored = !request_.store.path.empty();
    const std::string place = is_stored ? "the run " + request_.store.id : "this prompt";
    if (!turns_->doubts_text().empty()) {
      return complain(place + " has a program that is not over, and a call of it is in doubt. `:pending` names the "
                              "call and the commands that settle it; then the Enter key goes on with the program");
    }
    complain(place + " has a program that is not over. `:pending` lists what it waits for, and `:resolve OP VALUE` " +
             "goes on with it" + (is_stored ? "" : "; `:give-up` ends it"));
  }

  void command(const std::string& word, const std::string& argument) {
    const auto known = find_repl_command(word);
    if (!known) return complain(unknown_repl_command(word));
    if (const std::string misuse = misused_repl_command(*known, argument); !misuse.empty()) return complain(misuse);
    switch (*known) {
      case ReplCommand::Help:
        std::cout << repl_help();
        break;
      case ReplCommand::Doc:
        show_found(doc_of(argument), unknown_name_text(argument));
        break;
      case ReplCommand::Apropos:
        show_found(apropos_text(argument), "nothing mentions " + argument);
        break;
      case ReplCommand::Load:
        load(argument);
        break;
      case ReplCommand::Time:
        time(argument);
        break;
      case ReplCommand::Trace:
        show_folded(reporter_.text(stdout_has_colour()));
        break;
      case ReplCommand::Pending:
        if (const std::string held = turns_->held_text(); !held.empty()) {
          std::cout << held << '\n';
          break;
        }
        std::cout << pending_text(turns_->pending(), turns_->doubts_text(), now_millis());
        break;
      case ReplCommand::Resolve:
        resolve(argument, false);
        break;
      case ReplCommand::Fail:
        resolve(argument, true);
        break;
      case ReplCommand::GiveUp:
        give_up();
        break;
      case ReplCommand::More:
        show_more(argument);
        break;
      case ReplCommand::Memory:
        show_memory();
        break;
      case ReplCommand::Store:
        std::cout << turns_->store_text();
        break;
      case ReplCommand::Reset:
        forget();
        break;
      case ReplCommand::Quit:
        done_ = true;
        break;
    }
  }

  // A text is folded for people only: what reads a pipe gets all of it.
  void show_folded(std::string text) {
    folded_ = FoldedText(std::move(text));
    std::cout << (stdin_is_terminal() ? folded_.next_page() : folded_.rest());
  }

  void show_more(const std::string& argument) {
    if (folded_.is_over()) return complain("there is no more to see");
    std::cout << (argument == "all" ? folded_.rest() : folded_.next_page());
  }

  void show_found(std::string text, const std::string& nothing) {
    show_folded(text.empty() ? nothing + '\n' : std::move(text));
  }

  bool is_defined(const std::string& name) const {
    const auto names = turns_->defined_names();
    return std::ranges::find(names, name) != names.end();
  }

  // A name that a program has defined hides the builtin of the same name.
  std::string doc_of(const std::string& name) {
    if (!std::exchange(has_read_earlier_, true)) written_.add_earlier(turns_->earlier_programs());
    const std::string own = is_defined(name) ? written_.doc(name) : "";
    return own.empty() ? doc_text(name) : own;
  }

  void show_memory() {
    const auto definitions = turns_->definitions_edn();
    show_folded(definitions ? pretty_edn(*definitions) : stored_names_text(turns_->defined_names()));
  }

  void forget() {
    if (!request_.store.path.empty()) return complain("a store forgets nothing; another --id begins a new run");
    done_ = !reset();
  }

  void load(const std::string& path) {
    std::string message;
    const auto text = read_file(path, message);
    if (!text) return complain(message);
    run_text(*text);
  }

  void time(const std::string& program) {
    const auto end = run_text(program);
    if (!end) return;
    const Usage& usage = end->usage;
    std::cout << duration_text(usage.active_micros) << ", fuel " << usage.fuel << ", " << usage.tool_calls
              << " tool calls, at most " << usage.peak_bytes << " bytes\n";
  }

  // Runs a text that is whole, and returns how it ended, or nullopt when it was not run.
  std::optional<Outcome> run_text(const std::string& text) {
    if (turns_->has_program()) return refuse_second_program(), std::nullopt;
    text_ = text;
    auto outcome = evaluate();
    if (outcome) return outcome;
    std::cerr << shown_diagnostic(unfinished_);
    text_.clear();
    return std::nullopt;
  }

  void resolve(const std::string& argument, bool fails) {
    const auto [operation, rest] = first_word(argument);
    if (rest.empty()) return complain(fails ? ":fail OP REASON" : ":resolve OP VALUE, where VALUE is EDN");
    Value value;
    if (!fails) {
      auto read = Value::from_edn(rest);
      if (!read) return complain(read.error().message);
      value = std::move(*read);
    }
    const auto waiting = turns_->pending();
    const auto known = std::ranges::find_if(
        waiting, [&op = operation](const WaitingOperation& one) { return is_named(one, op); });
    if (known == waiting.end()) return complain("no operation " + operation + " waits; `:pending` lists what does");
    const auto said = fails ? turns_->fail(known->id, rest) : turns_->resolve(known->id, value);
    if (!said) return complain(said.error().message);
    go_on();
  }

  void give_up() {
    if (!turns_->has_program()) return complain("no program waits");
    if (!turns_->give_up()) return complain("a store gives nothing up: `:fail OP REASON` ends what the program awaits");
    running_.clear();
    std::cout << "the program is given up\n";
  }

  void go_on() {
    reporter_.begin_turn();
    report(turns_->go_on());
  }

  // Runs text_. Returns nullopt when the text is incomplete; then it stays.
  std::optional<Outcome> evaluate() {
    interrupted_.take();
    reporter_.begin_turn();
    TurnEnd end = turns_->eval(text_);
    interrupted_.take();   // it concerned that program
    if (end.outcome.diagnostic && end.outcome.diagnostic->is_incomplete) {
      unfinished_ = *end.outcome.diagnostic;
      return std::nullopt;
    }
    running_ = text_;
    report(end);
    taken_ = std::move(text_);
    text_.clear();
    return std::move(end.outcome);
  }

  // Keeps what the program that has ended says about its definitions. One with an error leaves none.
  void keep_definitions(const Outcome& outcome) {
    if (outcome.state == RunState::Suspended && !outcome.diagnostic) return;
    if (!outcome.diagnostic) written_.add(running_);
    running_.clear();
  }

  void report(const TurnEnd& end) {
    const Outcome& outcome = end.outcome;
    keep_definitions(outcome);
    refuse(end.refusal);
    show_warnings(outcome);
    if (outcome.diagnostic) {
      std::cerr << shown_diagnostic(*outcome.diagnostic);
      is_refused_ = outcome.diagnostic->kind == "seal_refused";   // no program of this prompt can have another end
      done_ = done_ || is_refused_;
    } else if (outcome.state == RunState::Suspended) {
      std::cout << "suspended, " << waiting_text(turns_->pending()) << '\n';
    } else {
      show_folded((outcome.state == RunState::Failed ? "fail " : "") + pretty_edn(end.value));
    }
    if (request_.options.stats) {
      std::cerr << "fuel " << outcome.usage.fuel << ", " << outcome.usage.active_micros << " us\n";
    }
    std::cout.flush();
  }

  const ReplRequest& request_;
  const Engine engine_;
  TurnReporter reporter_;
  InterruptFlag interrupted_{StopsAt::Interrupt};
  std::optional<CommandTools> tools_;
  std::unique_ptr<ReplTurns> turns_;
  FoldedText folded_;   // what was shown last, with what is left of it
  std::string text_;    // the program that is being typed
  std::string taken_;   // what the last line completed, for the history
  std::string running_;   // the program that runs or waits
  OwnDefinitions written_;
  bool has_read_earlier_ = false, is_refused_ = false;
  int refusal_ = kSuccess;   // why a program was not executed
  Diagnostic unfinished_;
  int status_ = kSuccess;
  bool done_ = false;
};

// Somebody wants the program to be loaded, and does not name a run so.
bool is_program_file(const std::string& word) {
  std::error_code ignored;
  return word.ends_with(".ptc") || word.ends_with(".ptcp") || std::filesystem::is_regular_file(word, ignored);
}

}   // namespace

void add_repl_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("repl", "Type programs and see their values; definitions stay");
  auto request = std::make_shared<ReplRequest>();
  declare_run_argument(*command, request->options);
  declare_run_options(*command, request->options);
  declare_sealed_store(*command, request->store);
  CLI::Option* const argument = command->get_option("ID");
  command->footer(
      "Examples:\n  ptcvm repl\n  ptcvm repl --data orders.json --tool search='python3 search.py'\n"
      "  ptcvm repl desk --store runs.db\n\n"
      "With --store each program is a turn of the run of that id, and definitions are there again in the next\n"
      "process. The prompt begins with what the run waits for.");
  command->callback([request, argument, &status] {
    request->store.id = request->options.run_id;
    const std::string file = argument->empty() ? "" : argument->as<std::string>();
    if (is_program_file(file)) {
      complain("repl takes the name of a run, and " + file + " is a program: type `:load " + file + "` at the prompt");
      status = kUsage;
      return;
    }
    status = Repl(*request).run();
  });
}

}   // namespace ptcvm::cli
