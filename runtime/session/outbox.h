// What a turn did, as data, in the order in which it happened: prints, calls and their answers, commits, resets, opened
// and resolved operations, summaries, verdicts, and what each step led to.
//
// A reader gets each item when it happens, and may keep the item: everything in it is owned. Values live in the heap of
// the run, so the items that a reader keeps must be gone before their session is. Without a reader no item is made.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/calls/tools.h"
#include "schema/source_span.h"
#include "vm/builtins/operations.h"
#include "vm/exec/run.h"

namespace ptc {

// Owns one reference to a value, or holds nothing. Movable, unlike Owned.
class KeptValue {
 public:
  KeptValue() = default;
  KeptValue(Heap& heap, Value taken) : heap_(&heap), value_(taken) {}
  KeptValue(KeptValue&& moved) noexcept
      : heap_(std::exchange(moved.heap_, nullptr)), value_(std::exchange(moved.value_, Value::absent())) {}
  KeptValue& operator=(KeptValue&& moved) noexcept {
    std::swap(heap_, moved.heap_);
    std::swap(value_, moved.value_);
    return *this;
  }
  ~KeptValue() {
    if (heap_ != nullptr) heap_->release(value_);
  }

  explicit operator bool() const { return heap_ != nullptr; }
  Value get() const { return value_; }   // borrowed; absent when there is none
  Heap& heap() const { return *heap_; }  // when there is one

 private:
  Heap* heap_ = nullptr;
  Value value_ = Value::absent();
};

// What a step of a turn led to.
enum class SessionStep : std::uint8_t {
  Yielded,     // the fuel is used up, or a tool was served: step() goes on
  Waits,       // calls wait for the host: waiting_calls()
  Suspended,   // nothing goes on before an operation is resolved or a deadline passes
  Over,        // the turn is over, or there was none
};

struct OutboxItem {
  enum class Kind : std::uint8_t {
    Began,       // a turn: name is the name of the source
    Printed,     // text
    Called,      // a tool is called, or its call is handed to the host
    Answered,    // value, or error; operation: that the call started
    Retried,     // the call failed with error and is made again after pause_ms
    Committed,   // the task `id` has the value
    Reset,       // the task `id` must be done again, because of text
    Opened,      // the operation `id`
    Resolved,    // the operation `id` has another status; or value is what its handle shows meanwhile
    StepDone,    // the step `id` of the plan, with the summary text
    Judged,      // a hook said something about the call of key `id`: status, text, arguments as text in path
    Stepped,     // a step of the session is over: step
  };
  Kind kind{};
  std::string id, name, text, status, error, operation;
  std::string task, path, key;                 // of calls and operations
  KeptValue args, value;
  std::uint64_t call = 0, attempt = 0, micros = 0;
  std::int64_t pause_ms = 0;
  SourceSpan span{};
  bool cached = false, returned = false, waits = false;   // waits: the operation does
  SessionStep step{};
};

class OutboxReader {
 public:
  virtual ~OutboxReader() = default;
  virtual void read(OutboxItem item) = 0;
};

// What a session writes its items with.
class Outbox {
 public:
  void set_reader(OutboxReader* reader) { reader_ = reader; }   // not owned
  bool is_read() const { return reader_ != nullptr; }

  // What became of a call.
  struct Answer {
    Value borrowed = Value::absent();    // unless it failed
    std::string_view error = {};         // "" unless it failed
    bool cached = false;
    std::string_view operation = {};     // that the call started
    std::uint64_t micros = 0;
  };

  void began(std::string_view source_name);
  void printed(std::string_view text);
  void called(const ToolRequest& request, Heap& heap, std::uint64_t attempt);
  void answered(const ToolRequest& request, Heap& heap, const Answer& answer);
  void retried(const ToolRequest& request, Heap& heap, std::string_view error, std::uint64_t attempt,
               std::int64_t pause_ms, std::uint64_t micros);
  void committed(std::string_view task, Heap& heap, Value borrowed, bool returned);
  void reset(std::string_view task, std::string_view reason);
  void opened(const Operation& operation, Heap& heap);
  void resolved(const Operation& operation, Heap& heap);
  void step_done(std::string_view step, std::string_view summary);
  void judged(std::string_view key, const Approval& approval);
  void stepped(SessionStep step);

 private:
  void write(OutboxItem item) const { reader_->read(std::move(item)); }

  OutboxReader* reader_ = nullptr;
};

}  // namespace ptc
