#include "bench/call_costs.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "runtime/durable/durable_run.h"
#include "runtime/log/forwarding_store.h"
#include "runtime/log/log_writer.h"
#include "runtime/log/sqlite/sqlite_store.h"

namespace {

using Clock = std::chrono::steady_clock;
using ptc::Fact;
using ptc::FactKind;

constexpr std::int64_t kNow = 1'767'225'600'000;

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "ptc_store_bench: " << why << "\n";
  std::exit(1);
}

// Counts the calls of a store, and the calls that are a transaction on the disk in sync mode.
class CountingStore final : public ptc::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  ptc::StoreResult<ptc::Written> put(std::string_view log, ptc::Cut cut, std::span<const Fact> facts,
                                     ptc::Durability durability) override {
    ++calls_, ++transactions_;
    return store_.put(log, cut, facts, durability);
  }
  ptc::StoreResult<std::vector<Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) override {
    ++calls_;
    return store_.read(log, after, most);
  }
  ptc::StoreResult<std::optional<Fact>> find(std::string_view log, std::string_view key) override {
    ++calls_;
    return store_.find(log, key);
  }
  ptc::StoreResult<bool> renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                               std::int64_t lease_ms) override {
    ++calls_, ++transactions_;
    return store_.renew(log, token, now_ms, lease_ms);
  }
  ptc::StoreResult<std::monostate> flush() override {
    ++calls_;
    return store_.flush();
  }
  int calls() const { return calls_; }
  int transactions() const { return transactions_; }

 private:
  int calls_ = 0, transactions_ = 0;
};

Fact call_fact(FactKind kind, const std::string& call) {
  Fact fact;
  fact.kind = kind;
  fact.author = ptc::FactAuthor::Host;
  fact.time_ms = kNow;
  fact.idempotency_key = call;
  fact.number = 1;
  return fact;
}
Fact intent(const std::string& task) {
  Fact fact = call_fact(FactKind::Intent, "run/task:" + task + "#0.1");
  fact.key = ptc::intent_key(fact.idempotency_key, 1);
  fact.tool = "pay";
  fact.args = "{:amount 1250}";
  fact.effect = "keyed";
  fact.task = task;
  return fact;
}
Fact answer(const std::string& task) {
  Fact fact = call_fact(FactKind::EffectSettled, "run/task:" + task + "#0.1");
  fact.key = ptc::effect_key(fact.idempotency_key, 1);
  fact.status = "committed";
  fact.value = "{:status \"ok\" :amount 1250}";
  return fact;
}
Fact commit(const std::string& task) {
  Fact fact;
  fact.kind = FactKind::TaskCommitted;
  fact.time_ms = kNow;
  fact.id = task;
  fact.key = ptc::task_key(task, 1);
  fact.value = "{:status \"ok\" :amount 1250}";
  return fact;
}

// Two sequences of calls that leave the same facts, each in a log and a file of its own: in one file, the facts of the
// second log would lie behind the facts of the first log, and only the first log would pay for splitting pages.
class Sequences {
 public:
  explicit Sequences(const std::string& folder)
      : old_file_(open(folder + "/before.db")), file_(open(folder + "/now.db")) {
    if (!writer_.claim("bench")->granted || !writer_.open()) give_up("no claim");
    const auto claim = old_file_->claim("run", "bench", kNow, 0);
    if (claim.index() != 0) give_up("no claim");
    token_ = std::get<0>(claim).token;
  }

  // Each fact is written by itself, a flush makes the intent durable, and the writer reads after each write.
  void before(const std::string& task) {
    write_and_read(intent(task));
    check(old_.flush().index() == 0);
    write_and_read(answer(task));
    write_and_read(commit(task));
  }
  // A write tells what a read would, and the answer goes with the commit of its task.
  void now(const std::string& task) {
    check(writer_.put(intent(task), ptc::Durability::Now).has_value());
    const Fact both[] = {answer(task), commit(task)};
    check(writer_.write(both) != nullptr);
  }
  const CountingStore& old() const { return old_; }
  const CountingStore& fresh() const { return fresh_; }

 private:
  static std::unique_ptr<ptc::SqliteStore> open(const std::string& path) {
    auto opened = ptc::SqliteStore::open(path);
    if (auto* const error = std::get_if<ptc::StoreError>(&opened)) give_up(error->message);
    return std::move(std::get<0>(opened));
  }
  static void check(bool good) {
    if (!good) give_up("a write failed");
  }
  void write_and_read(const Fact& fact) {
    check(old_.put("run", ptc::Cut::blind(token_), {&fact, 1}, ptc::Durability::AsMode).index() == 0);
    check(!ptc::read_on(old_, "run", log_));
  }

  std::unique_ptr<ptc::SqliteStore> old_file_, file_;
  CountingStore old_{*old_file_}, fresh_{*file_};
  ptc::LogWriter writer_{fresh_, "run", [] { return kNow; }, 60'000};
  std::uint64_t token_ = 0;
  ptc::RunLog log_;
};

void print(const char* name, double seconds, int tasks, const CountingStore& store) {
  const auto each = [tasks](int count) { return static_cast<double>(count) / tasks; };
  std::printf("%-25s%9.0f tasks/s   %.2f transactions and %.2f calls of the store a task\n", name, tasks / seconds,
              each(store.transactions()), each(store.calls()));
}

// A program of so many tasks, each with one call of a keyed tool.
void run_tasks(const std::string& path, int tasks) {
  auto opened = ptc::SqliteStore::open(path);
  if (opened.index() != 0) give_up("no store");
  CountingStore store(*std::get<0>(opened));
  const ptc::Engine engine;
  ptc::ToolRegistry tools;
  ptc::ToolDefinition pay;
  pay.name = "pay";
  pay.effect = ptc::EffectClass::Keyed;
  tools.add(pay, [](const ptc::ToolCall&) { return ptc::ToolReply::value(ptc::Value::integer(1250)); });
  ptc::DurableOptions options;
  options.session.run_id = "run";
  options.session.limits.tool_calls = static_cast<std::uint32_t>(tasks) + 1;
  options.session.limits.fuel = 1'000'000'000;
  const std::string source =
      "(loop [i 0] (when (< i " + std::to_string(tasks) + ") (task (str \"t\" i) (tool/pay {:n i})) (recur (inc i))))";
  const auto start = Clock::now();
  const auto out = ptc::run_durably(engine, store, tools, source, options);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (out.end != ptc::DurableEnd::Ended || out.outcome.status != ptc::OutcomeStatus::Ok) {
    give_up("a run: " + out.message + out.error.message + out.outcome.fault.message);
  }
  print("  in a durable run", seconds, tasks, store);
}

}  // namespace

// The disk is shared, and it is slow for a tenth of a second now and then: the sequences take turns with each task.
void compare_calls(const std::string& folder) {
  constexpr int kTasks = 500;
  Sequences sequences(folder);
  Clock::duration before{}, now{};
  for (int i = 0; i < kTasks; ++i) {
    const std::string name = "charge-" + std::to_string(i);
    const auto start = Clock::now();
    sequences.before(name);
    const auto middle = Clock::now();
    sequences.now(name);
    before += middle - start;
    now += Clock::now() - middle;
  }
  const double before_s = std::chrono::duration<double>(before).count();
  const double now_s = std::chrono::duration<double>(now).count();
  std::printf("a committed task with one keyed call, SQLite, sync:\n");
  print("  seven calls of the store", before_s, kTasks, sequences.old());
  print("  writes that tell", now_s, kTasks, sequences.fresh());
  std::printf("  %.2f times the throughput\n", before_s / now_s);
  run_tasks(folder + "/call-run.db", kTasks);
}
