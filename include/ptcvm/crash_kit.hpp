// The crash kit: runs a program, kills its process at every point at which it writes or calls a tool, lets new
// processes finish the run, and compares what the log says with what an independent ledger has seen.
//
//   CrashOptions options;
//   options.source = "(task \"pay\" (tool/pay {:cents 500}))";
//   options.tools = [](ToolRegistry& tools, Ledger& ledger, CrashPoints&) { …  ledger.happened(call, "\"tx1\"") … };
//   const CrashReport report = Crash(options).every_boundary();
//   std::puts(report.table().c_str());
//   return report.ok() ? 0 : 1;
//
// The claims that every run is held to stand in crash_claims.hpp. docs/testing-your-agents.md shows how to use it.
//
// It forks: have no other threads, and no store open, while it works.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ptcvm/crash_claims.hpp"
#include "ptcvm/crash_ledger.hpp"
#include "ptcvm/crash_points.hpp"
#include "ptcvm/crash_report.hpp"
#include "runtime/durable/durable_run.h"
#include "runtime/durable/answers.h"
#include "runtime/log/sqlite/sqlite_store.h"

namespace ptc {

// What a person says about a call that is in doubt.
struct CrashWord {
  DoubtAnswer answer{};
  std::string value;                            // when it happened
};
// The answer to an operation: status "ok" (value), "error" or "cancelled" (text). With an `id`, the value is put under
// that id from outside instead: what (await-signal id) waits for.
struct CrashAnswer {
  std::string status = "ok", value, text, id;
};

struct CrashOptions {
  std::string source;
  // Adds the tools, in each process anew. A tool with an effect says so to the ledger at the moment when it happens.
  std::function<void(ToolRegistry&, Ledger&, CrashPoints&)> tools;
  DurableOptions durable;                       // owner and clock are the kit's
  // The store, in each process anew, for files whose names begin with `path`. None: SQLite, each write is synced.
  std::function<std::unique_ptr<FactStore>(const std::string& path, CrashPoints&)> open;
  bool durable_at_once = true;                  // false: a write of this store is durable after the next flush()
  // None: looks into the ledger; it happened with the value that stands there, or it did not.
  std::function<CrashWord(const LoggedEffect&, const Ledger&)> settle;
  // None: the value of the call in the ledger. Nothing: not yet; the others are answered first.
  std::function<std::optional<CrashAnswer>(const LoggedOperation&, const Ledger&)> answer;
  std::string folder;                           // where stores are made; none: for temporary files
  bool points_at_writes = true, points_at_tools = true;
  bool repeatable = true;                       // the program does the same, killed or not
  int most_processes = 200;                     // of one run
  unsigned most_seconds = 120;                  // of one process; then it hangs
};

// A kill: at the `point`-th point of a process and those after it, from 1; or, with point 0, `after` this time.
struct CrashKill {
  std::uint64_t point = 0;
  std::chrono::microseconds after{0};
};

class Crash {
 public:
  explicit Crash(CrashOptions options)
      : options_(std::move(options)), folder_(options_.folder) {}

  // One run without a kill, then one for each point, until there is no such point any more; or for each `step`-th.
  CrashReport every_boundary(std::uint64_t step = 1) {
    CrashReport report;
    report.rows.push_back(undisturbed());
    for (std::uint64_t point = 1; report.rows.front().ok(); point += step) {
      CrashRow row = with_kills({CrashKill{point}});
      if (row.deaths.empty()) break;
      report.rows.push_back(std::move(row));
    }
    return report;
  }

  // The run that the others are compared with; made once.
  const CrashRow& undisturbed() {
    if (!undisturbed_) undisturbed_ = play({});
    return *undisturbed_;
  }
  // One run with several kills, one after the other.
  CrashRow with_kills(std::span<const CrashKill> kills) {
    const CrashRow& wanted = undisturbed();
    CrashRow row = play(kills);
    if (options_.repeatable && row.finished) {
      CrashClaims(row.complaints).same_as_undisturbed(row.effects, row.journal, wanted.effects, wanted.journal);
    }
    return row;
  }
  CrashRow with_kills(std::initializer_list<CrashKill> kills) { return with_kills({kills.begin(), kills.size()}); }

 private:
  // What one process came to.
  struct Life {
    bool killed = false;
    DurableEnd end = DurableEnd::StoreFailed;
    std::uint64_t points = 0;
    std::string text;
    std::vector<std::pair<std::string, std::string>> said;   // key and value of facts that it was told to be written
  };

  CrashRow play(std::span<const CrashKill> kills) {
    std::filesystem::remove_all(run_folder());
    std::filesystem::create_directory(run_folder());
    ledger_.clear();
    late_ = {};
    CrashRow row;
    std::vector<Fact> facts;
    std::uint64_t passed = 0;   // points since the last kill
    while (!row.finished && row.complaints.empty() && row.processes < options_.most_processes) {
      const CrashKill kill = row.deaths.size() < kills.size() ? kills[row.deaths.size()] : CrashKill{};
      if (kill.point > 0) row.boundary = kill.point;
      const Life life = live(kill, kill.point > 0 ? kill.point - passed : 0, row);
      passed = life.killed ? 0 : passed + life.points;
      check_life(life, std::exchange(facts, look()), facts, row);
      if (life.killed || !row.complaints.empty()) continue;
      go_on(life, facts, row);
      if (!row.finished) facts = look();
    }
    row.effects = ledger_.entries();
    row.journal = crash_fold(facts).tasks();
    if (row.finished) CrashClaims(row.complaints).ledger_is_journal(crash_calls(facts), row.effects);
    if (!row.finished && row.complaints.empty()) row.complaints.push_back("it does not come to an end");
    return row;
  }

  void check_life(const Life& life, const std::vector<Fact>& before, const std::vector<Fact>& facts, CrashRow& row) {
    CrashClaims claims(row.complaints);
    claims.log_only_grows(before, facts);
    for (const auto& [key, value] : life.said) claims.is_in_log(facts, key, value);
    if (!life.killed) claims.asked_rightly(crash_calls(before), life.end == DurableEnd::InDoubt, crash_calls(facts));
  }

  // Between two processes: what has to be said before the next one can do more.
  void go_on(const Life& life, const std::vector<Fact>& facts, CrashRow& row) {
    switch (life.end) {
      case DurableEnd::Ended:
      case DurableEnd::EndedBefore:
        // A tool that does not know what became of its call makes the turn fail; the next process asks.
        row.finished = !life.text.starts_with("error") || !has_open_calls(facts);
        row.ended = life.text;
        return;
      case DurableEnd::InDoubt: return settle(facts, row);
      case DurableEnd::Suspended: return answer(facts, row);
      default: row.complaints.push_back("a process could not go on: " + life.text);
    }
  }

  static bool has_open_calls(const std::vector<Fact>& facts) {
    const CrashCalls calls = crash_calls(facts);
    return std::any_of(calls.begin(), calls.end(), [](const auto& entry) { return entry.second.is_open(); });
  }

  void settle(const std::vector<Fact>& facts, CrashRow& row) {
    CrashPoints never(ledger_, 0);
    const auto store = open(run_folder(), never);
    const RunLog log = crash_fold(facts);
    for (const LoggedEffect* const doubt : log.unsettled(0)) {
      const CrashWord word = options_.settle ? options_.settle(*doubt, ledger_) : word_of_ledger(doubt->key);
      const auto said = settle_doubt(*store, name(), doubt->key, word.answer, word.value, {"crash kit", now()});
      const bool* const heard = std::get_if<bool>(&said);
      if (heard == nullptr || !*heard) row.complaints.push_back("nobody listens to what is said about " + doubt->key);
      ++row.asked;
    }
  }
  CrashWord word_of_ledger(const std::string& key) const {
    const auto entry = ledger_.find(key);
    if (!entry) return {DoubtAnswer::DidNot, {}};
    return {DoubtAnswer::Happened, entry->value.empty() ? "nil" : entry->value};
  }

  void answer(const std::vector<Fact>& facts, CrashRow& row) {
    CrashPoints never(ledger_, 0);
    const auto store = open(run_folder(), never);
    std::size_t answered = 0;
    const RunLog log = crash_fold(facts);
    for (const LoggedOperation& operation : log.operations()) {
      if (!operation.status.empty()) continue;
      const auto given = options_.answer ? options_.answer(operation, ledger_) : answer_of_ledger(operation, facts);
      if (!given) continue;
      if (say(*store, operation, *given)) ++answered;
    }
    if (answered > 0) return;
    const auto info = store->info(name());   // then only time can help
    const auto* const known = std::get_if<std::optional<RunInfo>>(&info);
    if (known != nullptr && *known && (*known)->deadline_ms && *(*known)->deadline_ms >= now()) {
      late_ += std::chrono::milliseconds(*(*known)->deadline_ms - now() + 1);
    } else {
      row.complaints.push_back("the run waits, and nobody answers");
    }
  }
  bool say(FactStore& store, const LoggedOperation& operation, const CrashAnswer& given) const {
    const Said said{"crash kit", now()};
    if (!given.id.empty()) {
      const auto put = put_external(store, name(), given.id, given.value, std::nullopt, said);
      return std::holds_alternative<ExternalPut>(put) && std::get<ExternalPut>(put).is_written;
    }
    return std::holds_alternative<Put>(
        answer_operation(store, name(), operation.id, given.status, given.value, given.text, said));
  }
  std::optional<CrashAnswer> answer_of_ledger(const LoggedOperation& operation, const std::vector<Fact>& facts) const {
    for (const Fact& fact : facts) {
      if (fact.kind != FactKind::OperationOpened || fact.id != operation.id) continue;
      for (const LedgerEntry& entry : ledger_.entries()) {
        if (!is_key_of(entry.key, fact.idempotency_key)) continue;
        return CrashAnswer{"ok", entry.value.empty() ? "nil" : entry.value, {}, {}};
      }
    }
    return std::nullopt;
  }

  // What a tool is told as its key is the name of the call in the program, and in tasks more (recorded_tools.h).
  bool is_key_of(const std::string& key, const std::string& call) const {
    const std::string in_task = name() + "/" + call;
    return key == call || key == in_task || key.starts_with(in_task + "@");
  }

  // One process, from its start to its end.
  Life live(const CrashKill& kill, std::uint64_t dies_at, CrashRow& row) {
    ++row.processes;
    const pid_t process = fork();
    if (process == 0) {
      alarm(options_.most_seconds);
      be(dies_at);
      _exit(0);
    }
    const bool by_time = dies_at == 0 && kill.after.count() > 0;
    if (by_time) {
      usleep(static_cast<useconds_t>(kill.after.count()));
      ::kill(process, SIGKILL);
    }
    int status = 0;
    waitpid(process, &status, 0);
    Life life;
    life.killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    read_notes(life, row);
    if (life.killed && by_time) row.deaths.push_back("after " + std::to_string(kill.after.count()) + " us");
    if (WIFSIGNALED(status) && !life.killed) {
      const bool hung = WTERMSIG(status) == SIGALRM;
      const std::string signal = std::to_string(WTERMSIG(status));
      row.complaints.push_back(hung ? "a process hangs" : "a process crashed: signal " + signal);
    }
    return life;
  }
  void read_notes(Life& life, CrashRow& row) {
    for (const std::string& note : ledger_.take_notes()) {
      const std::size_t line = note.find('\n');
      const std::string kind = note.substr(0, line), rest = note.substr(line + 1);
      if (kind == "died") {
        row.deaths.push_back(rest);
      } else if (kind == "said") {
        const std::size_t size = std::stoull(rest), from = rest.find('\n') + 1;
        life.said.emplace_back(rest.substr(from, size), rest.substr(from + size));
      } else if (kind == "points") {
        life.points = std::stoull(rest);
      } else if (kind == "end") {
        life.end = static_cast<DurableEnd>(std::stoi(rest));
        life.text = rest.substr(rest.find('\n') + 1);
      }
    }
  }

  // In the child.
  void be(std::uint64_t dies_at) {
    CrashPoints points(ledger_, dies_at);
    const auto store = open(run_folder(), points);
    CrashStore watched(*store, ledger_, options_.points_at_writes ? &points : nullptr, options_.durable_at_once);
    ToolRegistry plain;
    if (options_.tools) options_.tools(plain, ledger_, points);
    const ToolRegistry tools = options_.points_at_tools ? with_crash_points(plain, points) : plain;
    DurableOptions durable = options_.durable;
    durable.owner.clear();   // the process: the next one sees that it is gone
    durable.now_ms = [this] { return now(); };
    const DurableOutcome out = run_durably(engine_, watched, tools, options_.source, durable);
    ledger_.note("points\n" + std::to_string(points.reached()));
    ledger_.note("end\n" + std::to_string(static_cast<int>(out.end)) + '\n' + crash_end_text(out));
  }

  // From a copy of the store, so that what a kill has left is put in order by the next process and not by us.
  std::vector<Fact> look() {
    CrashPoints never(ledger_, 0);
    const auto store = open(copied(), never);
    std::vector<Fact> facts;
    constexpr std::size_t kPage = 1'000;
    for (std::size_t count = kPage; count == kPage;) {
      auto page = store->read(name(), facts.size(), kPage);
      auto* const good = std::get_if<std::vector<Fact>>(&page);
      if (good == nullptr) throw std::runtime_error("the log cannot be read: " + std::get<StoreError>(page).message);
      count = good->size();
      facts.insert(facts.end(), std::make_move_iterator(good->begin()), std::make_move_iterator(good->end()));
    }
    return facts;
  }
  std::string copied() {
    const std::string copy = folder_.path() + "/copy";
    std::filesystem::remove_all(copy);
    std::filesystem::copy(run_folder(), copy, std::filesystem::copy_options::recursive);
    return copy;
  }
  std::unique_ptr<FactStore> open(const std::string& folder, CrashPoints& points) const {
    std::unique_ptr<FactStore> store;
    if (options_.open) {
      store = options_.open(folder + "/facts.db", points);
    } else {
      auto opened = SqliteStore::open(folder + "/facts.db");
      if (auto* const good = std::get_if<std::unique_ptr<SqliteStore>>(&opened)) store = std::move(*good);
    }
    if (!store) throw std::runtime_error("the store in " + folder + " cannot be opened");
    return store;
  }

  std::string run_folder() const { return folder_.path() + "/run"; }
  const std::string& name() const { return options_.durable.session.run_id; }
  // The clock of all processes; it leaps when a run waits for nothing but time.
  std::int64_t now() const {
    const auto time = std::chrono::system_clock::now() + late_;
    return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  }

  const CrashOptions options_;
  const CrashFolder folder_;
  const Engine engine_;                 // made before the children, which share what it has compiled
  Ledger ledger_;
  std::chrono::milliseconds late_{0};
  std::optional<CrashRow> undisturbed_;
};

}  // namespace ptc
