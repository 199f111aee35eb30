// The turns of a run that a store keeps. Each program is a turn with the definitions of the turns before.
#include "ptcvm/stored_run.hpp"
#include "tools/ptcvm/calls/command_calls.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/program/durable_command.h"
#include "tools/ptcvm/prompt/repl_turns.h"
#include "tools/ptcvm/prompt/repl_words.h"
#include "tools/ptcvm/store/doubt_text.h"

namespace ptcvm::cli {
namespace {

TurnEnd refused_turn(std::string kind, std::string message, std::string hint) {
  TurnEnd end;
  Diagnostic& found = end.outcome.diagnostic.emplace();
  found.kind = std::move(kind);
  found.message = std::move(message);
  found.hint = std::move(hint);
  return end;
}

class StoredTurns : public ReplTurns {
 public:
  StoredTurns(const ReplParts& parts, const StoreOptions& store) : parts_(parts), command_(store) {}
  ~StoredTurns() override { parts_.interrupted.cancels_nothing(); }

  bool open(std::string& message, int& status) {
    if (!command_.open(StoreUse::Create, status)) return false;
    status = kBadInput;
    if (!parts_.options.data.empty()) {
      const auto data = context_edn(parts_.engine, parts_.options, message);
      if (!data) return false;
      stored_.data_edn = *data;
    }
    stored_.id = command_.options().id;
    stored_.name = "<repl>";
    stored_.limits = parts_.options.limits.with_defaults();
    stored_.most_limits = parts_.options.limits.bounds();
    stored_.signature = parts_.options.signature;
    stored_.float_precision = parts_.options.float_precision;
    stored_.strict_task_ids = parts_.options.strict_task_ids;
    stored_.lease_ms = kStoreLeaseMs;
    stored_.observer = &parts_.observer;
    stored_.reads_value = false;
    stored_.parallel_calls = parts_.options.parallel_tools;
    stored_.keeps_session = stored_.again = true;
    return true;
  }

  TurnEnd eval(const std::string& source) override {
    const auto compiled = parts_.engine.compile(source);
    if (!compiled && compiled.error().diagnostic && compiled.error().diagnostic->is_incomplete) {
      return {outcome_of(compiled.error()), {}};
    }
    for (std::string& name : names_defined_in(source)) defined_.push_back(std::move(name));
    return drive(StoredRun::start(parts_.engine, command_.store(), parts_.tools.tools, source, stored_));
  }

  TurnEnd go_on() override {
    return drive(StoredRun::open(parts_.engine, command_.store(), parts_.tools.tools, stored_));
  }

  bool give_up() override { return false; }

  std::vector<WaitingOperation> pending() const override { return operations_of(pending_); }
  Result<void> resolve(std::string_view operation, const Value& value) override {
    return command_.store().resolve(stored_.id, operation, value, command_.by());
  }
  Result<void> fail(std::string_view operation, const std::string& reason) override {
    return command_.store().resolve_error(stored_.id, operation, reason, command_.by());
  }

  std::optional<std::string> definitions_edn() const override { return std::nullopt; }
  std::vector<std::string> defined_names() const override { return defined_; }
  std::string data_edn() const override { return stored_.data_edn.empty() ? "{}" : stored_.data_edn; }

  std::string store_text() const override {
    const auto info = command_.store().find(stored_.id);
    std::string out = command_.options().path + ", run " + stored_.id + ": ";
    if (!info) return out + info.error().message + '\n';
    if (!*info) return out + "no program yet\n";
    const auto detail = command_.store().detail(stored_.id);
    if (!detail) return out + detail.error().message + '\n';
    if ((*info)->state == StoredState::Running) {
      out += (*info)->is_interrupted ? "interrupted" : "running";
    } else {
      out += has_program() ? "waits" : "over";
    }
    for (std::size_t k = 0; k < detail->waits_for.size(); ++k) {
      out += (k == 0 ? " for " : ", ") + detail->waits_for[k];
    }
    return out + "; " + std::to_string((*info)->facts) + " facts\n";
  }

  bool has_program() const override {
    const auto info = command_.store().find(stored_.id);
    if (!info || !*info) return false;
    const auto journal = command_.store().journal(stored_.id, JournalExtent::Notable);
    return journal && !journal->is_over;     // a session stays parked behind the end of its turn
  }

 private:
  TurnEnd drive(Result<StoredRun> opened) {
    if (!opened) return {outcome_of(opened.error()), {}};
    StoredRun& run = *opened;
    CommandCalls commands(parts_.tools, parts_.options.parallel_tools, parts_.interrupted.flag());
    parts_.interrupted.cancels(run);
    Result<StoredOutcome> done = run_with_commands(run, commands);
    parts_.interrupted.cancels_nothing();
    if (!done) return {outcome_of(done.error()), {}};
    pending_ = std::move(done->pending);
    if (done->end == StoredEnd::InDoubt) return doubts();
    if (done->end == StoredEnd::Suspended) done->outcome.state = RunState::Suspended;
    return {std::move(done->outcome), std::move(done->value_edn)};
  }

  TurnEnd doubts() const {
    const auto calls = command_.store().doubts(stored_.id);
    std::string hint = "`ptcvm doubt settle` says so";
    if (calls && !calls->empty()) hint = doubt_text(command_.options(), stored_.id, calls->front());
    return refused_turn("in_doubt",
                        "nobody knows whether a call of the run happened; the run waits until somebody says so",
                        std::move(hint));
  }

  const ReplParts parts_;
  mutable StoreCommand command_;
  StoredOptions stored_;
  std::vector<StoredWait> pending_;
  std::vector<std::string> defined_;   // in this process
};

}   // namespace

std::unique_ptr<ReplTurns> stored_turns(const ReplParts& parts, const StoreOptions& store, std::string& message,
                                        int& status) {
  auto turns = std::make_unique<StoredTurns>(parts, store);
  return turns->open(message, status) ? std::move(turns) : nullptr;
}

}   // namespace ptcvm::cli
