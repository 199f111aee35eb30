#include "api/crash_kit/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <mutex>
#include <thread>

#include "api/crash_kit/ledger_access.h"
#include "ptcvm/store_watch.hpp"

namespace ptcvm::crash {
namespace {

// Passes a point before and after each write, and tells the ledger which facts the store has acknowledged, so that a
// lost fact is noticed.
class WriteNotes final : public StoreWatcher {
 public:
  // `points` may be null: writes are no points.
  WriteNotes(const Ledger& ledger, Points* points, Durability durability)
      : ledger_(ledger), points_(points), is_durable_at_once_(durability == Durability::Sync) {}

  void before_write(const StoreWrite& write) override { pass("before write ", write); }
  void after_write(const StoreWrite& write, std::span<const WrittenFact> added) override {
    {
      const std::lock_guard lock(mutex_);
      for (const WrittenFact& fact : added) unsaid_.push_back({"said", std::string(fact.key), std::string(fact.value)});
      if (is_durable_at_once_ || write.flushes) {
        for (const Message& note : unsaid_) LedgerAccess::note(ledger_, note);
        unsaid_.clear();
      }
    }
    pass("after write ", write);
  }

 private:
  void pass(const char* when, const StoreWrite& write) {
    // A flush of a store that is durable anyway does nothing.
    const bool is_idle = is_durable_at_once_ && write.what == "flush";
    if (points_ != nullptr && !is_idle) points_->reach(when + std::string(write.what));
  }

  const Ledger& ledger_;
  Points* const points_;
  const bool is_durable_at_once_;
  std::mutex mutex_;
  std::vector<Message> unsaid_;
};

Tools with_points(const Tools& tools, Points& points) {
  return tools.wrapped([&points](ToolCall& call, const std::function<ToolReply()>& next) {
    const std::string what = std::string(call.name()) + ' ' + std::string(call.idempotency_key());
    points.reach("before call " + what);
    ToolReply reply = next();
    points.reach("after call " + what);
    return reply;
  });
}

Life::End end_of(StoredEnd end) {
  switch (end) {
    case StoredEnd::Ended:
    case StoredEnd::EndedBefore: return Life::End::Over;
    case StoredEnd::Suspended: return Life::End::Suspended;
    case StoredEnd::InDoubt: return Life::End::InDoubt;
  }
  return Life::End::Failed;
}

std::string text_of(const StoredOutcome& outcome) {
  if (outcome.end == StoredEnd::Suspended) return "suspended";
  if (outcome.end == StoredEnd::InDoubt) return "in doubt";
  const Outcome& turn = outcome.outcome;
  return std::string(run_state_name(turn.state)) + ' ' +
         (turn.diagnostic ? turn.diagnostic->message : turn.value.to_edn());
}

std::string number_text(std::uint64_t number) { return std::to_string(number); }

}  // namespace

std::int64_t time_ms(std::chrono::milliseconds late) {
  const auto time = std::chrono::system_clock::now() + late;
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

Life Process::live(std::uint64_t dies_at, std::chrono::microseconds after, std::chrono::milliseconds late) {
  Life life;
  const pid_t process = fork();
  if (process < 0) {
    life.complaint = "no process can be started";
    return life;
  }
  if (process == 0) {
    be(dies_at, late);
    _exit(0);
  }
  const bool is_by_time = dies_at == 0 && after.count() > 0;
  if (is_by_time) {
    std::this_thread::sleep_for(after);
    kill(process, SIGKILL);
  }
  int status = 0;
  waitpid(process, &status, 0);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  life.killed = signal == SIGKILL;
  for (const Message& note : LedgerAccess::take_notes(ledger_)) read(note, life);
  if (life.killed && is_by_time) life.death = "after " + std::to_string(after.count()) + " us";
  if (signal == SIGALRM) {
    life.complaint = "a process hangs";
  } else if (signal != 0 && !life.killed) {
    life.complaint = "a process crashed: signal " + std::to_string(signal);
  }
  return life;
}

// An exception must not leave the child: the caller's code would run twice.
void Process::be(std::uint64_t dies_at, std::chrono::milliseconds late) noexcept {
  alarm(static_cast<unsigned>(options_.most_time.count()));
  Points points(ledger_, dies_at);
  const auto outcome = drive(points, late);
  LedgerAccess::note(ledger_, {"points", number_text(points.reached())});
  if (outcome) {
    tell(*outcome);
  } else {
    LedgerAccess::note(ledger_, {"end", number_text(static_cast<unsigned>(Life::End::Failed)), "0",
                                 std::string(errc_name(outcome.error().code)) + ": " + outcome.error().message});
  }
}

Result<StoredOutcome> Process::drive(Points& points, std::chrono::milliseconds late) {
  auto store = folder_.open(points);
  if (!store) return std::move(store).error();
  WriteNotes notes(ledger_, options_.points_at_writes ? &points : nullptr, options_.durability);
  Store watched = watch_store(*store, notes);
  Tools tools;
  if (options_.tools) options_.tools(tools, ledger_, points);
  if (options_.points_at_tools) tools = with_points(tools, points);
  StoredOptions run = options_.run;
  run.clock = [late] { return time_ms(late); };
  return options_.drive ? options_.drive(engine_, watched, tools, options_.source, run)
                        : run_stored(engine_, watched, tools, options_.source, run);
}

void Process::tell(const StoredOutcome& outcome) {
  for (const StoredWait& wait : outcome.pending) {
    LedgerAccess::note(ledger_, {"pending", wait.key, wait.tool, wait.args_edn});
  }
  if (outcome.wake_time_ms) LedgerAccess::note(ledger_, {"wake", std::to_string(*outcome.wake_time_ms)});
  LedgerAccess::note(ledger_, {"end", number_text(static_cast<unsigned>(end_of(outcome.end))),
                               outcome.outcome.diagnostic ? "1" : "0", text_of(outcome)});
}

void Process::read(const Message& note, Life& life) {
  const std::string& kind = note.front();
  if (kind == "died") {
    life.death = note[1];
  } else if (kind == "said") {
    life.said.emplace_back(note[1], note[2]);
  } else if (kind == "points") {
    life.points = std::stoull(note[1]);
  } else if (kind == "pending") {
    life.pending.push_back({note[1], note[2], note[3]});
  } else if (kind == "wake") {
    life.wake_ms = std::stoll(note[1]);
  } else if (kind == "end") {
    life.end = static_cast<Life::End>(std::stoi(note[1]));
    life.is_fault = note[2] == "1";
    life.text = note[3];
  }
}

}  // namespace ptcvm::crash
