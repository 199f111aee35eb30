// Keeps the asynchronous operations of a session. A pending handle names one of them.
//
// Entries are never removed while a run lives. They are found by id and listed in the order in which they were opened.
// What the host says about an operation (settle, progress) goes to the inbox at once, and the program sees it from the
// next suspension point on: deliver_all() makes arrived answers visible. So a program depends on the order of
// settlements between suspension points and on nothing else.
//
// Hazard: open() moves the entries, so an Operation& is invalid after it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "vm/value/heap.h"
#include "vm/value/text_map.h"

namespace ptc {

struct Operation {
  enum class Kind : std::uint8_t { Tool, Sleep, Signal };
  enum class Status : std::uint8_t { Waiting, Ok, Error, Cancelled, Expired };

  std::string id;
  Kind kind = Kind::Tool;
  Status status = Status::Waiting;
  bool delivered = false;                  // true when the program may see status and result
  bool detached = false;   // true when its task was committed or reset, so no re-run attaches to the operation
  std::uint32_t resets_to_come = 0;        // resets of its task that come before the program started this operation
  bool awaits_at_call = false;             // true for an auto tool: the call waits, and the program never sees a handle
  std::string tool;                        // the name of the tool; "sleep" and "await-signal" for the other kinds
  Value args = Value::nil();               // owned; a map with string keys
  Value immediate = Value::nil();          // owned; the fields of a handle read it
  Value arrived_immediate = Value::absent();   // owned; progress in the inbox
  Value result = Value::nil();             // owned; set when the status is Ok
  std::string reason;                      // set when the status is Error or Cancelled
  std::uint64_t sequence = 0;              // the place in the order of settlement, from 1; 0 while waiting
  std::int64_t created_ms = 0;             // all times are milliseconds since 1970 of the host
  std::int64_t due_ms = 0;                 // when a sleep settles and another operation expires; 0 means never
  std::string task_id;                     // the innermost open task, or ""
  std::string call_path;                   // the position of the call inside of the task or the run
  std::string key;                         // the idempotency key that the tool got
};

std::string_view operation_kind_name(Operation::Kind kind);         // returns tool, sleep or signal
std::string_view operation_status_name(Operation::Status status);   // returns waiting, ok, error, cancelled or expired

class Operations {
 public:
  explicit Operations(Heap& heap) : heap_(heap) {}
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  const std::vector<Operation>& all() const { return all_; }   // in order of opening
  const Operation* find(std::string_view id) const;
  Operation* find(std::string_view id);
  // Returns the visible immediate value, which the fields of a handle read; borrowed. Returns nil when the id is
  // unknown.
  Value immediate_of(std::string_view id) const;
  void reserve(std::size_t count) { all_.reserve(count); }
  // Returns what an operation takes besides its values, which open() counts as memory of the run.
  static std::uint64_t record_bytes_of(const Operation& operation);
  // Opens an operation, whose id must be new, and takes its values. Restoring a run uses open(), too.
  Operation& open(Operation taken);
  // Counts memory that the host takes for an operation as memory of the run, as long as the operations live.
  void count_record(std::uint64_t bytes) {
    record_bytes_ += bytes;
    heap_.account(static_cast<std::int64_t>(bytes));
  }
  Heap& heap() const { return heap_; }
  std::string fresh_id();                  // returns an unused "op1", "op2", …
  std::uint32_t waiting_count() const { return waiting_; }
  // Returns the last operations for messages: "call_1 (make_phone_call), call_2 (ask)".
  std::string known_text() const;

  // Returns the operations that the body of a task opened and that a re-run of it may attach to, in the order in which
  // they were opened.
  std::vector<const Operation*> attachable(std::string_view task_id, std::string_view call_path) const;
  // Ends attaching to the operations of a committed task.
  void detach_task(std::string_view task_id);
  // Ends attaching for a reset. A re-run may attach to operations that come after the reset in the log.
  void reset_task(std::string_view task_id);

  // Record what the host says. Each function needs a Waiting operation.
  void settle_ok(Operation& operation, Value taken_result);
  void settle_error(Operation& operation, std::string reason);
  void settle_cancelled(Operation& operation, std::string reason);
  void settle_expired(Operation& operation);
  void progress(Operation& operation, Value taken_immediate);
  // Sets when a waiting operation was started, if that differs from when it was opened here. Its end moves by the same
  // time.
  void set_created(std::string_view id, std::int64_t created_ms);
  // Ends sleeps that are over, and expires other operations that are too old, in the order of their times.
  void settle_due(std::int64_t now_ms);
  // Makes everything that arrived visible, at a suspension point. Returns false when there is nothing new.
  bool deliver_all();

  void clear();
  std::uint64_t last_sequence = 0;
  std::uint64_t last_fresh_id = 0;

 private:
  std::uint32_t index_of(const Operation& operation) const {
    return static_cast<std::uint32_t>(&operation - all_.data());
  }
  void settle(Operation& operation, Operation::Status status);

  Heap& heap_;
  std::uint64_t record_bytes_ = 0;         // in the account of the heap
  std::uint64_t text_bytes_ = 0;           // what its records of operations count
  std::vector<Operation> all_;
  // These members follow from all_. They keep the functions above from walking the whole table.
  TextMap<std::uint32_t> index_;
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> of_task_;   // operations that are not detached
  std::vector<std::uint32_t> inbox_;        // the operations that deliver_all() must visit
  std::uint32_t waiting_ = 0;
  std::int64_t earliest_due_ = INT64_MAX;   // the earliest time of a waiting operation; may be too early
};

}  // namespace ptc
