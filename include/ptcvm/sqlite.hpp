// Opens a store in one SQLite file. Link the component "sqlite" (ptcvm::sqlite).
//
// With a key ring, the store seals what it keeps (docs/sealing.md):
//
//   auto keys = std::make_shared<ptcvm::KeyRing>(ptcvm::KeyRing::load("ring.json").value());
//   auto store = ptcvm::open_sqlite("runs.db", {.keys = keys, .tenant = "acme"});
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ptcvm/sealing.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm {

// Says what a crash of the machine can take back. A crash of the process takes back nothing.
enum class Durability : std::uint8_t {
  Sync,     // a write is on the disk when the call returns
  Group,    // the writes of a window share one sync; a crash can take back the last window, and nothing before it
};

// Says how a file is opened.
struct SqliteOptions {
  Durability durability = Durability::Sync;       // see Durability
  std::chrono::milliseconds window{5};            // the length of a window, for Group
  std::chrono::milliseconds busy_timeout{5'000};  // how long a call waits for other processes
  // The ring that seals each log with what is parked, and checks it: a log that somebody without the ring has changed
  // is refused with seal_refused. Do not change the ring afterwards. With a null pointer nothing is sealed, and sealed
  // logs can be read and not written (keys_needed).
  std::shared_ptr<const KeyRing> keys = {};
  std::string tenant = "default";                 // whose logs these are; the logs of others are refused
  std::function<std::int64_t()> key_clock = {};   // ms since 1970, for the validity of keys; default: the system clock
};

// Error::detail of a seal_refused names the reason: one of sealing.hpp, or
//
//   not_sealed       the log was begun without a ring
//   keys_needed      the log is sealed, and the store was opened without a ring
//   fact_changed     a fact, its key or an index was edited, or a fact was added or exchanged
//   fact_missing     a fact was removed
//   parked_changed   the parked state was edited, exchanged or removed
//   claim_changed    the claim was edited
//   rolled_back      the log is older than it was when this store looked before

// Opens a file, and creates the file when it does not exist. Error: store_failed; the message says why.
PTCVM_API Result<Store> open_sqlite(const std::string& path, const SqliteOptions& options = {});

}  // namespace ptcvm
