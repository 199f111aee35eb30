// The SQLite store against the time of day, and against SQLite itself: what a durable fact costs, what a window saves,
// whether a log of a million facts is slower than a short one, and what a run pays for its tasks: to commit the n-th,
// to open a run with many tasks, to reach these tasks again. And a committed task with one keyed call (call_costs.h).
//
// Whatever is compared runs in turns, in blocks, so that other load on the machine hits both: the ratios mean
// something, the times are of this machine and hour. Usage: ptc_store_bench [folder] [facts] [tasks of a run] [caches]
// With the last word only the sizes of the page cache are compared.
#include <sqlite3.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <string>

#include "bench/call_costs.h"
#include "runtime/durable/durable_run.h"
#include "runtime/log/sqlite/sqlite_store.h"

namespace {

using Clock = std::chrono::steady_clock;
using ptc::Fact;
using ptc::SqliteMode;
using ptc::SqliteStore;

double cpu_seconds() {
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

[[noreturn]] void stop(const std::string& why) {
  std::cerr << "ptc_store_bench: " << why << "\n";
  std::exit(1);
}

template <class T>
T good(ptc::StoreResult<T> result) {
  if (auto* error = std::get_if<ptc::StoreError>(&result)) stop(error->message);
  return std::move(std::get<T>(result));
}

Fact task(std::uint64_t number) {
  Fact fact;
  fact.kind = ptc::FactKind::TaskCommitted;
  fact.time_ms = 1'767'225'600'000;
  fact.id = "charge-" + std::to_string(number);
  fact.key = "task/" + fact.id + "#0";
  fact.value = "{:status \"ok\" :amount 1250 :currency \"EUR\" :reference \"" + std::to_string(number * 7919) + "\"}";
  return fact;
}

std::unique_ptr<SqliteStore> opened(const std::string& path, SqliteMode mode,
                                    std::chrono::milliseconds window = std::chrono::milliseconds(5),
                                    unsigned cache_kib = ptc::SqliteOptions().cache_kib) {
  ptc::SqliteOptions options;
  options.mode = mode;
  options.group_window = window;
  options.cache_kib = cache_kib;
  return good(SqliteStore::open(path, options));
}

// A log that grows fact by fact.
class Writer {
 public:
  Writer(const std::string& path, SqliteMode mode, unsigned cache_kib = ptc::SqliteOptions().cache_kib)
      : store_(opened(path, mode, std::chrono::milliseconds(5), cache_kib)) {
    token_ = good(store_->claim("run", "bench", 0, 0)).token;
    const auto info = good(store_->info("run"));
    next_ = info ? info->head : 0;
  }
  double put(int count) {
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i) {
      const Fact fact = task(next_++);
      if (!good(store_->put("run", ptc::Cut::blind(token_), {&fact, 1})).puts.front().mine) stop("a key was taken");
    }
    good(store_->flush());
    return seconds_since(start);
  }

 private:
  std::unique_ptr<SqliteStore> store_;
  std::uint64_t token_ = 0, next_ = 0;
};

// The least that SQLite can do for the same bytes and the same promise.
class Plain {
 public:
  Plain(const std::string& path, bool keyed) {
    run(sqlite3_open(path.c_str(), &db_));
    execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    execute("CREATE TABLE line (id INTEGER PRIMARY KEY, key TEXT, body BLOB)");
    if (keyed) execute("CREATE UNIQUE INDEX line_key ON line (key)");
    run(sqlite3_prepare_v2(db_, "INSERT INTO line (key, body) VALUES (?, ?)", -1, &insert_, nullptr));
  }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  ~Plain() {
    sqlite3_finalize(insert_);
    sqlite3_close(db_);
  }
  double put(int count) {
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i) {
      const Fact fact = task(next_++);
      const auto body = ptc::fact_bytes(fact);
      run(sqlite3_bind_text(insert_, 1, fact.key.data(), static_cast<int>(fact.key.size()), SQLITE_STATIC));
      run(sqlite3_bind_blob(insert_, 2, body.data(), static_cast<int>(body.size()), SQLITE_STATIC));
      if (sqlite3_step(insert_) != SQLITE_DONE) stop(sqlite3_errmsg(db_));
      sqlite3_reset(insert_);
    }
    return seconds_since(start);
  }

 private:
  void execute(const char* sql) { run(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }
  void run(int code) {
    if (code != SQLITE_OK) stop(sqlite3_errmsg(db_));
  }

  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  std::uint64_t next_ = 0;
};

void compare_writes(const std::string& folder) {
  constexpr int kBlocks = 20, kBlock = 200, kGroupBlock = 20'000;
  Plain plain(folder + "/plain.db", false), keyed(folder + "/keyed.db", true);
  Writer sync(folder + "/sync.db", SqliteMode::Sync), group(folder + "/group.db", SqliteMode::Group);
  double plain_s = 0, keyed_s = 0, sync_s = 0, group_s = 0;
  for (int block = 0; block < kBlocks; ++block) {
    plain_s += plain.put(kBlock);
    sync_s += sync.put(kBlock);
    keyed_s += keyed.put(kBlock);
    group_s += group.put(kGroupBlock);
  }
  const double facts = kBlocks * kBlock, group_facts = double{kBlocks} * kGroupBlock;
  std::printf("plain inserts            %9.0f /s\n", facts / plain_s);
  std::printf("plain inserts, unique key%9.0f /s\n", facts / keyed_s);
  std::printf("sync puts                %9.0f /s   %.2f of plain, %.2f of plain with a unique key\n", facts / sync_s,
              plain_s / sync_s, keyed_s / sync_s);
  std::printf("group puts, 5 ms         %9.0f /s   %.1f times sync\n", group_facts / group_s,
              group_facts / group_s / (facts / sync_s));
}

void fill(const std::string& path, std::uint64_t facts) {
  const auto store = opened(path, SqliteMode::Group, std::chrono::milliseconds(200));
  const std::uint64_t token = good(store->claim("run", "bench", 0, 0)).token;
  for (std::uint64_t at = 0; at < facts;) {
    std::vector<Fact> batch;
    for (; batch.size() < 1'000 && at < facts; ++at) batch.push_back(task(at));
    good(store->put("run", ptc::Cut::blind(token), batch));
  }
}

// SQLite's own look-up in the same file: one statement by the same index, nothing decoded.
class PlainLook {
 public:
  PlainLook(const std::string& path, bool one_transaction) {
    if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) stop("no file");
    sqlite3_exec(db_, "PRAGMA cache_size = -32768", nullptr, nullptr, nullptr);
    if (one_transaction) sqlite3_exec(db_, "BEGIN", nullptr, nullptr, nullptr);
    const char* const sql = "SELECT seq, body FROM fact WHERE run = 1 AND key = ?";
    if (sqlite3_prepare_v2(db_, sql, -1, &select_, nullptr) != SQLITE_OK) stop(sqlite3_errmsg(db_));
  }
  PlainLook(const PlainLook&) = delete;
  PlainLook& operator=(const PlainLook&) = delete;
  ~PlainLook() {
    sqlite3_finalize(select_);
    sqlite3_close(db_);
  }
  bool find(const std::string& key) {
    sqlite3_bind_text(select_, 1, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
    const bool found = sqlite3_step(select_) == SQLITE_ROW && sqlite3_column_bytes(select_, 1) > 0;
    sqlite3_reset(select_);
    return found;
  }

 private:
  sqlite3* db_ = nullptr;
  sqlite3_stmt* select_ = nullptr;
};

// Returns the CPU seconds of looking up keys at random, or a few neighbouring keys.
template <class Find>
double look_cpu(std::uint64_t facts, std::uint64_t seed, int looks, Find find) {
  std::vector<std::string> keys;
  for (int i = 0; i < looks; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    keys.push_back(task((seed >> 33) % facts).key);
  }
  const double start = cpu_seconds();
  for (const std::string& key : keys) {
    if (!find(key)) stop("a fact is missing");
  }
  return cpu_seconds() - start;
}

void look_up(const std::string& path, std::uint64_t facts) {
  constexpr int kBlocks = 20, kBlock = 10'000;
  auto start = Clock::now();
  const auto store = opened(path, SqliteMode::Sync);
  const double open_ms = seconds_since(start) * 1e3;
  good(store->claim("run", "bench", 0, 0));   // as every run does first: with it the write-ahead log is not empty
  start = Clock::now();
  good(store->find("run", task(facts / 2).key));
  std::printf("log of %llu facts: open %.2f ms, first look-up %.0f us\n", static_cast<unsigned long long>(facts),
              open_ms, seconds_since(start) * 1e6);
  PlainLook plain(path, false), held(path, true);
  for (const std::uint64_t among : {facts, std::uint64_t{1'000}}) {
    double store_s = 0, plain_s = 0, held_s = 0;
    const auto find = [&](const auto& key) { return good(store->find("run", key)).has_value(); };
    for (std::uint64_t block = 0; block < kBlocks; ++block) {
      store_s += look_cpu(among, block, kBlock, find);
      plain_s += look_cpu(among, block + 100, kBlock, [&](const auto& key) { return plain.find(key); });
      held_s += look_cpu(among, block + 200, kBlock, [&](const auto& key) { return held.find(key); });
    }
    const double scale = 1e6 / (kBlocks * kBlock);
    std::printf("look-up among %llu: %.2f us of CPU, SQLite itself %.2f us, in one transaction %.2f us\n",
                static_cast<unsigned long long>(among), store_s * scale, plain_s * scale, held_s * scale);
  }
}

// The same puts at the end of a short and of a long log.
void compare_lengths(const std::string& short_path, const std::string& long_path) {
  for (const SqliteMode mode : {SqliteMode::Sync, SqliteMode::Group}) {
    const int block = mode == SqliteMode::Sync ? 200 : 5'000;
    Writer small(short_path, mode), large(long_path, mode);
    double small_s = 0, large_s = 0;
    for (int i = 0; i < 10; ++i) {
      small_s += small.put(block / 10);
      large_s += large.put(block / 10);
    }
    std::printf("a %s put: %.1f us at the end of the short log, %.1f us of the long one, ratio %.2f\n",
                mode == SqliteMode::Sync ? "sync" : "group", small_s * 1e6 / block, large_s * 1e6 / block,
                large_s / small_s);
  }
}

// Two sizes of the page cache, in turns in one run: puts at the end of a short and of a long log, and look-ups.
void compare_caches(const std::string& folder, std::uint64_t facts) {
  constexpr unsigned kSmall = 2'048, kLarge = 8'192;
  constexpr int kBlocks = 20, kLooks = 10'000;
  const std::string logs[] = {"short", "long"};
  for (const std::string& log : logs) {
    const std::string small_path = folder + "/" + log + ".db", large_path = folder + "/" + log + "-copy.db";
    std::filesystem::copy_file(small_path, large_path, std::filesystem::copy_options::overwrite_existing);
    for (const SqliteMode mode : {SqliteMode::Sync, SqliteMode::Group}) {
      const int block = mode == SqliteMode::Sync ? 50 : 5'000;
      Writer small(small_path, mode, kSmall), large(large_path, mode, kLarge);
      double small_s = 0, large_s = 0;
      for (int i = 0; i < kBlocks; ++i) {
        small_s += small.put(block);
        large_s += large.put(block);
      }
      std::printf("a %s put at the end of the %s log: %.1f us with a cache of 2 MiB, %.1f us with 8 MiB, ratio %.2f\n",
                  mode == SqliteMode::Sync ? "sync" : "group", log.c_str(), small_s * 1e6 / (kBlocks * block),
                  large_s * 1e6 / (kBlocks * block), small_s / large_s);
    }
  }
  const auto small = opened(folder + "/long.db", SqliteMode::Sync, {}, kSmall);
  const auto large = opened(folder + "/long-copy.db", SqliteMode::Sync, {}, kLarge);
  for (const std::uint64_t among : {std::uint64_t{1'000}, std::uint64_t{20'000}, facts}) {
    double small_s = 0, large_s = 0;
    for (std::uint64_t block = 0; block < kBlocks; ++block) {
      const auto in = [](SqliteStore& store) {
        return [&store](const auto& key) { return good(store.find("run", key)).has_value(); };
      };
      small_s += look_cpu(among, block, kLooks, in(*small));
      large_s += look_cpu(among, block, kLooks, in(*large));
    }
    const double scale = 1e6 / (kBlocks * kLooks);
    std::printf("look-up among %llu: %.2f us of CPU with a cache of 2 MiB, %.2f us with 8 MiB, ratio %.2f\n",
                static_cast<unsigned long long>(among), small_s * scale, large_s * scale, small_s / large_s);
  }
}

// The CPU seconds of 500 commits, up to powers of ten.
class CommitMeter final : public ptc::OutboxReader {
 public:
  explicit CommitMeter(std::vector<double>& costs) : costs_(costs) {}
  void read(ptc::OutboxItem item) override {
    if (item.kind != ptc::OutboxItem::Kind::Committed) return;
    if (++count_ + 500 == mark_) begin_ = cpu_seconds();
    if (count_ != mark_) return;
    costs_.push_back(cpu_seconds() - begin_);
    mark_ *= 10;
  }

 private:
  std::vector<double>& costs_;
  std::uint64_t count_ = 0, mark_ = 1'000;
  double begin_ = 0;
};

class TaskRun {
 public:
  TaskRun(std::uint64_t tasks, const ptc::Engine& engine) : engine_(engine) {
    source_ = "(loop [i 0] (when (< i " + std::to_string(tasks) + ") (task (str \"charge-\" i) i) (recur (inc i))))";
    options_.session.limits.fuel = 1'000'000'000'000;
    options_.session.limits.memory_bytes = std::uint64_t{16} << 30;
    options_.session.limits.loop = 1'000'000'000;
  }
  void run(ptc::FactStore& store, ptc::DurableEnd wanted, ptc::OutboxReader* observer = nullptr,
           bool again = false) {
    options_.reader = observer;
    options_.again = again;
    const auto out = ptc::run_durably(engine_, store, tools_, source_, options_);
    if (out.end != wanted || out.outcome.status != ptc::OutcomeStatus::Ok) {
      stop("a run: " + out.message + out.error.message + out.outcome.fault.message);
    }
  }

 private:
  const ptc::Engine& engine_;
  ptc::ToolRegistry tools_;
  std::string source_;
  ptc::DurableOptions options_;
};

void print_commits(const char* mode, const std::vector<double>& costs) {
  std::printf("commit of a task, %s store, us of CPU:", mode);
  std::uint64_t at = 1'000;
  for (const double cost : costs) {
    std::printf("  %.1f at %llu", cost * 1e6 / 500, static_cast<unsigned long long>(at));
    at *= 10;
  }
  std::printf("\n");
}

// One run that commits all of them, in a store that forgets and in one that does not.
void compare_commits(const std::string& folder, const ptc::Engine& engine, std::uint64_t tasks) {
  for (const SqliteMode mode : {SqliteMode::Memory, SqliteMode::Group}) {
    std::vector<double> costs;
    CommitMeter meter(costs);
    TaskRun(tasks, engine).run(*opened(folder + "/commits.db", mode), ptc::DurableEnd::Ended, &meter);
    print_commits(mode == SqliteMode::Memory ? "memory" : "group", costs);
  }
}

// A run of so many tasks has ended; another process opens it, and then runs it again from the top: all are hits.
void open_run(const std::string& path, const ptc::Engine& engine, std::uint64_t tasks) {
  TaskRun run(tasks, engine);
  run.run(*opened(path, SqliteMode::Group), ptc::DurableEnd::Ended);
  auto start = Clock::now();
  const auto store = opened(path, SqliteMode::Sync);
  run.run(*store, ptc::DurableEnd::EndedBefore);
  const double open_ms = seconds_since(start) * 1e3;
  const double before = cpu_seconds();
  run.run(*store, ptc::DurableEnd::Ended, nullptr, true);
  const double again_us = (cpu_seconds() - before) * 1e6 / static_cast<double>(tasks);
  std::printf("run of %llu tasks: opened in %.2f ms; again from the top %.1f us of CPU a task\n",
              static_cast<unsigned long long>(tasks), open_ms, again_us);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string folder = count > 1 ? arguments[1] : std::filesystem::temp_directory_path() / "ptc_store_bench";
  const std::uint64_t facts = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1'000'000;
  const std::uint64_t tasks = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 100'000;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const bool has_all = count <= 4;
  if (has_all) {
    compare_writes(folder);
    compare_calls(folder);
  }
  fill(folder + "/short.db", 1'000);
  fill(folder + "/long.db", facts);
  compare_caches(folder, facts);
  if (!has_all) return 0;
  look_up(folder + "/long.db", facts);
  compare_lengths(folder + "/short.db", folder + "/long.db");
  const ptc::Engine engine;
  compare_commits(folder, engine, tasks);
  for (std::uint64_t many = 10'000; many <= tasks; many *= 10) {
    open_run(folder + "/run-" + std::to_string(many) + ".db", engine, many);
  }
  std::filesystem::remove_all(folder);
}
