// The journal of (task id expr): id -> value in the order of the commits, and what changed since somebody looked.
//
// Whoever keeps journals outside of the run asks for changes and takes them after each step, before anything else
// happens; they are no part of the run's state, so a run is not written while there are some. Values belong to the
// journal's heap.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
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
  };

  explicit Journal(Heap& heap) : heap_(heap) {}
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  const Value* find(std::string_view id) const;     // borrowed; null: no entry
  void commit(std::string_view id, Value taken);    // first commit of an id wins
  void restore(std::string id, Value taken);        // an id that is not there; no change
  bool erase(std::string_view id);
  void clear();
  const std::vector<Entry>& entries() const { return entries_; }

  void keep_changes(bool wanted) { keeps_changes_ = wanted; }
  std::vector<Change> take_changes();               // in their order; the values are the caller's

 private:
  Heap& heap_;
  std::vector<Entry> entries_;
  TextMap<std::size_t> index_;   // in entries_
  bool keeps_changes_ = false;
  std::vector<Change> changes_;
};

}  // namespace ptc
