// The parts of which the writes of the SQLite store are made. Each works in a transaction of the caller.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/log/sqlite/sqlite_tables.h"

namespace ptc {

// Returns RunMoved when the run went to another store.
std::optional<StoreError> departed(SqliteTables& tables, const RunRow& run);
// Returns Fenced when the token is of a claim that is not the newest, or was given back. Outsiders have the token 0.
std::optional<StoreError> fenced(const RunRow& run, std::uint64_t token);
// Returns the fact because of which decisions are refused.
std::optional<Fact> conflict(SqliteTables& tables, const RunRow& run, Cut cut, std::span<const Fact> facts);
// Returns the first fact for which a run would wait and which it has not seen.
std::optional<Fact> arrived(SqliteTables& tables, const RunRow& run, const Parked& parked);
// Returns what is in the log already, for a writer who has seen the log up to the cut.
Written seen(SqliteTables& tables, std::string_view log, std::uint64_t head, Cut cut);
// Appends what is new to what the writer is told. append_all() does so for decisions, whose keys are free.
void put_all(SqliteTables& tables, RunRow& run, std::uint64_t token, std::span<const Fact> facts, Written& out);
void append_all(SqliteTables& tables, RunRow& run, std::uint64_t token, std::span<const Fact> facts, Written& out);

}  // namespace ptc
