// The part of the JSON face that shows where a program is: fibers, frames, locals.
#include "vm/exec/program.h"
#include "vm/snapshot/frame_view.h"
#include "vm/snapshot/json/json_sections.h"
#include "vm/snapshot/run_state.h"
#include "vm/snapshot/state_fields.h"

namespace ptc {
namespace {

using Lines = JsonText::Lines;

class FiberWriter {
 public:
  FiberWriter(JsonSections& out, const RunState& state) : out_(out), state_(state) {}

  void fibers() {
    out_.open("fibers", '[');
    std::vector<FramePosition> tops;
    for (std::size_t k = 0; k < state_.fibers.size(); ++k) {
      const FiberState& fiber = state_.fibers[k];
      const FramePosition around = fiber.parent < tops.size() ? tops[fiber.parent] : FramePosition{};
      const std::vector<FramePosition> positions = frame_positions(state_, fiber, around);
      tops.push_back(positions.empty() ? around : positions.back());
      this->fiber(fiber, k, positions);
    }
    out_.close(']');
  }

  void fiber(const FiberState& fiber, std::size_t index, const std::vector<FramePosition>& positions) {
    out_.open(index, Lines::Many);
    out_.number("id", fiber.id);
    if (fiber.parent != FiberState::kNoParent) out_.number("parent", fiber.parent);
    out_.text("state", kFiberStateNames[std::size_t(fiber.state)]);
    if (fiber.state == Fiber::State::Faulted) out_.text("fault", fault_name(fiber.fault_kind));
    out_.open("frames", '[');
    for (std::size_t k = fiber.frames.size(); k-- > 0;) frame(fiber, k, positions[k].span);
    out_.close(']');
    out_.value_or_nothing("result", fiber.result);
    for_each_fiber_text(fiber, [this](std::string_view name, const std::string& t) { out_.text(name, t); });
    for_each_fiber_number(fiber, [this](std::string_view name, auto n) {
      if (n != 0) out_.number(name, n);
    });
    open_tasks(fiber);
    definitions(fiber);
    out_.texts("prints", fiber.prints);
    tool_records(fiber);
    out_.close('}');
  }

  void frame(const FiberState& fiber, std::size_t index, SourceSpan at) {
    const FrameState& frame = fiber.frames[index];
    out_.open(fiber.frames.size() - 1 - index, Lines::Many);
    if (at.line != 0) out_.text("at", std::to_string(at.line) + ':' + std::to_string(at.column));
    const std::span<const Value> values(fiber.values.data() + frame.first_value, frame.value_count);
    if (frame.kind == Frame::Kind::Stepper) {
      out_.text("builtin", builtin_info(frame.builtin).name);
      out_.number("stage", frame.stage);
      out_.flag("owns_callee", frame.owns_callee);
      out_.value_list("slots", values);
      return out_.close('}');
    }
    const Prototype& prototype = state_.links[frame.link].program->functions[frame.function];
    out_.text("name", prototype.name);
    out_.number("program", frame.link);
    out_.number("function", frame.function);
    out_.number("pc", frame.pc);
    out_.flag("owns_callee", frame.owns_callee);
    out_.value_or_nothing("closure", frame.closure);
    const std::vector<std::string_view> names = frame_value_names(state_, fiber, index);
    out_.open("locals", '{', Lines::One);
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!names[k].empty()) out_.value(names[k], values[k]);
    }
    out_.close('}');
    std::vector<Value> others;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k].empty()) others.push_back(values[k]);
    }
    out_.value_list("temporaries", others);
    out_.close('}');
  }

  void open_tasks(const FiberState& fiber) {
    if (fiber.open_tasks.empty()) return;
    out_.open("open_tasks", '[');
    for (std::size_t k = 0; k < fiber.open_tasks.size(); ++k) {
      const OpenTask& task = fiber.open_tasks[k];
      out_.open(k);
      out_.whole_text("id", task.id);
      out_.number("frames", task.frame_count);
      out_.number("calls", task.calls);
      out_.close('}');
    }
    out_.close(']');
  }

  void definitions(const FiberState& fiber) {
    if (fiber.definitions.empty()) return;
    out_.open("definitions", '[');
    for (std::size_t k = 0; k < fiber.definitions.size(); ++k) {
      const DefinitionState& definition = fiber.definitions[k];
      out_.open(k);
      out_.whole_text("name", state_.cells[definition.cell].name);
      out_.flag("undefined", !definition.defined);
      out_.value_or_nothing("value", definition.value);
      out_.close('}');
    }
    out_.close(']');
  }

  void tool_records(const FiberState& fiber) {
    if (fiber.records.empty()) return;
    out_.open("tool_calls", '[');
    for (std::size_t k = 0; k < fiber.records.size(); ++k) {
      const ToolRecordData& record = fiber.records[k];
      out_.open(k);
      out_.text("tool", record.tool);
      out_.value_or_nothing("args", record.args);
      out_.value_or_nothing("result", record.result);   // absent: it failed
      out_.text("error", record.error);
      out_.flag("cached", record.cached);
      out_.text("operation", record.operation);
      out_.text("key", record.key);
      out_.close('}');
    }
    out_.close(']');
  }

  JsonSections& out_;
  const RunState& state_;
};

}  // namespace

void write_fibers(JsonSections& out, const RunState& state) { FiberWriter(out, state).fibers(); }

}  // namespace ptc
