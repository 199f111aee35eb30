// The inside of a run: shared by the interpreter loop, calls, steppers, parallel branches and unwinding.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/builtins/environment.h"
#include "vm/exec/fiber.h"
#include "vm/exec/frame_states.h"
#include "vm/exec/program.h"
#include "vm/exec/run.h"
#include "vm/exec/stable_list.h"
#include "vm/exec/stepper_slots.h"
#include "vm/value/heap.h"

namespace ptc {

// Of the wait of an auto tool's call.
inline constexpr std::uint32_t kAwaitCallRegisters = 1 + kStepperSlots + kStepperRoom;
// Branches inside of branches. Fibers are walked recursively, so this bounds the C++ stack.
inline constexpr std::uint32_t kMaxNesting = 256;

// Budgets of the whole run: a branch that used one up did not fail by itself.
bool ends_everything(FaultKind kind);

struct Link;

// A name of the user namespace. Cells never move: code finds them through Link.
struct Cell {
  Value value = Value::nil();               // written by set() alone
  // What a direct call of the value needs, when that is a closure (program.h).
  const Instruction* entry = nullptr;
  const Link* link = nullptr;
  std::uint32_t direct_args = Prototype::kNotDirect;
  std::uint32_t window_bytes = 0;
  const Keyword* name = nullptr;
  bool defined = false;
  std::uint32_t index = 0;

  void set(Value taken);                    // what it held before is the caller's to release
};

struct AwaitSlots;   // await.h

// A program bound to a run: its constants as values, its names as cells.
struct Link {
  std::shared_ptr<const Program> program;
  bool is_prelude = false;
  std::vector<Value> constants;
  std::vector<Cell*> cells;
  std::vector<Cell> own_cells;              // prelude only: what its cells are; never change once it is linked
  std::vector<const Keyword*> tools;
  Closure* entry = nullptr;                 // owned
  std::vector<Value> functions;             // prelude only: closures by function index, made on first use
  std::int64_t loop_limit = 0;
};

// The idempotency key of a call.
std::string call_key(std::string_view run_id, std::uint64_t turn, std::string_view task_id, std::string_view path);

enum class ExitReason : std::uint8_t {
  Finished,     // the fiber's bottom frame returned
  Stopped,      // (return v) or (fail v)
  Faulted,
  Parked,       // the fiber's state says what it waits for
  OutOfSlice,   // fuel of this slice is used up
  Committed,    // a task is over, and the host wants to know at once, or the fiber is not to go on
};

class RunImpl {
 public:
  explicit RunImpl(const RunLimits& limits, std::shared_ptr<MemorySource> memory = nullptr);
  ~RunImpl();

  // interpreter.cpp: runs the fiber until it has a reason to stop.
  ExitReason interpret(Fiber& fiber);
  ExitReason interpret_watched(Fiber& fiber);   // and the host's patience is asked

  // calls.cpp. A call of the value in stack[window] with `count` arguments above it.
  enum class CallResult : std::uint8_t { Pushed, Done, Faulted, Parked };
  CallResult call_value(Fiber& fiber, std::uint32_t window, std::uint32_t count);
  CallResult call_builtin(Fiber& fiber, BuiltinId id, std::uint32_t window, std::uint32_t count, bool owns_callee);
  CallResult call_closure(Fiber& fiber, const Closure* closure, std::uint32_t window, std::uint32_t count,
                          bool owns_callee);
  CallResult call_tool(Fiber& fiber, const Keyword* tool, std::uint32_t window);
  ToolRequest request_of(const Fiber& fiber, std::string task_id, std::string path, std::string key) const;
  bool make_room(Fiber& fiber, std::uint32_t base, std::uint32_t registers);   // for one more frame
  static void pass_call(Fiber& fiber);                  // the call instruction on top is done with
  Value tool_arguments(Value tool, const Value* args, std::uint32_t count);
  // A plain builtin called from C++: takes the arguments. Absent: a fault is raised. Its fuel stays in env.fuel_debt,
  // which the interpreter loop collects; outside of the loop, call_plain charges it to fuel_left.
  Value call_taking(BuiltinId id, std::span<Value> taken_args);
  Value call_plain(BuiltinId id, std::span<Value> taken_args);
  // The elements of a collection as a vector, complaining in the name of that function and argument (from 1).
  Value sequence_of(std::string_view function, std::uint32_t argument, Value taken);
  CallResult apply(Fiber& fiber, std::uint32_t window, std::uint32_t count);
  bool make_room_for_callee(Fiber& fiber, std::uint32_t base, std::uint32_t registers);
  bool grow_stack(Fiber& fiber, std::uint32_t registers);
  const Closure* prelude_closure(BuiltinId id);
  const Closure* function_closure(Link& link, std::uint32_t index);

  // steppers.cpp: runs the stepper frame on top until it calls something, ends or fails. Its stage says whether the
  // result of a call lies in the register above its slots.
  CallResult step_stepper(Fiber& fiber);
  CallResult finish_stepper(Fiber& fiber, Value taken);
  // Calls stack-free from a stepper: callee and arguments (all borrowed) go into the window above the slots.
  CallResult call_from_stepper(Fiber& fiber, Value callee, std::span<const Value> args);
  Value take_stepper_result(Fiber& fiber);
  CallResult step_sort(Fiber& fiber);
  bool sort_start(Fiber& fiber, Value* slots, std::uint32_t arg_count);
  bool sort_natively(Value* slots, bool descending);
  bool sort_in_known_order(Value* slots, Value comparator);
  bool put_items_in_order(Value* slots, std::span<const std::uint32_t> order);

  // await.cpp: await, await-all, await-any, await-settled, sleep, await-signal and the wait of an auto tool's call.
  CallResult step_await(Fiber& fiber);
  bool await_start(Fiber& fiber);                       // checks the arguments, fills in the slots
  bool await_options(Fiber& fiber);
  Value await_target(Value borrowed, BuiltinId form);   // a handle of a known operation, or Absent: fault raised
  Value await_targets(Value borrowed, BuiltinId form);
  Value start_sleep(Fiber& fiber, Value milliseconds);
  Value start_signal(Fiber& fiber, Value name);
  bool await_holds(const Fiber& fiber) const;
  CallResult await_finish(Fiber& fiber);
  CallResult await_timed_out(Fiber& fiber);
  Value await_result(Fiber& fiber);                     // Absent: fault raised
  Value await_values(const AwaitSlots& slots);
  Value await_settled_values(const AwaitSlots& slots);
  Value await_winner(Fiber& fiber, const Operation* first);
  void cancel_losers(Value targets);
  bool raise_settlement(const Operation& operation);
  void wake(Fiber& fiber, bool time_passed);            // makes fibers ready whose wait is over
  bool deliver();                                       // a suspension point: what arrived becomes visible
  bool waits_for_operations(const Fiber& fiber) const;
  void collect_awaited(const Fiber& fiber, std::vector<AwaitedOperation>& out) const;

  // call_sites.cpp: names of calls and operations that depend on the program alone.
  std::uint32_t next_position(Fiber& fiber);
  std::string call_path(Fiber& fiber, std::string& task_id);
  std::string call_key(std::string_view task_id, std::string_view path) const;
  // The key as the record of the call keeps it: "" unless another branch could evaluate the same task.
  static std::string kept_key(const Fiber& fiber, const std::string& key);
  std::string call_text(std::string_view tool, Value args);             // for messages
  std::string fresh_operation_id(Fiber& fiber);
  std::string branch_prefix(Fiber& branch);
  // An operation that an earlier turn opened at this place of an open task; null: none. Fails with task_diverged
  // when that place did something else.
  bool find_attachable(std::string_view task_id, std::string_view path, std::string_view tool, Value args,
                       const Operation** found);

  // run_operations.cpp
  bool room_for_operation();                            // false: pending_limit_exceeded is raised
  Value open_operation(Fiber& fiber, Operation taken);  // the handle
  void push_await_call(Fiber& fiber, std::uint32_t window, Value taken_handle);
  CallResult attach_call(Fiber& fiber, const Operation& operation, std::uint32_t window, std::string key);
  void give_handle(Fiber& fiber, const Operation& operation, bool waits);
  void put_answer(Fiber& fiber, Value taken);           // of the tool that the fiber waits for
  Fiber* take_request(std::uint64_t request_id, ToolRequest* out);   // no longer listed; null: unknown
  void fail_call(Fiber& fiber, FaultKind kind, std::string message, std::string hint);
  std::string settlement_text(const Operation& operation) const;
  void cancel_operation(std::string_view id, std::string reason);   // when it waits; the host is to be told
  StepStatus settle_outstanding(StepStatus status);
  void collect_records(const std::vector<ToolRecordData>& from, std::vector<ToolRecord>& out) const;
  void collect_records(const Fiber& fiber, std::vector<ToolRecord>& out) const;   // and those of its children

  // slow_paths.cpp. Registers are given by address; operands flagged as taken are consumed on success.
  bool slow_arithmetic(Op op, Value* dst, Value* b, Value* c, std::uint8_t flags);
  static constexpr std::uint8_t kConstantFirst = 0x80;   // beside the instruction's flags
  bool slow_constant_arithmetic(Op op, Value* dst, Value* b, Value constant, std::uint8_t flags);
  bool slow_add_immediate(Op op, Value* dst, Value* b, std::int64_t number, std::uint8_t flags);
  // 1, 0: the comparison; -1: fault
  int slow_compare(Op op, Value* a, Value* b, std::uint8_t flags, std::uint8_t take_a, std::uint8_t take_b);
  bool get_keyword(Value* dst, Value* b, Value key, bool take);
  Value* path_place(BuiltinId function, Value* window);
  bool path_open(BuiltinId function, Value* window);
  bool path_close(BuiltinId function, Value* window);
  // path_open(), a sum of ints and path_close() in one; false: nothing is done, they have to.
  bool add_at_path(BuiltinId function, Value* window, std::int64_t number);
  bool assoc_in(Value* coll, Value* path, Value* value, std::uint8_t flags);
  bool plain_in_place(BuiltinId id, Value* coll, Value* b, Value* c, std::uint8_t flags);
  bool plain_two(BuiltinId id, Value* dst, Value* b, Value* c, std::uint8_t flags);
  bool plain_one(BuiltinId id, Value* dst, Value* b, bool take);
  bool iterator_start(Value* iterator, Value function_name, std::uint32_t argument);
  bool take_reduced(Value* closure);                    // is it a (reduced x)? Then x takes its place
  bool make_map(Value* window, std::uint32_t pairs);
  bool make_set(Value* window, std::uint32_t count);
  void define_cell(Fiber& fiber, Cell* cell, Value taken);

  // tasks.cpp. Hit: the value lies in window[0]. Miss: window[1] holds the id. Wait: another fiber evaluates it.
  enum class TaskResult : std::uint8_t { Hit, Returned, Miss, Wait, Faulted };
  TaskResult task_start(Fiber& fiber, Value* window);
  TaskResult return_again(Fiber& fiber, Value taken);
  bool task_end(Fiber& fiber, Value* window);
  bool stops_after_task(const Fiber& fiber) const;
  // The fiber that evaluates the task's body; null: none but those around the asking one.
  const Fiber* task_holder(const Fiber& asking, std::string_view id) const;
  void commit_open_tasks(Fiber& fiber);

  // parallel.cpp
  CallResult step_parallel(Fiber& fiber);
  CallResult start_branches(Fiber& fiber);
  CallResult collect_branches(Fiber& fiber);
  void start_branch(Fiber& parent, std::uint32_t index, Value callee, std::span<const Value> args);
  void enter_branch(Fiber& fiber);      // its definitions and prints become the visible ones
  void leave_branch(Fiber& fiber);
  void discard_branches(Fiber& fiber);  // keeps their prints and records
  void give_up_call(Fiber& fiber);
  void fail_branch(Fiber& fiber, FaultKind kind, std::string message);
  void fail_waiting(Fiber& fiber, FaultKind kind, std::string message, std::string hint);

  // schedule.cpp
  Fiber* next_fiber();                  // that can go on; null when all of them wait
  Fiber* next_ready(Fiber& fiber, bool cut_off);
  Fiber* next_with_task(Fiber& fiber, bool cut_off);
  bool will_go_on(const Fiber& fiber, bool cut_off) const;
  bool is_cut_off(const Fiber& fiber) const;
  bool give_up_calls(Fiber& fiber, bool cut_off);     // of branches that are cut off; false: there was none

  // probes.cpp
  void start_probe(Fiber& waiting);
  void end_probe(Fiber& waiting);       // nothing that it did remains
  void fail_probe(Fiber& fiber);        // of a fiber inside of a probe, which raised a fault
  static Fiber* probe_around(Fiber& fiber);             // the probe that it is part of; null: none
  bool end_of_probe();                  // raises: the probe has nothing more to find
  CallResult probe_call(Fiber& fiber, const Keyword* tool, std::uint32_t window);
  Value probe_operation(const Operation& wanted);       // Absent: a fault is raised
  bool meets_intent(std::string_view task_id, std::string_view path, std::string_view tool, Value args);
  Fiber* next_probe(Fiber& fiber, bool cut_off);
  Fiber* next_in_probe(Fiber& fiber);
  bool take_probed_answer(Fiber& fiber);
  const ToolRecordData* recorded_call(const Fiber& fiber, std::string_view key) const;

  // unwinding.cpp
  void unwind(Fiber& fiber);            // releases every register, empties the frames
  SourceSpan user_span(const Fiber& fiber, std::shared_ptr<const Program>* program) const;

  bool holds_no_handle(Value v, std::string_view what);   // what return and fail give back

  // faults. Each parks the fault and returns false.
  bool raise(FaultKind kind, std::string message, std::string hint = {});
  // Native work on much data outside of plain builtins. False: the host stopped it, which is raised.
  template <class Work>
  bool patiently(Work work) {
    const InterruptibleScope scope;
    try {
      work();
    } catch (const OutOfPatience&) {
      return raise(FaultKind::Cancelled, "the host stopped the run");
    }
    return true;
  }
  bool raise_parked();                  // what a builtin left in environment.fault
  bool raise_memory();

  // run.cpp
  StepStatus step(std::uint64_t slice);
  bool resume();
  Link& link(std::shared_ptr<const Program> program);
  void link_prelude(std::shared_ptr<const Program> linked);
  // The two halves of link(): a restored run puts the key arrays that its constants share between them.
  Link& begin_link(std::shared_ptr<const Program> program, bool is_prelude = false);   // no collections yet
  void finish_link(Link& link);                               // collections, tools, names
  void name_prelude(Link& link);
  Cell* cell(std::string_view name);
  Value constant_value(const Link& link, std::size_t index);
  StepStatus finish(StepStatus status);
  void rollback();
  void forget_base();
  void release_result();
  void release_everything();            // that is not part of a fiber
  void clear_records();                 // prints, summaries, tool records and budgets used belong to one turn
  std::unique_ptr<Fiber> make_fiber(const Closure* entry);
  void destroy_fiber(Fiber& fiber);
  Fiber* find_waiting(Fiber& fiber, std::uint64_t request_id);
  void retire(Value taken);

  RunLimits limits;
  Heap heap;
  Environment env;
  StableList<Cell> cells;                  // of the user namespace
  std::map<std::string, Cell*, std::less<>> cell_of;
  StableList<Link> links;
  std::vector<Link*> preludes;             // oldest first
  std::vector<Value> base_values;          // of cells at start(), for rollback; Absent: was not defined
  std::vector<Value> retired;              // closures that a redefinition replaced while they may be running
  std::unique_ptr<Fiber> main;
  Fiber* running = nullptr;                // by interpret()
  std::shared_ptr<const Program> program;

  std::int64_t fuel_left = 0;              // of the slice; may go below zero by bulk work of one builtin
  std::uint64_t fuel_used = 0;             // finished slices
  std::uint64_t tool_calls = 0;
  std::uint32_t next_fiber_id = 1;
  std::int64_t clock_millis = 0;
  bool suspended = false;                  // what the last step() said
  std::uint32_t suspensions = 0;           // of this turn
  std::uint32_t operations_before = 0;     // how many were known at start(): those that a re-run attaches to
  std::uint64_t active_micros = 0;         // of this turn, as the host says
  std::vector<std::string> cancel_requests;
  std::string run_id;
  std::uint64_t turn = 0;

  Value context = Value::nil();            // owned
  std::vector<Value> history;              // owned, newest first
  Value result = Value::nil();             // owned
  Patience* patience = nullptr;         // not owned
  bool stop_is_fail = false;
  RunFault fault;
  bool tool_failed = false;                // the main fiber's tool call failed; the next step() reports it
  bool cancelled = false;
  FaultKind cancel_kind{};
  std::string cancel_message;
  std::vector<ToolRequest> requests;       // waiting; args are owned by the record in request_args
  bool task_closed = false;                // one that a fiber may wait for; spares looking
  bool yields_at_commits = false;
  std::uint64_t next_request = 1;
  std::vector<ToolRecordData> records;     // of the fibers, once the turn is over
};

}  // namespace ptc
