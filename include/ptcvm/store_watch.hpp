// Watches the writes of a store: to count them, to measure them, or to kill a process at one of them (crash_kit.hpp).
//
//   class Counter : public ptcvm::StoreWatcher {
//     void before_write(const ptcvm::StoreWrite&) override { ++count; }
//     …
//   };
//   Counter counter;
//   ptcvm::Store watched = ptcvm::watch_store(store, counter);
//   ptcvm::run_stored(engine, watched, tools, source, options);
#pragma once
#include <span>
#include <string_view>

#include "ptcvm/store.hpp"

namespace ptcvm {

// One write: a transaction of the store. The texts are valid during the call only.
struct StoreWrite {
  std::string_view run;    // whose log is written; "" for "flush", which concerns all logs
  // The key of the first fact, or its kind when the fact has no key; or "claim", "renew", "release", "park",
  // "resumed", "ended", "flush".
  std::string_view what;
  bool flushes = false;    // everything written so far is durable when the write has returned, in each Durability
};

// A fact with a key that this write added to the log. Store::log_json() shows the fact under the same key.
struct WrittenFact {
  std::string_view key, value;   // value: EDN, or "" for a fact without a value; valid during the call only
};

// Is told of each write. The functions are called on the thread that writes, and a store may have many threads.
class StoreWatcher {
 public:
  virtual ~StoreWatcher() = default;
  // Is called before the store is asked to write.
  virtual void before_write(const StoreWrite&) {}
  // Is called when the store has answered. `added` is empty for a write that failed, for a write that found all its
  // facts in the log already, and for writes that add no keyed facts.
  virtual void after_write(const StoreWrite&, std::span<const WrittenFact>) {}
};

// Returns a handle that tells `watcher` of each write and passes the write on to `store`. Writes through other handles
// are not seen. The watcher is not owned and must outlive the returned handle and all its copies.
PTCVM_API Store watch_store(const Store& store, StoreWatcher& watcher);

}  // namespace ptcvm
