// The asynchronous operations that a session knows: what a pending handle stands for.
//
// Entries are never removed while a run lives; they are found by id and listed in the order of their opening. What the
// host says about an operation (settle, progress) lands in its inbox side at once, but the program sees it only from
// the next suspension point on: deliver_all() moves what arrived to the visible side. So a program depends on the
// order of settlements between suspension points and on nothing else.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vm/value/heap.h"

namespace ptc {

struct Operation {
  enum class Kind : std::uint8_t { Tool, Sleep, Signal };
  enum class Status : std::uint8_t { Waiting, Ok, Error, Cancelled, Expired };

  std::string id;
  Kind kind = Kind::Tool;
  Status status = Status::Waiting;
  bool delivered = false;                  // the program may see status and result
  bool detached = false;                   // its task was reset: no re-run attaches to it
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

class Operations {
 public:
  explicit Operations(Heap& heap) : heap_(heap) {}
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  const std::vector<Operation>& all() const { return all_; }   // in order of opening
  const Operation* find(std::string_view id) const;
  Operation* find(std::string_view id);
  // The id must be new. Takes the operation's values.
  Operation& open(Operation taken);
  std::string fresh_id();                  // "op1", "op2", …: none that is in use
  std::uint32_t waiting_count() const;

  // What the host says. Each wants a Waiting operation.
  void settle_ok(Operation& operation, Value taken_result);
  void settle_error(Operation& operation, std::string reason);
  void settle_cancelled(Operation& operation, std::string reason);
  void settle_expired(Operation& operation);
  void progress(Operation& operation, Value taken_immediate);
  // Suspension point: everything that arrived becomes visible.
  void deliver_all();

  void clear();
  std::uint64_t last_sequence = 0;
  std::uint64_t last_fresh_id = 0;

 private:
  void settle(Operation& operation, Operation::Status status);

  Heap& heap_;
  std::vector<Operation> all_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace ptc
