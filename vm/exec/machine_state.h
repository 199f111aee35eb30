// The door between a run and its snapshots: what of a run between two steps can be read, and how a run is made again.
//
// Only MachineView and MachineState reach the objects of a run from outside of vm/exec (run_impl.h). vm/snapshot turns
// what a view shows into data (capture.cpp), and data that it has checked into a MachineState (install.cpp).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/builtins/environment.h"
#include "vm/exec/fiber.h"
#include "vm/exec/link.h"
#include "vm/exec/run.h"
#include "vm/exec/stable_list.h"

namespace ptc {

// The numbers and texts of a run that belong to no value and no fiber.
struct MachineCounters {
  std::uint64_t fuel_used = 0, tool_calls = 0, bytes_peak = 0;
  bool suspended = false;
  std::uint32_t suspensions = 0, operations_before = 0;
  std::vector<std::string> cancel_requests;
  std::string run_id;
  std::uint64_t turn = 0;
  std::uint64_t next_request = 1;
  std::uint32_t next_fiber_id = 1, closure_serial = 1;
  bool tool_failed = false;               // the next step reports this fault:
  FaultKind fault_kind{};
  std::string fault_message, fault_hint, fault_found;
};

// Reads a run. Everything is borrowed from the run, which must stay where it is and must not change meanwhile.
class MachineView {
 public:
  // Frees the garbage of the run first: garbage would look like a second owner of what it refers to.
  explicit MachineView(const Run& run);

  const Heap& heap() const { return heap_; }
  const RunLimits& limits() const { return limits_; }
  const StableList<Link>& links() const { return links_; }
  const StableList<Cell>& cells() const { return cells_; }   // cells of the user namespace
  const std::vector<Value>& base_values() const;             // by cell; empty when no turn runs
  const std::vector<Value>& retired() const;
  const Environment& environment() const;
  Value context() const;
  const std::vector<Value>& history() const;                 // newest first
  const Fiber* main_fiber() const;                           // null when no turn runs
  const Program* program() const;                            // the program of this turn, or of the last one
  std::span<const ToolRequest> requests() const;             // that wait for the host
  void copy_counters(MachineCounters& out) const;            // into new ones

 private:
  friend class MachineState;
  explicit MachineView(const RunImpl& run);

  const RunImpl& run_;
  const Heap& heap_;
  const RunLimits& limits_;
  const StableList<Link>& links_;
  const StableList<Cell>& cells_;
};

// Owns a run that is being made again, until take_run(). The functions are called in the order of their declaration,
// and they trust what they are given. They take the values.
class MachineState {
 public:
  MachineState(const RunLimits& limits, std::shared_ptr<MemorySource> memory);
  ~MachineState();
  MachineState(const MachineState&) = delete;
  MachineState& operator=(const MachineState&) = delete;

  const MachineView& view() const { return view_; }
  const RunLimits& limits() const { return view_.limits(); }
  const StableList<Link>& links() const { return view_.links(); }
  const StableList<Cell>& cells() const { return view_.cells(); }
  Heap& heap() { return heap_; }
  Environment& environment();

  bool add_cell(std::string_view name);                      // returns false when there is such a cell
  // A program is linked in two steps: the key arrays that its constants share are made between them.
  void begin_link(std::shared_ptr<const Program> program, bool is_prelude);
  // Makes the collections among the constants, the names, and these functions as values.
  void finish_link(std::size_t index, std::span<const std::uint32_t> functions);
  Link& link(std::size_t index);                             // for the closures of its program

  void set_cell(std::size_t index, bool defined, Value taken);
  void add_base_value(Value taken);                          // the base value of the next cell
  void set_retired(std::vector<Value> taken);
  void set_context(Value taken_map);
  void set_history(std::vector<Value> taken_newest_first);
  void set_budget(Value taken_map);
  // Adds a fiber without frames that has room for that many, or returns null when there is no memory. No parent: the
  // main fiber. Children of one fiber are added in the order of their branches.
  Fiber* add_fiber(Fiber* parent, std::uint32_t frame_capacity, std::uint32_t registers);
  void add_request(const Fiber& waiting, std::string task_id, std::string path, std::string key);
  void set_turn(std::shared_ptr<const Program> program);     // null when no turn runs
  void set_counters(MachineCounters&& taken);

  Run take_run();                                            // the last call

 private:
  std::unique_ptr<RunImpl> run_;
  MachineView view_;
  Heap& heap_;
};

}  // namespace ptc
