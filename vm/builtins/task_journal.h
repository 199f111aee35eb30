// The journal of (task id expr): id -> value in the order of the commits, and what changed since somebody looked.
//
// Whoever keeps journals outside of the run asks for changes and takes them after each step, before anything else
// happens; they are no part of the run's state, so a run is not written while there are some. Values belong to the
// journal's heap.
//
// A journal may be a part of a longer one that the host keeps: what is not here is looked for there (look_up).
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vm/value/heap.h"
#include "vm/value/text_map.h"

namespace ptc {

class Journal {
 public:
  struct Entry {
    std::string id;
    Value value;      // owned
  };
  struct Change {
    enum class Kind : std::uint8_t { Commit, Reset };
    Kind kind{};
    std::string id;
    Value value = Value::nil();   // owned; of a commit
    std::string reason;           // of a reset
    bool returned = false;        // a commit by a (return v) inside of the task's body, which ended the turn
    std::size_t operations = 0;   // how many had been opened before it
  };
  // What the host's journal holds under an id; the value is owned by the caller, absent: nothing. `returned`: the same
  // turn came to it before, by a (return v), and runs again.
  struct Found {
    Value value = Value::absent();
    bool returned = false;
  };
  using Source = std::function<Found(std::string_view id)>;

  explicit Journal(Heap& heap) : heap_(heap) {}
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  const Value* find(std::string_view id) const;     // borrowed; null: no entry here
  // The same, also in the source; what is found there is kept here. `returned` is set as the source says.
  const Value* look_up(std::string_view id, bool& returned);
  // The first commit of an id wins. `operations`, `returned`: as in Change.
  void commit(std::string_view id, Value taken, std::size_t operations, bool returned = false);
  void restore(std::string id, Value taken);        // an id that is not there; no change
  // Erases it, here or in the source: a change. `operations`: as in Change.
  void reset(std::string_view id, std::string reason, std::size_t operations);
  bool erase(std::string_view id);                  // no change
  void clear();
  const std::vector<Entry>& entries() const { return entries_; }
  // About what the entries take beside their values: no part of the heap, but to be held against its limit.
  std::uint64_t record_bytes() const { return entries_.size() * kEntryBytes + id_bytes_; }

  void keep_changes(bool wanted) { keeps_changes_ = wanted; }
  // Asked for what is not here, unless it was reset and nobody took the change yet.
  void set_source(Source source) { source_ = std::move(source); }
  std::vector<Change> take_changes();               // in their order; the values are the caller's

 private:
  static constexpr std::uint64_t kEntryBytes = 192;

  Heap& heap_;
  std::uint64_t id_bytes_ = 0;
  std::vector<Entry> entries_;
  TextMap<std::size_t> index_;   // in entries_
  bool keeps_changes_ = false;
  std::vector<Change> changes_;
  Source source_;
};

}  // namespace ptc
