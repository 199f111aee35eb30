// Keeps a store in one SQLite file, for any number of threads and processes.
//
// Sync    a call returns when its facts are on the disk: one transaction for each call, write-ahead log, fsync.
// Group   the calls of a window are one transaction. The first write opens the window. The window becomes durable
//         `group_window` later, by a write with Durability::Now, by flush(), or when the store is destroyed. A crash
//         takes back the writes of the last window, always a tail of each log. This store sees its own writes at once.
//         Other processes see them when they are durable, and wait with their own writes until then. When a window
//         cannot be made durable, every later call fails with its error: open the store and read the logs again.
// Memory  nothing is kept, and there is no file. For tests.
//
// After a failed commit the store overwrites the possible remains of the commit, so that a crash cannot bring it back.
// Only when that fails, too, the error is Unknown; the store then tries again before it answers anything else.
//
// When the file or its write-ahead log is removed, renamed or replaced, the next commit or flush() fails with Moved.
//
// With a sealer, logs are sealed (sqlite_seals.h): a log that somebody without the key ring has changed is refused with
// Seal. Lists of runs are not checked.
//
// One mutex guards one connection: a reader waits for the fsync of the writer. Processes that open a file must be able
// to share memory (WAL), so network file systems do not work. Do not use a store across fork().
#pragma once
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/log/fact_store.h"
#include "runtime/log/log_seal.h"
#include "runtime/log/sqlite/store_place.h"

namespace ptc {

class SqliteConnection;
class SqliteQueue;
class SqliteSeals;
enum class SealCheck : std::uint8_t;

enum class SqliteMode : std::uint8_t { Sync, Group, Memory };

struct SqliteOptions {
  SqliteMode mode = SqliteMode::Sync;
  std::chrono::milliseconds group_window{5};
  std::chrono::milliseconds busy_timeout{5'000};   // how long a call waits before it fails with Locked
  const char* vfs = nullptr;                       // the name of a VFS of SQLite; null for the usual one
  std::shared_ptr<const LogSealer> sealer = nullptr;   // null: logs are not sealed
  // Pages of the file that stay in memory, in KiB. They count in no run, so the cache is small.
  unsigned cache_kib = 2'048;
};

class SqliteStore final : public FactStore {
 public:
  static StoreResult<std::unique_ptr<SqliteStore>> open(const std::string& path, const SqliteOptions& options = {});
  ~SqliteStore() override;

  RunQueue* queue() override;   // null for a sealed store: seals say nothing about jobs

  StoreResult<Written> put(std::string_view log, Cut cut, std::span<const Fact> facts,
                           Durability durability = Durability::AsMode) override;
  StoreResult<Written> resumed(std::string_view log, Cut cut, std::span<const Fact> facts) override;
  StoreResult<Written> ended(std::string_view log, Cut cut, std::span<const Fact> facts) override;
  StoreResult<std::optional<Written>> end_job(std::string_view log, Cut cut, const Fact& end,
                                              std::int64_t now_ms) override;
  StoreResult<Decided> decide(std::string_view log, Cut cut, std::span<const Fact> facts) override;
  StoreResult<ParkResult> park(std::string_view log, Cut cut, std::span<const Fact> facts, const Parked& run) override;
  StoreResult<std::vector<Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) override;
  StoreResult<std::optional<Fact>> find(std::string_view log, std::string_view key) override;
  StoreResult<std::vector<Fact>> read_notable(std::string_view log, std::uint64_t after, std::size_t most) override;
  StoreResult<std::vector<Fact>> open_calls(std::string_view log) override;
  StoreResult<std::optional<Parked>> parked(std::string_view log) override;
  StoreResult<std::optional<RunInfo>> info(std::string_view log) override;
  StoreResult<std::vector<RunInfo>> runs(std::string_view after, std::size_t most) override;
  StoreResult<std::vector<std::string>> woken(std::int64_t now_ms, std::size_t most) override;
  StoreResult<Claim> claim(std::string_view log, std::string_view owner, std::int64_t now_ms, std::int64_t lease_ms,
                           std::optional<std::uint64_t> dead = std::nullopt) override;
  StoreResult<bool> renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                          std::int64_t lease_ms) override;
  StoreResult<bool> release(std::string_view log, std::uint64_t token) override;
  // These are in sqlite_moves.cpp.
  StoreResult<bool> settle_departure(std::string_view log, std::string_view key) override;
  StoreResult<bool> arrive(const Arrival& run, std::int64_t now_ms) override;
  StoreResult<Written> depart(std::string_view log, Cut cut, const Fact& moved) override;

  StoreResult<std::monostate> flush() override;

 private:
  friend class SqliteQueue;
  explicit SqliteStore(const SqliteOptions& options);
  std::optional<StoreError> start(const std::string& path);

  template <class T, class Body>
  StoreResult<T> write(Body body, Durability durability);   // under the mutex
  template <class Body>
  StoreResult<Written> write_under(std::string_view log, Cut cut, Durability durability, Body body);
  template <class T, class Body>
  StoreResult<T> write_log(std::string_view log, SealCheck extent, Durability durability, Body body);
  template <class T, class Body>
  StoreResult<T> look(Body body);
  template <class T, class Body>
  StoreResult<T> look_at_log(std::string_view log, Body body);
  std::optional<StoreError> ready();
  std::optional<StoreError> begin();
  std::optional<StoreError> finish(bool keep, Durability durability);
  std::optional<StoreError> commit();
  bool settle();
  void roll_back();
  void flush_windows();

  const SqliteOptions options_;
  std::unique_ptr<SqliteConnection> connection_;
  std::unique_ptr<SqliteSeals> seals_;
  std::unique_ptr<SqliteQueue> queue_;
  StorePlace place_;
  std::mutex mutex_;                          // guards everything below and the connection
  bool unsettled_ = false;                    // a failed commit may still be in the file
  std::optional<StoreError> lost_;            // Group: the error of a lost window
  bool stopping_ = false;
  std::chrono::steady_clock::time_point window_end_;
  std::condition_variable changed_;
  std::thread flusher_;                       // Group
};

}  // namespace ptc
