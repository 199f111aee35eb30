// The asynchronous operations that a session knows: what a pending handle stands for.
//
// Entries are never removed while a run lives; they are found by id and listed in the order of their opening. What the
// host says about an operation (settle, progress) lands in its inbox side at once, but the program sees it only from
// the next suspension point on: deliver_all() moves what arrived to the visible side. So a program depends on the
// order of settlements between suspension points and on nothing else.
//
// Hazard: open() moves the entries; an Operation& dies with it.
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
  bool delivered = false;                  // the program may see status and result
  bool detached = false;                   // its task was committed or reset: no re-run attaches to it
  std::uint32_t resets_to_come = 0;        // of its task, before the program is where it started this one
  bool awaits_at_call = false;             // of an auto tool: the call itself waits, the program never sees a handle
  std::string tool;                        // "sleep" and "await-signal" for those kinds
  Value args = Value::nil();               // owned; a map with string keys
  Value immediate = Value::nil();          // owned; what a handle's fields read
  Value arrived_immediate = Value::absent();   // owned; progress in the inbox
  Value result = Value::nil();             // owned; when Ok
  std::string reason;                      // when Error or Cancelled
  std::uint64_t sequence = 0;              // order of settlement, from 1; 0 while waiting
  std::int64_t created_ms = 0;             // times are milliseconds since 1970, as the host gave them
  std::int64_t due_ms = 0;                 // Sleep: settles by itself; others: expires; 0: never
  std::string task_id;                     // of the innermost open task, or ""
  std::string call_path;                   // position of the call inside of the task, or of the run
  std::string key;                         // idempotency key given to the tool
};

std::string_view operation_kind_name(Operation::Kind kind);         // tool, sleep, signal
std::string_view operation_status_name(Operation::Status status);   // waiting, ok, error, cancelled, expired

class Operations {
 public:
  explicit Operations(Heap& heap) : heap_(heap) {}
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  const std::vector<Operation>& all() const { return all_; }   // in order of opening
  const Operation* find(std::string_view id) const;
  Operation* find(std::string_view id);
  // What the fields of a handle are read from: the visible immediate value, borrowed; nil when the id is unknown.
  Value immediate_of(std::string_view id) const;
  void reserve(std::size_t count) { all_.reserve(count); }
  // The id must be new. Takes the operation's values. Also how an operation is put back that was written out before.
  Operation& open(Operation taken);
  std::string fresh_id();                  // "op1", "op2", …: none that is in use
  std::uint32_t waiting_count() const { return waiting_; }
  // "call_1 (make_phone_call), call_2 (ask)": the last ones known, for messages.
  std::string known_text() const;

  // The operations that a task's body opened and that a re-run of it may attach to, in order of opening.
  std::vector<const Operation*> attachable(std::string_view task_id, std::string_view call_path) const;
  // What its body opened is done with: the task was committed.
  void detach_task(std::string_view task_id);
  // The same for a reset; those that come after it in the log may be attached to from now on.
  void reset_task(std::string_view task_id);

  // What the host says. Each wants a Waiting operation.
  void settle_ok(Operation& operation, Value taken_result);
  void settle_error(Operation& operation, std::string reason);
  void settle_cancelled(Operation& operation, std::string reason);
  void settle_expired(Operation& operation);
  void progress(Operation& operation, Value taken_immediate);
  // When it was started, if not when it was opened here: its end moves by as much. Of one that waits.
  void set_created(std::string_view id, std::int64_t created_ms);
  // Sleeps that are over end well, others that are too old expire; in the order of their times.
  void settle_due(std::int64_t now_ms);
  // Suspension point: everything that arrived becomes visible. False: nothing new.
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
  std::vector<Operation> all_;
  // Derived from all_, kept so that nothing above walks the whole table.
  TextMap<std::uint32_t> index_;
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> of_task_;   // not detached
  std::vector<std::uint32_t> inbox_;        // what deliver_all() has to look at
  std::uint32_t waiting_ = 0;
  std::int64_t earliest_due_ = INT64_MAX;   // of the waiting ones; may be too early
};

}  // namespace ptc
