// The journal of (task id expr) maps ids to values in the order of the commits, and keeps the changes since somebody
// looked.
//
// A host that keeps journals outside of the run takes the changes after each step, before anything else happens.
// Changes are not part of the state of the run, so a run with changes cannot be written. Values belong to the heap of
// the journal.
//
// A journal may be a part of a longer one that the host keeps: look_up() asks the host for entries that are not here.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vm/value/heap.h"

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
    Value value = Value::nil();   // owned; set by a commit
    std::string reason;           // set by a reset
    bool returned = false;        // true for a commit by a (return v) inside of the body, which ended the turn
    std::size_t operations = 0;   // how many operations had been opened before it
  };
  // What the journal of the host holds under an id: a value that the caller owns, or Absent. `returned` says that the
  // same turn ended there before, by a (return v), and runs again.
  struct Found {
    Value value = Value::absent();
    bool returned = false;
  };
  using Source = std::function<Found(std::string_view id)>;

  // Says whether a value may be committed: what is too large to be written out cannot be kept.
  using Rule = bool (*)(Heap& heap, Value borrowed);

  explicit Journal(Heap& heap) : heap_(heap) {}
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  const Value* find(std::string_view id) const;     // borrowed; null when the journal has no entry
  // Looks into the source, too, and keeps what the source has. Sets `returned` as the source says.
  const Value* look_up(std::string_view id, bool& returned);
  // Sets what each commit is asked, null for nothing. `refuses_unwritable` says that the journal can be written out.
  void set_rule(Rule rule, bool refuses_unwritable) {
    rule_ = rule;
    can_be_written_ = refuses_unwritable;
  }
  bool can_be_written() const { return can_be_written_; }
  bool may_commit(Value borrowed) const { return rule_ == nullptr || rule_(heap_, borrowed); }
  // Commits a value that may be committed. The first commit of an id wins. Change explains the other arguments.
  void commit(std::string_view id, Value taken, std::size_t operations, bool returned = false);
  void restore(std::string id, Value taken);        // adds a new id; this is not a change
  // Erases the entry, here or in the source, which is a change. Change explains `operations`.
  void reset(std::string_view id, std::string reason, std::size_t operations);
  bool erase(std::string_view id);                  // erases without a change
  void clear();
  const std::vector<Entry>& entries() const { return entries_; }
  // Returns about what an entry takes besides its value, while the tables grow: bytes that the account of the heap has
  // from the commit on.
  static std::uint64_t entry_bytes(std::string_view id) { return kEntryBytes + 2 * id.size(); }

  void keep_changes(bool wanted) { keeps_changes_ = wanted; }
  // Sets the source, which is asked for missing entries, except for entries that were reset while nobody took the
  // change.
  void set_source(Source source) { source_ = std::move(source); }
  std::vector<Change> take_changes();               // returns the changes in their order; the caller owns the values

 private:
  void count_record(std::int64_t bytes);
  // The index: a table of places in entries_, open addressed, with a slot of 0 for nobody. The table is searched by the
  // hashes of the ids beside it, so a search looks at one id, and growing looks at none: ids are all over the memory.
  static std::uint32_t hash_of(std::string_view id);
  std::size_t place_of(std::string_view id) const;   // entries_.size() when there is no such entry
  void index_entry(std::size_t place);
  void index_all(std::size_t slots);

  static constexpr std::size_t kFirstSlots = 16;
  static constexpr std::uint64_t kEntryBytes = 320;

  Heap& heap_;
  std::uint64_t record_bytes_ = 0;   // counts all entries, in the account of the heap
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> hashes_;   // one for the id of each entry, in the same order
  std::vector<std::uint32_t> slots_;    // 1 + a place; their number is a power of two, and half of them are free
  bool keeps_changes_ = false;
  std::vector<Change> changes_;
  Source source_;
  Rule rule_ = nullptr;
  bool can_be_written_ = false;
};

}  // namespace ptc
