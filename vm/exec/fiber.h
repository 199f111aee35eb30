// A fiber: one thread of execution of a program, entirely as data.
//
// Everything that is live at a safe point lies in `stack` and `frames`; nothing is in C++ locals. Frames are records of
// a stack of their own; their registers lie in one array, windows overlapping: the arguments of a call are computed
// where the callee's first registers will be, and its result lands one below them (base - 1, the caller's window).
//
// Hazards: `stack` and `frames` move when they grow. Which registers of a frame are alive is known only through
// FrameStates (frame_states.h): a dead register holds stale bits that must not be looked at. Slots of a stepper frame
// are always all valid.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "schema/builtin_id.h"
#include "schema/fault_kind.h"
#include "schema/opcode.h"
#include "vm/value/value.h"

namespace ptc {

struct Closure;

struct Frame {
  enum class Kind : std::uint8_t { Bytecode, Stepper };
  // What Return has to look at; a call within one program of a callee that stays where it is has none of these.
  static constexpr std::uint8_t kOwnsCallee = 1;     // base[-1] holds a reference to the callee, given up at the end
  static constexpr std::uint8_t kOtherProgram = 2;   // the caller's code is of another program
  static constexpr std::uint8_t kAnyCaller = 4;      // not pushed by the interpreter for a bytecode frame: no offset

  const Instruction* pc;        // Bytecode: the next instruction (the one being executed while it is on top)
  const Closure* closure;       // Bytecode: the running function, kept alive by its caller. Stepper: null
  Value* base;                  // first register or slot. Growing the stack moves it
  Kind kind;
  std::uint8_t ending;
  bool borrows_callee;          // the caller holds the callee in a register or captured it
  std::uint8_t stage;           // Stepper: which step runs next
  union {
    std::uint16_t offset;       // Bytecode: from the caller's base to the callee's window, in bytes
    std::uint16_t slot_count;   // Stepper
  };
  BuiltinId builtin;            // Stepper

  bool owns_callee() const { return (ending & kOwnsCallee) != 0; }

  static Frame bytecode(const Instruction* entry, const Closure* closure, Value* base, bool owns_callee) {
    const std::uint8_t ending = owns_callee ? kAnyCaller | kOwnsCallee : kAnyCaller;
    return {entry, closure, base, Kind::Bytecode, ending, false, 0, {0}, {}};
  }
  static Frame stepper(BuiltinId builtin, Value* base, std::uint32_t slot_count, std::uint16_t stage,
                       bool owns_callee) {
    const std::uint8_t ending = owns_callee ? kAnyCaller | kOwnsCallee : kAnyCaller;
    return {nullptr, nullptr, base, Kind::Stepper, ending, false, static_cast<std::uint8_t>(stage),
            {static_cast<std::uint16_t>(slot_count)}, builtin};
  }
};
static_assert(sizeof(Frame) == 32);

// The most registers of a fiber: their places and twice their number fit 32 bits.
inline constexpr std::uint32_t kMostRegisters = UINT32_MAX / 4;

// The frames of a fiber. Its capacity never exceeds the depth limit that grow() is given, so that "is there room" is
// the only test that a call makes.
class FrameStack {
 public:
  FrameStack() = default;
  ~FrameStack() { std::free(begin_); }
  FrameStack(const FrameStack&) = delete;
  FrameStack& operator=(const FrameStack&) = delete;

  bool empty() const { return end_ == begin_; }
  bool full() const { return end_ == limit_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(end_ - begin_); }
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(limit_ - begin_); }
  Frame& back() { return end_[-1]; }
  const Frame& back() const { return end_[-1]; }
  const Frame& operator[](std::size_t k) const { return begin_[k]; }
  Frame& push() { return *end_++; }   // not when full; the caller fills in every field
  std::span<Frame> all() { return {begin_, end_}; }
  void pop_back() { --end_; }
  // Serves the interpreter, which pushes and pops without telling, and tells before anyone else looks.
  Frame* limit() { return limit_; }
  void set_top(Frame* top) { end_ = top + 1; }
  // Makes room for more, at most max_frames in all. Returns false when no more is allowed.
  bool grow(std::uint32_t max_frames) {
    const std::uint32_t old_capacity = capacity();
    if (old_capacity >= max_frames) return false;
    const std::uint64_t wanted = old_capacity == 0 ? 8 : std::uint64_t{old_capacity} * 2;
    return reserve(static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, max_frames)));
  }
  // Makes room for exactly that many frames, no less than there are. Returns false when there is no memory.
  bool reserve(std::uint32_t frames) {
    const std::uint32_t used = size();
    auto* moved = static_cast<Frame*>(std::malloc(frames * sizeof(Frame)));
    if (moved == nullptr) return false;
    std::copy(begin_, end_, moved);
    std::free(begin_);
    begin_ = moved;
    end_ = begin_ + used;
    limit_ = begin_ + frames;
    return true;
  }

 private:
  Frame* begin_ = nullptr;
  Frame* end_ = nullptr;
  Frame* limit_ = nullptr;
};

// A task whose body is being evaluated.
struct OpenTask {
  std::string id;
  std::uint32_t frame_count;   // frames of the fiber when the task was opened
  std::uint32_t calls = 0;     // positions given out inside of its body (Fiber::calls)
};

// Returns what an open task counts as a record of the heap.
inline std::int64_t counted_bytes(const OpenTask& task) {
  constexpr std::size_t kObjectBytes = 48;   // on every machine
  static_assert(sizeof(OpenTask) <= kObjectBytes);
  return static_cast<std::int64_t>(kObjectBytes + task.id.size());
}

struct ToolRecordData {
  std::string tool;
  Value args, result;          // owned; result Absent when it failed
  std::string error;
  bool cached = false;
  std::string operation;       // for an async call: the id of its operation; result is then the handle
  std::string key;             // for a call in a task that a branch has opened: the idempotency key (probes.cpp)
};

// One definition made inside of a parallel branch: visible in that branch only.
struct BranchDefinition {
  std::uint32_t cell;
  Value value;                 // owned
  bool defined;
};

// Branches inside of branches. Fibers are walked recursively, so this bounds the C++ stack.
inline constexpr std::uint32_t kMaxNesting = 256;

struct Fiber {
  enum class State : std::uint8_t {
    Ready,
    WaitsForTool,      // request_id; 0: for the answer to the same call of another fiber (probes.cpp)
    WaitsForOperations,  // its stepper frame is an await; everything else is in that frame's slots (await.cpp)
    WaitsForTask,      // another fiber evaluates the task that this one wants; retries its instruction. Its only
                       // child, if any, is the probe of its own body (probes.cpp)
    WaitsForBranches,  // its stepper frame collects child fibers
    Finished,          // result
    Faulted,           // fault_kind, fault_message, fault_found, fault_stack
  };
  // The top frame's pc is past a call whose result is still to come.
  static bool is_inside_call(State state) { return state == State::WaitsForTool; }
  static bool is_over(State state) { return state == State::Finished || state == State::Faulted; }

  std::uint32_t id = 0;
  State state = State::Ready;
  Fiber* parent = nullptr;
  std::uint32_t nesting = 0;           // branches around it
  std::uint32_t branch_index = 0;
  std::uint64_t request_id = 0;
  std::uint32_t result_slot = 0;       // absolute register that receives a tool's result

  std::uint32_t index_of(const Value* reg) const { return static_cast<std::uint32_t>(reg - stack); }

  Value* stack = nullptr;
  const Value* stack_end = nullptr;
  std::uint32_t stack_size = 0;        // registers allocated
  FrameStack frames;
  std::vector<OpenTask> open_tasks;
  std::uint32_t calls = 0;             // positions given out outside of tasks: to calls, sleeps, signals, forks
  std::uint32_t fork_call = 0;         // the position of the pmap or pcalls that the children belong to
  std::uint32_t operations = 0;        // ids given out, when this is a branch
  std::uint32_t fork_operation = 0;    // what the children's ids begin with; 0: none of them needed one yet
  std::string waits_for_task;
  bool branch_failed = false;          // one of the children is Faulted

  FaultKind fault_kind{};              // when Faulted
  std::string fault_message;
  std::string fault_found;             // RunFault::found
  std::string fault_stack;             // guest_stack.h
  Value result = Value::nil();         // owned, when Finished
  std::vector<BranchDefinition> definitions;
  std::vector<std::string> prints;     // prints of a branch, until it is merged into its parent
  std::vector<ToolRecordData> records;
  std::vector<std::unique_ptr<Fiber>> children;   // branches of the pmap or pcalls that this fiber waits for
  std::size_t over_before = 0;         // so many children at the front are over, which no scheduler looks at again
};

// What a branch counts for its Fiber and its place in the parent, on every machine.
inline constexpr std::size_t kBranchObjectBytes = 768;
static_assert(sizeof(Fiber) <= kBranchObjectBytes);

// What a call, or the step of a stepper, did: pushed a frame; ended, with its result in place; raised a fault; or left
// the fiber waiting.
enum class CallResult : std::uint8_t { Pushed, Done, Faulted, Parked };

}  // namespace ptc
