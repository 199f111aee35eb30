#include "ptcvm/crash_kit.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "api/crash_kit/claims.h"
#include "api/crash_kit/process.h"
#include "api/crash_kit/run_folder.h"
#include "api/crash_kit/temporary_folder.h"

namespace ptcvm::crash {
namespace {

// Returns the id of a run as keys have it (docs/durable-runs.md).
std::string run_in_keys(std::string_view id) {
  std::string out;
  for (const char c : id) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

// What runs of one kit share: made before the processes, which inherit it.
struct Stage {
  Stage(const Options& options, std::unique_ptr<TemporaryFolder> made, Ledger started)
      : place(std::move(made)), ledger(std::move(started)), folder(place->path(), options, ledger),
        process(options, engine, folder, ledger) {}
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const std::unique_ptr<TemporaryFolder> place;
  Ledger ledger;
  const RunFolder folder;
  const Engine engine;
  Process process;
};

Result<std::unique_ptr<Stage>> stage_of(const Options& options) {
  auto folder = TemporaryFolder::make(options.folder);
  if (!folder) return std::move(folder).error();
  auto ledger = Ledger::start(options.folder);
  if (!ledger) return std::move(ledger).error();
  return std::make_unique<Stage>(options, std::move(*folder), std::move(*ledger));
}

// One run: its processes, and between them those who answer and settle.
class Play {
 public:
  Play(const Options& options, Stage& stage) : options_(options), stage_(stage) {}

  Row run(std::span<const Kill> kills) {
    stage_.folder.clear();
    stage_.ledger.clear();
    std::uint64_t passed = 0;   // points since the last kill
    while (!row_.finished && row_.ok() && row_.processes < options_.most_processes) {
      const Kill kill = row_.deaths.size() < kills.size() ? kills[row_.deaths.size()] : Kill{};
      if (kill.point > 0) row_.point = kill.point;
      ++row_.processes;
      // A point that the processes since the last kill have passed already is not reached any more.
      const Life life = stage_.process.live(kill.point > passed ? kill.point - passed : 0,
                                            kill.point > 0 ? std::chrono::microseconds(0) : kill.after, late_);
      passed = life.killed ? 0 : passed + life.points;
      row_.points += life.points;
      if (life.killed) row_.deaths.push_back(life.death);
      if (!life.complaint.empty()) complain(life.complaint);
      const std::vector<Fact> before = std::exchange(facts_, look());
      check(life, before);
      if (!life.killed && row_.ok()) go_on(life);
    }
    finish();
    return std::move(row_);
  }

 private:
  void complain(std::string what) { row_.complaints.push_back(std::move(what)); }

  std::vector<Fact> look() {
    auto facts = stage_.folder.read_log();
    if (facts) return std::move(*facts);
    complain("the log cannot be read: " + facts.error().message);
    return {};
  }

  void check(const Life& life, const std::vector<Fact>& before) {
    Claims claims(row_.complaints);
    claims.log_only_grows(before, facts_);
    for (const auto& [key, value] : life.said) claims.is_in_log(facts_, key, value);
    if (!life.killed && life.complaint.empty()) {
      claims.asked_rightly(calls_of(before), life.end == Life::End::InDoubt, calls_of(facts_));
    }
  }

  void finish() {
    row_.effects = stage_.ledger.entries();
    row_.journal = tasks_of(facts_);
    row_.calls_in_flight = most_open_calls(facts_);
    if (row_.finished) Claims(row_.complaints).ledger_is_log(calls_of(facts_), row_.effects);
    if (!row_.finished && row_.ok()) complain("it does not come to an end");
  }

  // Between two processes: what somebody must say before the next one can do more.
  void go_on(const Life& life) {
    switch (life.end) {
      case Life::End::Over:
        // A tool that does not know what became of its call makes the turn fail; the next process asks.
        row_.finished = !life.is_fault || !has_open_calls();
        row_.ended = life.text;
        return;
      case Life::End::InDoubt: settle(); break;
      case Life::End::Suspended: answer(life); break;
      case Life::End::Failed: return complain("a process could not go on: " + life.text);
    }
    if (row_.ok()) facts_ = look();
  }

  bool has_open_calls() const {
    const Calls calls = calls_of(facts_);
    return std::any_of(calls.begin(), calls.end(), [](const auto& entry) { return entry.second.is_open(); });
  }

  // Returns the store, or complains.
  std::optional<Store> opened() {
    auto store = stage_.folder.open();
    if (store) return std::move(*store);
    complain("the store cannot be opened: " + store.error().message);
    return std::nullopt;
  }
  // Returns the value, or complains.
  std::optional<Value> value_of(const std::string& edn) {
    auto value = Value::from_edn(edn.empty() ? "nil" : edn);
    if (value) return std::move(*value);
    complain("an answer is not EDN: " + edn);
    return std::nullopt;
  }

  void settle() {
    auto store = opened();
    if (!store) return;
    for (const auto& [key, call] : calls_of(facts_)) {
      if (call.state != CallState::InDoubt) continue;
      const Doubt doubt{key, call.tool, call.args};
      const Word word = options_.settle ? options_.settle(doubt, stage_.ledger) : word_of_ledger(key);
      const auto value = value_of(word.value);
      if (!value) return;
      const auto heard = store->settle(options_.run.id, key, word.answer, *value, "crash kit");
      if (!heard) complain("nobody listens to what is said about " + key + ": " + heard.error().message);
      ++row_.asked;
    }
  }
  Word word_of_ledger(const std::string& key) const {
    const auto entry = stage_.ledger.find(key);
    if (!entry) return {DoubtAnswer::DidNot, {}};
    return {DoubtAnswer::Happened, entry->value};
  }

  void answer(const Life& life) {
    auto store = opened();
    if (!store) return;
    std::size_t answered = 0;
    for (const Operation& operation : life.pending) {
      const auto given = options_.answer ? options_.answer(operation, stage_.ledger) : answer_of_ledger(operation);
      if (given && say(*store, operation, *given)) ++answered;
    }
    if (answered > 0 || !row_.ok()) return;
    const std::int64_t now = time_ms(late_);   // only time can help
    if (!life.wake_ms || *life.wake_ms < now) return complain("the run waits, and nobody answers");
    late_ += std::chrono::milliseconds(*life.wake_ms - now + 1);
  }
  bool say(Store& store, const Operation& operation, const Answer& given) {
    const auto value = value_of(given.value);
    if (!value) return false;
    const std::string& run = options_.run.id;
    const char* const by = "crash kit";
    const auto said = !given.id.empty()      ? store.put(run, given.id, *value, by)
                      : !given.error.empty() ? store.resolve_error(run, operation.id, given.error, by)
                                             : store.resolve(run, operation.id, *value, by);
    return said.has_value();
  }
  std::optional<Answer> answer_of_ledger(const Operation& operation) const {
    const std::string call = key_of_operation(facts_, operation.id);
    for (const LedgerEntry& entry : stage_.ledger.entries()) {
      if (is_key_of(entry.key, call)) return Answer{.value = entry.value};
    }
    return std::nullopt;
  }
  // A tool's key is the name of the call in the program, with the run before it and, in tasks, the epoch behind it.
  bool is_key_of(const std::string& key, const std::string& call) const {
    const std::string in_task = run_in_keys(options_.run.id) + '/' + call;
    return key == call || key == in_task || key.starts_with(in_task + "@");
  }

  const Options& options_;
  Stage& stage_;
  std::chrono::milliseconds late_{0};   // the clock of the processes leaps when a run waits only for time
  std::vector<Fact> facts_;
  Row row_;
};

}  // namespace

struct PTCVM_HIDDEN Kit::Impl {
  explicit Impl(Options given) : options(std::move(given)) {}

  Row play(std::span<const Kill> kills) {
    if (!stage) {
      auto made = stage_of(options);
      if (!made) {
        Row row;
        row.complaints.push_back("the kit cannot start: " + made.error().message);
        return row;
      }
      stage = std::move(*made);
    }
    return Play(options, *stage).run(kills);
  }

  const Options options;
  std::unique_ptr<Stage> stage;          // null before the first run
  std::optional<Row> undisturbed;
  std::chrono::microseconds process_time{0};   // how long a process of the undisturbed run took, on average
};

Kit::Kit(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Kit::Kit(Kit&& moved) noexcept = default;
Kit& Kit::operator=(Kit&& moved) noexcept = default;
Kit::~Kit() = default;

const Row& Kit::undisturbed() {
  if (!impl_->undisturbed) {
    const auto began = std::chrono::steady_clock::now();
    impl_->undisturbed = impl_->play({});
    const auto took = std::chrono::steady_clock::now() - began;
    impl_->process_time = std::chrono::duration_cast<std::chrono::microseconds>(took) /
                          std::max(impl_->undisturbed->processes, 1);
  }
  return *impl_->undisturbed;
}

Row Kit::with_kills(std::span<const Kill> kills) {
  const Row& wanted = undisturbed();
  Row row = impl_->play(kills);
  if (impl_->options.repeatable && row.finished) Claims(row.complaints).same_as_undisturbed(row, wanted);
  return row;
}

Report Kit::every_boundary(std::uint64_t step) {
  Report report;
  report.rows.push_back(undisturbed());
  for (std::uint64_t point = 1; report.rows.front().ok(); point += std::max<std::uint64_t>(step, 1)) {
    Row row = with_kills({Kill{.point = point}});
    if (row.deaths.empty() && row.ok()) break;
    const bool is_killed = !row.deaths.empty();
    report.rows.push_back(std::move(row));
    if (!is_killed) break;
  }
  if (report.rows.size() == 1 && report.ok()) {
    report.rows.front().complaints.push_back("nothing was killed: the run passes no point");
  }
  return report;
}

Row Kit::with_random_kills(std::uint64_t seed) {
  constexpr std::uint64_t kMostKills = 6, kByTimePercent = 30, kEarlyPercent = 50, kEarlyPart = 10;
  const std::uint64_t points = std::max<std::uint64_t>(undisturbed().points, 1);
  const auto micros = static_cast<std::uint64_t>(std::max<std::int64_t>(impl_->process_time.count(), 1));
  std::mt19937_64 random(seed);
  const auto up_to = [&random](std::uint64_t most) { return 1 + random() % most; };
  std::vector<Kill> kills(up_to(kMostKills));
  for (Kill& kill : kills) {
    if (up_to(100) <= kByTimePercent) {
      kill.after = std::chrono::microseconds(up_to(micros));
    } else {
      const bool is_early = up_to(100) <= kEarlyPercent;   // so that many kills fit into one run
      kill.point = up_to(is_early ? points / kEarlyPart + 1 : points);
    }
  }
  return with_kills(kills);
}

Report Kit::random_kills(std::size_t kills, std::uint64_t seed) {
  Report report;
  report.rows.push_back(undisturbed());
  std::size_t killed = 0, in_vain = 0;
  while (killed < kills && report.rows.front().ok()) {
    constexpr std::size_t kMostInVain = 100;
    report.rows.push_back(with_random_kills(seed + report.rows.size() - 1));
    killed += report.rows.back().deaths.size();
    in_vain = report.rows.back().deaths.empty() ? in_vain + 1 : 0;
    if (in_vain < kMostInVain) continue;
    report.rows.front().complaints.push_back("the last 100 runs ended before a kill could hit them");
  }
  return report;
}

}  // namespace ptcvm::crash
