#include "runtime/log/postgres/postgres_schema.h"

#include <array>

#include "postgres_sql_generated.h"
#include "runtime/log/postgres/postgres_calls.h"

namespace ptc {
namespace {

using Kind = StoreError::Kind;

// The n-th step turns tables of version n into tables of version n + 1. Functions are made anew each time.
constexpr std::array<const char*, kPostgresStoreVersion> kSteps{k_tables_1, k_tables_2, k_tables_3, k_tables_4,
                                                                k_tables_5, k_tables_6, k_tables_7, k_tables_8,
                                                                k_tables_9, k_tables_10, k_tables_11, k_tables_12,
                                                                k_tables_13};

// The last one takes rights away from everybody.
constexpr std::array kFunctions{k_opening_functions, k_queue_functions, k_bulk_functions, k_enqueue_functions,
                                k_functions};

constexpr char kHasMeta[] = "SELECT to_regclass('ptcvm.meta') IS NOT NULL";
constexpr char kVersion[] = "SELECT version FROM ptcvm.meta";
constexpr char kCallerVersion[] = "SELECT * FROM ptcvm.store_version()";
// Keeps two migrations apart until the end of the transaction.
constexpr char kLock[] = "SELECT pg_advisory_xact_lock(5788043)";

// The transaction ends with the connection, so what fails on the way leaves nothing.
StoreResult<int> migrate(PostgresConnection& connection) {
  if (auto error = connection.execute(std::string("BEGIN; ") + kLock)) return *std::move(error);
  auto has_meta = connection.look(kHasMeta, {});
  if (auto* failure = std::get_if<PostgresFailure>(&has_meta)) return std::move(failure->error);
  int version = 0;
  if (std::get<PostgresRows>(has_meta).boolean_at(0, 0)) {
    auto found = connection.look(kVersion, {});
    if (auto* failure = std::get_if<PostgresFailure>(&found)) return std::move(failure->error);
    version = static_cast<int>(std::get<PostgresRows>(found).integer_at(0, 0));
  } else if (auto error = connection.execute("CREATE SCHEMA IF NOT EXISTS ptcvm")) {
    return *std::move(error);
  }
  if (version > kPostgresStoreVersion) {
    return StoreError{Kind::Version, "the store has version " + std::to_string(version) +
                                         ", this program knows up to " + std::to_string(kPostgresStoreVersion) +
                                         ": use a newer ptcvm"};
  }
  for (std::size_t step = static_cast<std::size_t>(version); step < kSteps.size(); ++step) {
    if (auto error = connection.execute(kSteps[step])) return *std::move(error);
  }
  for (const char* const functions : kFunctions) {
    if (auto error = connection.execute(functions)) return *std::move(error);
  }
  const std::string known = std::to_string(kPostgresStoreVersion);
  if (auto error = connection.execute("UPDATE ptcvm.meta SET version = " + known + "; COMMIT")) {
    return *std::move(error);
  }
  return version;
}

// One row of settings, each a boolean: what is wrong with the server.
constexpr char kSettings[] =
    "SELECT current_setting('fsync') = 'off', current_setting('full_page_writes') = 'off', "
    "current_setting('synchronous_commit') = 'off', pg_is_in_recovery(), "
    "current_setting('transaction_read_only') = 'on' AND NOT pg_is_in_recovery(), "
    "current_setting('server_version_num')::int8 < 150000, "
    "EXISTS (SELECT FROM pg_catalog.pg_stat_replication WHERE sync_state = 'async'), "
    "current_setting('default_transaction_isolation') <> 'read committed'";
std::array<PostgresFinding, 8> findings() {
  return {{{true, "fsync is off: a crash of the machine loses what was committed. Set fsync = on"},
           {true, "full_page_writes is off: a crash of the machine can damage the store. Set full_page_writes = on"},
           {true, "synchronous_commit is off for this role: a crash takes back commits. Set synchronous_commit = on"},
           {true, "the server is a standby and takes no writes. Connect to the primary"},
           {true, "this role or database can only read. Set default_transaction_read_only = off"},
           {true, "the server is older than PostgreSQL 15"},
           {false, "a standby is asynchronous: after a failover to it, the last commits are gone"},
           {false, "default_transaction_isolation is not read committed: calls may fail with serialization errors"}}};
}

}   // namespace

std::string postgres_sql() {
  std::string out = "begin;\ncreate schema if not exists ptcvm;\n\n";
  for (const char* const step : kSteps) out += step;
  const std::string known = std::to_string(kPostgresStoreVersion);
  out += "update ptcvm.meta set version = " + known + ";\n";
  for (const char* const functions : kFunctions) out += '\n' + std::string(functions);
  return out + "\ncommit;\n";
}

StoreResult<int> migrate_postgres(const std::string& url) {
  auto opened = PostgresConnection::open(url);
  if (auto* error = std::get_if<StoreError>(&opened)) return std::move(*error);
  return migrate(*std::get<std::unique_ptr<PostgresConnection>>(opened));
}

std::optional<StoreError> check_postgres_version(PostgresCalls& calls) {
  auto answer = calls.look(kCallerVersion, {});
  if (auto* error = std::get_if<StoreError>(&answer)) return std::move(*error);
  const std::int64_t version = std::get<PostgresRows>(answer).integer_at(0, 0);
  if (version == kPostgresStoreVersion) return std::nullopt;
  return StoreError{Kind::Version,
                    "the store has version " + std::to_string(version) + ", this program needs version " +
                        std::to_string(kPostgresStoreVersion) +
                        (version < kPostgresStoreVersion ? ": run `ptcvm store migrate`" : ": use a newer ptcvm")};
}

StoreResult<std::vector<PostgresFinding>> examine_postgres(const std::string& url) {
  auto opened = PostgresConnection::open(url);
  if (auto* error = std::get_if<StoreError>(&opened)) return std::move(*error);
  auto answer = std::get<std::unique_ptr<PostgresConnection>>(opened)->look(kSettings, {});
  if (auto* failure = std::get_if<PostgresFailure>(&answer)) return std::move(failure->error);
  std::vector<PostgresFinding> out;
  const auto all = findings();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::get<PostgresRows>(answer).boolean_at(0, static_cast<int>(i))) out.push_back(all[i]);
  }
  return out;
}

}   // namespace ptc
