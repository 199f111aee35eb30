// Turns facts into parameters of the PostgreSQL store, and its rows into facts.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/postgres/postgres_connection.h"

namespace ptc {

// Returns what an index has of a key: the key, or a digest of a long one.
std::string indexed_key(std::string_view key);
// Returns 16 bytes that nobody has had before.
PostgresUuid fresh_uuid();
// Returns a number for a write: no other write of the same log will have had it.
std::int64_t fresh_op();

// The facts of a write as arrays of columns. `token` is the writer of the facts.
struct FactColumns {
  std::vector<std::optional<std::string>> keys, bodies, calls, tasks;
  std::vector<std::int64_t> times, attempts;
  std::vector<std::int16_t> ranks, marks;
};
void add_fact(FactColumns& out, const Fact& fact, std::uint64_t token);
FactColumns fact_columns(std::span<const Fact> facts, std::uint64_t token);
FactColumns fact_columns(std::span<const Fact> facts);   // with the writers that they have

// Add the parameters that facts have in the functions of the store, and that a parked run has, which may be null.
// The bytes of the snapshot are borrowed.
void add_facts(PostgresParameters& out, const FactColumns& facts);
void add_parked(PostgresParameters& out, const Parked* run);

// Reads rows of facts: their place in the column `seq`, their bytes in the next one. Error: Corrupt.
StoreResult<Fact> fact_in(const PostgresRows& rows, int row, int seq);
StoreResult<Fact> fact_of(std::uint64_t place, std::string_view body);
StoreResult<std::vector<Fact>> facts_in(const PostgresRows& rows);
// Reads a row of ptcvm.parked. These columns have the continuation, the deadline, the observed fact, the keys and the
// snapshot.
struct ParkedColumns {
  int continuation = 0, deadline = 0, observed = 0, keys = 0, snapshot = 0;
};
Parked parked_in(const PostgresRows& rows, int row, const ParkedColumns& at);
// Reads rows of ptcvm.runs(). Error: Corrupt.
StoreResult<std::vector<RunInfo>> infos_in(const PostgresRows& rows);
// The name of the refusal of a write to a log that is not what the writer has sealed (postgres_seals.h). It does not
// leave the store.
inline constexpr std::string_view kLogChanged = "log_changed";
// A fact as the log has it.
Fact written_fact(const Fact& given, std::uint64_t seq, std::uint64_t token);
// Reads the rows of ptcvm.write(). `facts` are what was written under the token of the cut. RunMoved has no message.
StoreResult<ParkResult> write_in(const PostgresRows& rows, std::string_view log, std::span<const Fact> facts, Cut cut);

}   // namespace ptc
