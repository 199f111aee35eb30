// Keeps a store in a PostgreSQL database (version 15 or later), for any number of processes on any machines.
//
// Each call is one function of the database (functions.sql), one round trip and one transaction under READ COMMITTED.
// Nothing is kept in a session. A call returns when its transaction is committed; how durable that is says the server
// (examine_postgres() in postgres_schema.h).
//
// Claims: a claim has a token and a nonce, which only this object knows. Every write under the claim is fenced by both,
// under a lock of the row of the run: when another claim is committed, no write of an older one is. A server that was
// replaced by an older copy of itself may give a token again, and never a nonce. A token works only with the store
// object that claimed it.
//
// A write whose connection breaks is asked about until its fate is known: its facts carry a number of the write. Only
// when the patience is over before that, the error is Unknown. The claim stays with this object: it can be given back,
// and another write under it fences the first one.
//
// Time: leases and deadlines go by the clock of the database, whatever "now" the caller has (PostgresClock).
// A claim whose lease is over is given to the next one, unless its process lives on this machine (living_claims.h).
//
// With a sealer, logs are sealed (postgres_seals.h): a log that somebody without the key ring has changed is refused
// with Seal. Lists of runs and jobs are not checked. Without one, sealed logs can be read and not written.
//
// Ids of logs have at most kMaxPostgresLogBytes bytes. Do not use a store across fork().
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/log/fact_store.h"
#include "runtime/log/listing_store.h"
#include "runtime/log/log_seal.h"
#include "runtime/log/postgres/postgres_calls.h"

namespace ptc {

inline constexpr std::size_t kMaxPostgresLogBytes = 2'000;   // what an index of PostgreSQL surely takes

enum class PostgresClock : std::uint8_t {
  Database,   // ignores the "now" of callers
  Caller,     // for tests with a clock of their own
};

struct PostgresOptions {
  std::size_t connections = 4;                  // calls that are made at once, at most
  std::chrono::milliseconds patience{10'000};   // how long a call waits for a server that is away
  PostgresClock clock = PostgresClock::Database;
  std::shared_ptr<const LogSealer> sealer = nullptr;   // null: logs are not sealed
};

struct FactColumns;

// Each returns Misuse, or nullopt. PostgreSQL takes messages of 1 GiB, and closes the connection of a longer one.
std::optional<StoreError> check_postgres_log(std::string_view log);
std::optional<StoreError> check_postgres_message(const FactColumns& facts, const Parked* run);

class PostgresQueue;
class PostgresSeals;
struct NextSeal;

class PostgresStore final : public FactStore, public OverviewSource {
 public:
  ~PostgresStore() override;
  RunQueue* queue() override;
  // `url` is a URL or a connection string of libpq. The store must be there (migrate_postgres()).
  static StoreResult<std::unique_ptr<PostgresStore>> open(const std::string& url, const PostgresOptions& options = {});

  StoreResult<std::vector<Fact>> open_calls(std::string_view log) override;
  StoreResult<Opening> opening(std::string_view log) override;   // in postgres_opening.cpp
  StoreResult<std::optional<Fact>> find(std::string_view log, std::string_view key) override;
  StoreResult<std::optional<RunInfo>> info(std::string_view log) override;
  StoreResult<std::optional<Parked>> parked(std::string_view log) override;
  StoreResult<std::vector<Fact>> read_notable(std::string_view log, std::uint64_t after, std::size_t most) override;
  StoreResult<std::vector<std::string>> woken(std::int64_t now_ms, std::size_t most) override;
  StoreResult<std::vector<Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) override;
  StoreResult<std::vector<RunInfo>> runs(std::string_view after, std::size_t most) override;
  StoreResult<std::vector<Overview>> overviews(std::string_view after,
                                               std::size_t most) override;   // in postgres_opening.cpp

  StoreResult<Written> ended(std::string_view log, Cut cut, std::span<const Fact> facts) override;
  StoreResult<std::optional<Written>> end_job(std::string_view log, Cut cut, const Fact& end,
                                              std::int64_t now_ms) override;   // in postgres_ends.cpp
  StoreResult<ParkResult> park(std::string_view log, Cut cut, std::span<const Fact> facts, const Parked& run) override;
  StoreResult<Written> put(std::string_view log, Cut cut, std::span<const Fact> facts,
                           Durability durability = Durability::AsMode) override;
  StoreResult<Decided> decide(std::string_view log, Cut cut, std::span<const Fact> facts) override;
  StoreResult<Written> resumed(std::string_view log, Cut cut, std::span<const Fact> facts) override;
  StoreResult<Written> depart(std::string_view log, Cut cut, const Fact& moved) override;
  StoreResult<bool> arrive(const Arrival& run, std::int64_t now_ms) override;             // in postgres_moves.cpp
  StoreResult<bool> settle_departure(std::string_view log, std::string_view key) override;   // and this
  StoreResult<std::monostate> flush() override { return std::monostate{}; }   // every call is durable already

  StoreResult<bool> release(std::string_view log, std::uint64_t token) override;
  StoreResult<bool> renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                          std::int64_t lease_ms) override;
  StoreResult<Claim> claim(std::string_view log, std::string_view owner, std::int64_t now_ms, std::int64_t lease_ms,
                           std::optional<std::uint64_t> dead = std::nullopt) override;

  std::uint64_t reconnects() const { return calls_.reconnects(); }   // connections that broke

 private:
  friend class PostgresQueue;
  PostgresStore(const std::string& url, const PostgresOptions& options);
  bool has_ring() const { return seals_ != nullptr; }

  StoreResult<ParkResult> write(std::int16_t call, std::string_view log, Cut cut, std::span<const Fact> facts,
                                const Parked* run);
  struct OneWrite;
  StoreResult<ParkResult> write_once(const OneWrite& given, const NextSeal* seal);
  StoreResult<ParkResult> write_sealed(const OneWrite& given);
  template <class T, class Read>
  StoreResult<T> checked(std::string_view log, Read read);
  StoreResult<std::optional<Parked>> unchecked_parked(std::string_view log);
  StoreResult<Opening> checked_opening(std::string_view log);
  StoreResult<Written> written(std::int16_t call, std::string_view log, Cut cut, std::span<const Fact> facts);
  StoreError left(std::string_view log);   // RunMoved, with the place of the other store
  StoreResult<std::vector<Fact>> facts_after(std::string_view log, std::uint64_t after, std::size_t most, bool notable);
  StoreResult<std::vector<RunInfo>> infos(std::string_view after, std::optional<std::size_t> most);
  std::optional<std::int64_t> now(std::int64_t of_caller) const;

  // The claims of this object. A claim has one of its nonces. After a write whose fate was not found out, which may
  // still come, the claim is doubtful: the next write gives it another nonce, which fences that write.
  struct Held {
    std::uint64_t token = 0;
    std::vector<PostgresUuid> nonces;
    bool is_doubtful = false;
  };
  Held held(std::string_view log, std::uint64_t token) const;   // without nonces: not of this object
  void keep(std::string_view log, Held claim);
  // Both leave a newer claim alone, which another thread may have got meanwhile.
  void keep_still(std::string_view log, Held claim);
  void forget(std::string_view log, std::uint64_t token);

  PostgresCalls calls_;
  const PostgresClock clock_;
  const std::unique_ptr<PostgresQueue> queue_;
  const std::unique_ptr<PostgresSeals> seals_;      // null without a ring
  mutable std::mutex mutex_;
  std::map<std::string, Held, std::less<>> held_;   // by log; under mutex_
};

}   // namespace ptc
