// A run between two steps as plain data. Both faces of a snapshot write this data, and a run is built from it.
//
//   capture()   turns a run into a RunState; the values are borrowed from the run, which must not change meanwhile
//   install()   turns a RunState into a run, and checks everything first (install.h)
//
// A RunState leaves out what follows from the programs (constants, names, the prelude), caches, clocks and functions of
// the host.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vm/builtins/environment.h"
#include "vm/builtins/operations.h"
#include "vm/exec/fiber.h"
#include "vm/exec/machine_state.h"
#include "vm/exec/program.h"
#include "vm/exec/run.h"

namespace ptc {

struct LinkState {
  std::shared_ptr<const Program> program;
  bool is_prelude = false;
  std::vector<std::uint32_t> functions;   // functions that are values, besides those that linking makes; ascending
};

struct CellState {
  std::string name;
  bool defined = false;
  Value value = Value::nil();
  Value base = Value::absent();   // the value at the start of the turn; Absent when it was not defined, or no turn runs
};

struct JournalState {
  std::string id;
  Value value = Value::nil();
};

struct FrameState {
  Frame::Kind kind{};
  bool owns_callee = false;
  BuiltinId builtin{};                    // Stepper
  std::uint16_t stage = 0;                // Stepper
  std::uint16_t slot_count = 0;           // Stepper
  std::uint32_t link = 0, function = 0;   // Bytecode
  std::uint32_t pc = 0;                   // Bytecode: index of the next instruction
  Value closure = Value::nil();           // Bytecode
  std::uint32_t first_value = 0, value_count = 0;   // in FiberState::values: live registers in order, or all slots
};

struct DefinitionState {
  std::uint32_t cell = 0;
  bool defined = false;
  Value value = Value::nil();
};

struct FiberState {
  static constexpr std::uint32_t kNoParent = UINT32_MAX;
  std::uint32_t parent = kNoParent;       // index in RunState::fibers; parents come first, children in branch order
  std::uint32_t id = 0;
  Fiber::State state{};
  std::uint64_t request_id = 0;
  std::string request_task, request_path, request_key;   // the task, the path and the key of the tool request
  std::uint32_t calls = 0, fork_call = 0, operations = 0, fork_operation = 0;
  std::uint32_t stack_size = 0, frame_capacity = 0;
  std::vector<FrameState> frames;         // bottom first
  std::vector<Value> values;
  std::vector<OpenTask> open_tasks;
  std::string waits_for_task;
  FaultKind fault_kind{};
  std::string fault_message, fault_found, fault_stack;
  Value result = Value::nil();
  std::vector<DefinitionState> definitions;
  std::vector<std::string> prints;
  std::vector<ToolRecordData> records;    // strings are copies; values are like the others
};

struct RunState : MachineCounters {
  RunLimits limits;
  std::vector<LinkState> links;
  std::uint32_t running = 0;              // the link of the program of this turn
  std::vector<const Keyword*> names;      // see ValueWriter::names; not used by install()

  std::vector<CellState> cells;           // in the order in which they were made
  bool has_journal = false;
  std::vector<JournalState> journal;      // in the order of commits
  std::vector<Operation> operations;
  std::uint64_t last_sequence = 0, last_fresh_id = 0;
  Value context = Value::nil();
  std::vector<Value> history;             // newest first
  Value budget = Value::nil();
  std::vector<Value> retired;             // functions that were redefined and may be running
  std::vector<FiberState> fibers;         // empty when no turn runs

  std::vector<std::string> prints, warnings;
  std::uint64_t print_bytes = 0;
  std::vector<StepSummary> summaries;
};

// Calls visit(Value&) for every value, in the order of the value stream.
template <class State, class Visit>
void for_each_value(State& state, Visit visit) {
  for (auto& cell : state.cells) {
    visit(cell.value);
    visit(cell.base);
  }
  for (auto& entry : state.journal) visit(entry.value);
  for (auto& operation : state.operations) {
    visit(operation.args);
    visit(operation.immediate);
    visit(operation.arrived_immediate);
    visit(operation.result);
  }
  visit(state.context);
  for (auto& value : state.history) visit(value);
  visit(state.budget);
  for (auto& value : state.retired) visit(value);
  for (auto& fiber : state.fibers) {
    for (auto& definition : fiber.definitions) visit(definition.value);
    for (auto& record : fiber.records) {
      visit(record.args);
      visit(record.result);
    }
    visit(fiber.result);
    for (auto& frame : fiber.frames) {
      visit(frame.closure);
      for (std::uint32_t k = 0; k < frame.value_count; ++k) visit(fiber.values[frame.first_value + k]);
    }
  }
}

RunState capture(const MachineView& run);

}  // namespace ptc
