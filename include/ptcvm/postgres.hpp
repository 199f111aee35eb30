// Opens a store in a PostgreSQL database, version 15 or later, for processes on any number of machines. Link the
// component "postgres" (ptcvm::postgres).
//
//   auto made = ptcvm::migrate_postgres("postgresql://app@db/runs");    // once, by the owner of the schema
//   auto store = ptcvm::open_postgres("postgresql://app@db/runs");
//
// A URL is one of libpq: postgresql://USER@HOST/DATABASE?sslmode=verify-full, or key=value words. Keep the password out
// of it: libpq reads PGPASSWORD and ~/.pgpass.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ptcvm/queues.hpp"
#include "ptcvm/sealing.hpp"
#include "ptcvm/store.hpp"

struct pg_conn;   // PGconn of libpq

namespace ptcvm {

// Says how a database is used.
struct PostgresOptions {
  std::size_t connections = 4;                    // the most connections, which are the most calls at once
  // How long a call waits for a server that is away or restarts, before it fails with store_failed.
  std::chrono::milliseconds patience{10'000};
  // The ring that seals each log with what is parked, and checks it: a log that somebody without the ring has changed
  // is refused with seal_refused (the names are in sqlite.hpp). Do not change the ring afterwards. With a null pointer
  // nothing is sealed, sealed logs can be read and not written (keys_needed), and a worker leaves sealed runs alone.
  std::shared_ptr<const KeyRing> keys = {};
  std::string tenant = "default";                 // whose logs these are; a run of a queue has the tenant of its job
  std::function<std::int64_t()> key_clock = {};   // ms since 1970, for the validity of keys; default: the system clock
};

// Opens the store of a database. Nothing is made or changed: store_failed with the detail store_version says that
// migrate_postgres() has to come first. Leases go by the clock of the database (docs/many-nodes.md).
PTCVM_API Result<Store> open_postgres(const std::string& url, const PostgresOptions& options = {});

// Makes the tables and functions, or brings older ones to this version, in one transaction. The role of the URL becomes
// their owner. Returns the version that was there before; 0: none. Error: store_failed.
PTCVM_API Result<int> migrate_postgres(const std::string& url);

// Returns what migrate_postgres() does to an empty database, as a script for psql.
PTCVM_API std::string postgres_sql();

// Something in the configuration of a server that weakens what the store promises.
struct PostgresFinding {
  bool is_refused = false;                        // true: do not use the store like this; false: a warning
  std::string message;                            // what is wrong, and what to do
};

// Looks at the server of a database. No finding: all is well. Error: store_failed, when the server does not answer.
PTCVM_API Result<std::vector<PostgresFinding>> check_postgres(const std::string& url);

// Writes jobs as enqueue() of <ptcvm/queues.hpp> does, over a connection of the host and in the transaction that is
// open there: what is rolled back was never enqueued, and no worker sees a job before the commit. The connection is not
// owned; its role must be granted the functions of the schema. Workers find the jobs when they look next.
// A failure of the database leaves the transaction of the host failed; a refusal (store_wrong_tenant, store_missing)
// leaves it as it was. Nothing is sealed here: a worker with a key ring gives up such a run as not_sealed.
// Errors: as of enqueue().
PTCVM_API Result<std::vector<bool>> enqueue(pg_conn* connection, const Engine& engine,
                                            std::span<const QueuedJob> jobs);
PTCVM_API Result<bool> enqueue(pg_conn* connection, const Engine& engine, const QueuedJob& job);

}  // namespace ptcvm
