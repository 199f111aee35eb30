// The transactions of the SQLite store: what is begun before a call and ended behind it. For the sources of the store.
#pragma once
#include "runtime/log/sqlite/sqlite_seals.h"
#include "runtime/log/sqlite/sqlite_store.h"
#include "runtime/log/sqlite/sqlite_tables.h"
#include "runtime/log/sqlite/sqlite_writes.h"
#include "runtime/log/store_rules.h"

namespace ptc {

template <class T, class Body>
StoreResult<T> SqliteStore::write(Body body, Durability durability) {
  if (auto error = ready()) return *std::move(error);
  if (auto error = begin()) return *std::move(error);
  SqliteTables tables(*connection_);
  StoreResult<T> out = body(tables);
  if (auto error = finish(std::holds_alternative<T>(out), durability)) return *std::move(error);
  return out;
}

// `body` gets the run. The seal of the log is opened before and renewed behind.
template <class T, class Body>
StoreResult<T> SqliteStore::write_log(std::string_view log, SealCheck extent, Durability durability, Body body) {
  RunRow run;
  const auto whole = [&](SqliteTables& tables) -> StoreResult<T> {
    run = tables.run_named(log);
    if (auto refused = seals_->open_to_write(*connection_, run, extent)) return *std::move(refused);
    StoreResult<T> out = body(tables, run);
    if (!std::holds_alternative<T>(out)) return out;
    if (auto refused = seals_->close(tables, run)) return *std::move(refused);
    return out;
  };
  const std::lock_guard lock(mutex_);
  StoreResult<T> out = write<T>(whole, durability);
  if (std::holds_alternative<T>(out)) seals_->written(run);
  return out;
}

// `body` gets the run and what its writer is told, and adds what it writes. A refusal, or nothing.
template <class Body>
StoreResult<Written> SqliteStore::write_under(std::string_view log, Cut cut, Durability durability, Body body) {
  const auto whole = [&](SqliteTables& tables, RunRow& run) -> StoreResult<Written> {
    if (auto gone = departed(tables, run)) return *std::move(gone);
    if (auto wrong = fenced(run, cut.token)) return *std::move(wrong);
    const std::uint64_t head = tables.head(run);
    if (auto wrong = check_cut(head, cut)) return *std::move(wrong);
    Written told = seen(tables, log, head, cut);
    if (std::optional<StoreError> refused = body(tables, run, told)) return *std::move(refused);
    return told;
  };
  return write_log<Written>(log, SealCheck::Rest, durability, whole);
}

template <class T, class Body>
StoreResult<T> SqliteStore::look(Body body) {
  const std::lock_guard lock(mutex_);
  if (auto error = ready()) return *std::move(error);
  SqliteTables tables(*connection_);
  T out = body(tables);
  if (auto error = connection_->take_error()) return *std::move(error);
  return out;
}

// With a ring, the check and the body have to see the same moment.
template <class T, class Body>
StoreResult<T> SqliteStore::look_at_log(std::string_view log, Body body) {
  if (!seals_->has_ring()) {
    return look<T>([&](SqliteTables& tables) { return std::get<T>(StoreResult<T>(body(tables, RunRow()))); });
  }
  const std::lock_guard lock(mutex_);
  if (auto error = ready()) return *std::move(error);
  const bool is_own = !connection_->in_transaction();
  if (is_own) connection_->execute("BEGIN");
  SqliteTables tables(*connection_);
  RunRow run = tables.run_named(log);
  auto refused = seals_->open(*connection_, run, SealCheck::Rest);
  StoreResult<T> out = refused ? StoreResult<T>(*std::move(refused)) : StoreResult<T>(body(tables, run));
  auto error = connection_->take_error();
  if (is_own) roll_back();
  return error ? StoreResult<T>(*std::move(error)) : std::move(out);
}

}  // namespace ptc
