// The turns of a session in memory.
#include <set>

#include "tools/ptcvm/calls/command_calls.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/program/journal_file.h"
#include "tools/ptcvm/prompt/repl_turns.h"
#include "tools/ptcvm/prompt/repl_words.h"
#include "tools/ptcvm/source/missing_data.h"

namespace ptcvm::cli {
namespace {

class SessionTurns : public ReplTurns {
 public:
  explicit SessionTurns(const ReplParts& parts) : parts_(parts) {}
  ~SessionTurns() override { parts_.interrupted.cancels_nothing(); }

  bool open(std::string& message) {
    MadeSession made =
        make_session(parts_.engine, parts_.options, {parts_.tools.tools, &parts_.observer}, "<repl>", message);
    session_ = std::move(made.session);
    refusal_ = std::move(made.refusal);
    return session_ || refusal_;
  }

  TurnEnd eval(const std::string& source) override {
    TurnEnd end;
    end.outcome.diagnostic = refusal_;
    if (!session_) return end;
    end.outcome.diagnostic = refused_data(*session_, source, parts_.options.strict_data);
    if (end.outcome.diagnostic) return end;
    if (const auto begun = session_->begin(source); !begun) return {outcome_of(begun.error()), {}};
    return go_on();
  }

  TurnEnd go_on() override {
    CommandCalls commands(parts_.tools, parts_.options.parallel_tools, parts_.interrupted.flag());
    parts_.interrupted.cancels(session_->run());
    run_with_commands(session_->run(), commands);
    parts_.interrupted.cancels_nothing();
    std::string message;
    if (!keep_journal(session_->run(), parts_.options.journal, message)) complain(message);
    return end_of_turn(session_->run(), OutputForm::Pretty);
  }

  bool give_up() override {
    Run& run = session_->run();
    for (const PendingOperation& one : run.pending()) given_up_.insert(one.id);
    run.cancel();
    run.step();
    return true;
  }

  // Leaves out what a program that was given up began, unless the program that waits now awaits it.
  std::vector<WaitingOperation> pending() const override {
    if (!has_program()) return {};
    std::vector<PendingOperation> waiting = session_->run().pending();
    std::erase_if(waiting, [this](const auto& one) { return !one.is_awaited && given_up_.contains(one.id); });
    return operations_of(waiting);
  }
  Result<void> resolve(std::string_view operation, const Value& value) override {
    return session_->run().resolve(operation, value);
  }
  Result<void> fail(std::string_view operation, const std::string& reason) override {
    return session_->run().resolve_error(operation, reason);
  }
  std::optional<std::string> definitions_edn() const override { return session_ ? session_->definitions_edn() : "{}"; }
  std::vector<std::string> defined_names() const override { return map_keys(*definitions_edn()); }
  std::string data_edn() const override { return session_ ? session_->data_edn() : "{}"; }
  std::string store_text() const override {
    return "this prompt has no store, and forgets everything at its end: `ptcvm repl --store FILE.db --id ID` keeps "
           "it\n";
  }
  bool has_program() const override { return session_ && !session_->run().is_over(); }

 private:
  const ReplParts parts_;
  std::optional<Session> session_;
  std::set<std::string> given_up_;      // operations of programs that were given up
  std::optional<Diagnostic> refusal_;   // why the signature is refused; then every program is refused
};

}   // namespace

std::unique_ptr<ReplTurns> session_turns(const ReplParts& parts, std::string& message, int& status) {
  auto turns = std::make_unique<SessionTurns>(parts);
  if (turns->open(message)) return turns;
  status = kBadInput;
  return nullptr;
}

}   // namespace ptcvm::cli
