// The turns of a run that a store keeps. Each program is a turn with the definitions of the turns before.
#include "ptcvm/session.hpp"
#include "ptcvm/stored_run.hpp"
#include "tools/ptcvm/calls/command_calls.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/program/durable_command.h"
#include "tools/ptcvm/program/snapshot_tools.h"
#include "tools/ptcvm/prompt/repl_turns.h"
#include "tools/ptcvm/prompt/repl_words.h"
#include "tools/ptcvm/prompt/stored_programs.h"
#include "tools/ptcvm/source/missing_data.h"
#include "tools/ptcvm/store/doubt_text.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

TurnEnd refused_turn(std::string kind, std::string message, std::string hint) {
  TurnEnd end;
  Diagnostic& found = end.outcome.diagnostic.emplace();
  found.kind = std::move(kind);
  found.message = std::move(message);
  found.hint = std::move(hint);
  end.refusal = kSuspended;
  return end;
}

// Returns why a program was not executed; kSuccess when the error is about its text.
int refusal_of(const Error& error) {
  if (error.diagnostic) return kSuccess;
  if (error.code == Errc::busy) return kBusy;
  return error.code == Errc::store_failed || error.code == Errc::seal_refused ? status_of_store(error) : kBadInput;
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
    const auto known = command_.store().doubts(stored_.id);   // reads the log, which its seal may refuse
    if (!known) return status = complain_of_store(known.error()), false;
    if (const auto place = moved_to()) return message = *place, false;
    return true;
  }

  TurnEnd eval(const std::string& source) override {
    const auto compiled = parts_.engine.compile(source);
    if (!compiled && compiled.error().diagnostic && compiled.error().diagnostic->is_incomplete) {
      return {outcome_of(compiled.error()), {}};
    }
    TurnEnd refused;
    if (auto session = session_with_data()) {
      refused.outcome.diagnostic = refused_data(*session, source, parts_.options.strict_data);
    }
    if (refused.outcome.diagnostic) return refused;
    return drive(StoredRun::start(parts_.engine, command_.store(), parts_.tools.tools, source, stored_));
  }

  TurnEnd go_on() override {
    return drive(StoredRun::open(parts_.engine, command_.store(), parts_.tools.tools, stored_));
  }

  bool give_up() override { return false; }

  bool is_woken() const override {
    const auto info = command_.store().find(stored_.id);
    if (!info || !*info || (*info)->state != StoredState::Parked) return false;
    const auto& deadline = (*info)->deadline_ms;
    const bool is_ready = (*info)->is_woken || (deadline && *deadline <= now_millis());
    return is_ready && has_program();   // a program that is over is not begun again
  }

  std::vector<WaitingOperation> pending() const override { return operations_of(pending_); }
  std::string doubts_text() const override {
    std::string out;
    const auto calls = command_.store().doubts(stored_.id);
    if (!calls) return out;
    for (const JournalCall& call : *calls) out += doubt_text(command_.options(), stored_.id, call) + '\n';
    return out;
  }
  Result<void> resolve(std::string_view operation, const Value& value) override {
    return command_.store().resolve(stored_.id, operation, value, command_.by());
  }
  Result<void> fail(std::string_view operation, const std::string& reason) override {
    return command_.store().resolve_error(stored_.id, operation, reason, command_.by());
  }

  std::optional<std::string> definitions_edn() const override { return std::nullopt; }
  std::vector<std::string> defined_names() const override {
    std::vector<std::string> names;
    for (const std::string& source : earlier_programs()) {
      for (std::string& name : names_defined_in(source)) names.push_back(std::move(name));
    }
    return names;
  }

  // What other processes add is seen when it is asked for first after a program.
  std::vector<std::string> earlier_programs() const override {
    if (!earlier_) {
      earlier_.emplace();
      for (StoredProgram& program : stored_programs(command_.store(), stored_.id)) {
        if (program.has_ended_well) earlier_->push_back(std::move(program.source));
      }
    }
    return *earlier_;
  }

  std::string held_text() const override {
    if (const auto place = moved_to()) return *place;
    const auto info = command_.store().find(stored_.id);
    const bool is_held = info && *info && (*info)->state == StoredState::Running && !(*info)->is_interrupted;
    if (!is_held) return {};
    std::string text = "busy: " + stored_.id + " is being executed by " + (*info)->owner;
    const auto programs = stored_programs(command_.store(), stored_.id);
    if (!programs.empty()) text += ", since " + moment_text(programs.back().begun_ms);
    return text + "; the Enter key goes on when it is done";
  }
  bool is_moved() const override { return moved_to().has_value(); }
  std::string data_edn() const override { return stored_.data_edn.empty() ? "{}" : stored_.data_edn; }

  std::string store_text() const override {
    const auto info = command_.store().find(stored_.id);
    std::string out = command_.options().path + ", run " + stored_.id + ": ";
    if (!info) return out + info.error().message + '\n';
    if (!*info) return out + "no program yet\n";
    const auto detail = command_.store().detail(stored_.id);
    if (!detail) return out + detail.error().message + '\n';
    if (!detail->moved_to.empty()) {
      out += ((*info)->state == StoredState::Moving ? "moving to " : "moved to ") + detail->moved_to;
    } else if ((*info)->state == StoredState::Running) {
      out += (*info)->is_interrupted ? "interrupted" : "running, by " + (*info)->owner;
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
  // Says where the run has gone; nullopt: it is here.
  std::optional<std::string> moved_to() const {
    const auto detail = command_.store().detail(stored_.id);
    if (!detail || detail->moved_to.empty()) return std::nullopt;
    return "run_moved: " + stored_.id + " is in " + detail->moved_to +
           " now: `ptcvm repl --store` goes on with it there";
  }

  // Returns a session that knows the data, and no definitions.
  std::optional<Session> session_with_data() const {
    RunOptions limited;
    limited.limits = stored_.limits;
    auto session = Session::create(parts_.engine, limited);
    if (!session || (!stored_.data_edn.empty() && !session->load_data(stored_.data_edn))) return std::nullopt;
    return std::move(*session);
  }

  TurnEnd failed(Error error) const {
    const int refusal = refusal_of(error);
    error.message = message_of_store(error);
    if (may_lack_tools(error)) {
      error.message += missing_tools_of_parked(parts_.engine, command_.store(), stored_.id, parts_.tools);
    }
    return {outcome_of(error), {}, refusal};
  }

  TurnEnd drive(Result<StoredRun> opened) {
    earlier_.reset();
    if (!opened) return failed(opened.error());
    StoredRun& run = *opened;
    CommandCalls commands(parts_.tools, parts_.options.parallel_tools, parts_.interrupted.flag());
    parts_.interrupted.cancels(run);
    Result<StoredOutcome> done = run_with_commands(run, commands);
    parts_.interrupted.cancels_nothing();
    if (!done) return failed(done.error());
    pending_ = std::move(done->pending);
    if (done->end == StoredEnd::InDoubt) return doubts();
    if (done->end == StoredEnd::Suspended) done->outcome.state = RunState::Suspended;
    return {std::move(done->outcome), std::move(done->value_edn)};
  }

  TurnEnd doubts() const {
    return refused_turn("in_doubt",
                        "nobody knows whether a call of the run happened; the run waits until somebody says so",
                        "`:pending` names the call and the commands that say so. Then press Enter, or type the program "
                        "again when it has not begun");
  }

  const ReplParts parts_;
  mutable StoreCommand command_;
  StoredOptions stored_;
  std::vector<StoredWait> pending_;
  mutable std::optional<std::vector<std::string>> earlier_;   // since somebody asked for them after the last program
};

}   // namespace

std::unique_ptr<ReplTurns> stored_turns(const ReplParts& parts, const StoreOptions& store, std::string& message,
                                        int& status) {
  auto turns = std::make_unique<StoredTurns>(parts, store);
  return turns->open(message, status) ? std::move(turns) : nullptr;
}

}   // namespace ptcvm::cli
