// The part of JsonReader for operations and fibers.
#include <algorithm>

#include "vm/exec/machine_state.h"
#include "vm/snapshot/frame_view.h"
#include "vm/snapshot/json/json_reader.h"
#include "vm/snapshot/state_fields.h"

namespace ptc {

// Reads operations that wait and operations that are settled; they are apart, `opened` is their common order.
void JsonReader::operations(RunState& out) {
  struct Entry {
    std::uint64_t opened;
    JsonNode node;
    bool waiting;
  };
  std::vector<Entry> entries;
  const auto collect = [&](std::string_view name, bool waiting) {
    const JsonNode in = section(name);
    if (!in) return;
    JsonFields fields({&root_, nullptr}, problem_);
    std::size_t k = 0;
    fields.list(name, [&](JsonNode item) {
      Entry entry{UINT64_MAX, {item.doc, layout_below(in.layout, k++)}, waiting};
      JsonFields one(entry.node, problem_);
      one.number("opened", entry.opened);
      entries.push_back(entry);
      return !problem_.found();
    });
  };
  collect("pending", true);
  collect("operations", false);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.opened < b.opened; });
  for (std::size_t k = 0; k < entries.size() && !problem_.found(); ++k) {
    if (entries[k].opened != k) {
      problem_.fail(entries[k].node.doc, "the operations must be numbered from 0, each once", "opened");
      return;
    }
    operation(entries[k].node, entries[k].waiting, out.operations.emplace_back());
  }
}

void JsonReader::operation(JsonNode node, bool waiting, Operation& out) {
  JsonFields fields(node, problem_);
  fields.ignore("opened");
  fields.text("op", out.id);
  fields.text("tool", out.tool);
  fields.choice("kind", kOperationKindNames, out.kind);
  if (!waiting) {
    out.status = Operation::Status::Ok;
    fields.choice("status", kOperationStatusNames, out.status);
    if (out.status == Operation::Status::Waiting) fields.fail("operations that wait belong to /pending", "status");
  }
  place(fields.find("args"));
  place(fields.find("immediate"));
  place(fields.find("progress"), Place::What::Absent);
  place(fields.find("result"));
  fields.time("since", out.created_ms);
  fields.time("deadline", out.due_ms);
  fields.number("sequence", out.sequence);
  fields.number("resets_to_come", out.resets_to_come);
  for_each_operation_flag(out, [&](std::string_view name, bool& flag) { fields.flag(name, flag); });
  for_each_operation_text(out, [&](std::string_view name, std::string& text) { fields.text(name, text); });
  fields.done();
}

void JsonReader::fiber(JsonNode node, RunState& out) {
  FiberState& fiber = out.fibers.emplace_back();
  JsonFields fields(node, problem_);
  fields.number("id", fiber.id);
  fields.number("parent", fiber.parent);
  fields.choice("state", kFiberStateNames, fiber.state);
  std::string fault;
  fields.text("fault", fault);
  if (!fault.empty()) {
    const auto kind = find_fault(fault);
    if (!kind) fields.fail("unknown fault", "fault");
    fiber.fault_kind = kind.value_or(FaultKind{});
  }
  for_each_fiber_text(fiber, [&](std::string_view name, std::string& text) { fields.text(name, text); });
  for_each_fiber_number(fiber, [&](std::string_view name, auto& number) { fields.number(name, number); });
  fields.texts("prints", fiber.prints);
  fields.list("open_tasks", [&](JsonNode item) {
    OpenTask& task = fiber.open_tasks.emplace_back();
    JsonFields one(item, problem_);
    one.text("id", task.id);
    one.number("frames", task.frame_count);
    one.number("calls", task.calls);
    return one.done();
  });
  definitions(fields, out, fiber);
  fields.list("tool_calls", [&](JsonNode item) {
    ToolRecordData& record = fiber.records.emplace_back();
    JsonFields one(item, problem_);
    one.text("tool", record.tool);
    place(one.find("args"));
    place(one.find("result"));
    one.text("error", record.error);
    one.flag("cached", record.cached);
    one.text("operation", record.operation);
    one.text("key", record.key);
    if (!record.operation.empty() && !has_operation(out, record.operation)) one.fail("is not there", "operation");
    return one.done();
  });
  place(fields.find("result"));
  std::vector<JsonNode> frames;   // bottom first, as in the state; innermost first in the text
  fields.list("frames", [&](JsonNode item) {
    frames.push_back(item);
    return true;
  });
  std::reverse(frames.begin(), frames.end());
  fields.done();
  for (std::size_t k = 0; k < frames.size() && !problem_.found(); ++k) frame(frames[k], out, fiber);
  for (std::size_t k = 0; k < frames.size() && !problem_.found(); ++k) frame_places(frames[k], out, fiber, k);
}

bool JsonReader::has_operation(const RunState& state, std::string_view id) {
  if (operation_ids_.empty()) {
    for (const Operation& operation : state.operations) operation_ids_.insert(operation.id);
  }
  return operation_ids_.contains(id);
}

void JsonReader::definitions(JsonFields& fields, const RunState& state, FiberState& fiber) {
  if (!fields.find("definitions")) return;
  if (cell_index_.empty()) {
    for (std::uint32_t k = 0; k < state.cells.size(); ++k) cell_index_.emplace(state.cells[k].name, k);
  }
  fields.list("definitions", [&](JsonNode item) {
    JsonFields one(item, problem_);
    std::string name;
    bool undefined = false;
    one.text("name", name);
    one.flag("undefined", undefined);
    const auto at = cell_index_.find(name);
    if (at == cell_index_.end()) return one.fail("is not in /names", "name");
    fiber.definitions.push_back({at->second, !undefined, Value::nil()});
    place(one.find("value"));
    return one.done();
  });
}

void JsonReader::frame(JsonNode node, const RunState& state, FiberState& out) {
  FrameState& frame = out.frames.emplace_back();
  JsonFields fields(node, problem_);
  fields.ignore("at");
  fields.flag("owns_callee", frame.owns_callee);
  std::string builtin;
  fields.text("builtin", builtin);
  if (!builtin.empty()) {
    frame.kind = Frame::Kind::Stepper;
    const auto id = find_builtin(builtin);
    if (!id) fields.fail("unknown builtin", "builtin");
    frame.builtin = id.value_or(BuiltinId{});
    fields.number("stage", frame.stage);
    std::uint32_t slots = 0;
    fields.list("slots", [&](JsonNode) { return ++slots <= UINT16_MAX; });
    if (slots > UINT16_MAX) fields.fail("too many", "slots");
    frame.slot_count = static_cast<std::uint16_t>(slots);
    fields.done();
    return;
  }
  fields.ignore("name");
  fields.number("program", frame.link);
  fields.number("function", frame.function);
  fields.number("pc", frame.pc);
  fields.ignore("closure");
  fields.ignore("locals");
  fields.ignore("temporaries");
  if (frame.link >= state.links.size()) {
    fields.fail("there is no such program", "program");
  } else if (frame.function >= state.links[frame.link].program->functions.size()) {
    fields.fail("there is no such function", "function");
  }
  fields.done();
}

// After all frames of the fiber are known: what a frame holds depends on whether it is the last.
void JsonReader::frame_places(JsonNode node, const RunState& state, FiberState& fiber, std::size_t index) {
  FrameState& frame = fiber.frames[index];
  JsonFields fields(node, problem_);
  if (frame.kind == Frame::Kind::Stepper) {
    nothing(Place::What::Nil);
    const std::uint32_t answer = *frame_value_count(state, fiber, index) - frame.slot_count;
    if (frame.slot_count < answer) {
      fields.fail("too few", "slots");
      return;
    }
    frame.slot_count = static_cast<std::uint16_t>(frame.slot_count - answer);
    fields.list("slots", [this](JsonNode item) {
      place(item);
      return true;
    });
    return;
  }
  if (const JsonNode closure = fields.find("closure")) {
    place(closure);
  } else {
    places_.push_back({Place::What::Function, {}, frame.link, frame.function});
  }
  if (!frame_value_count(state, fiber, index)) {
    fields.fail("is never reached", "pc");
    return;
  }
  const JsonNode locals = fields.find("locals");
  std::vector<JsonNode> temporaries;
  fields.list("temporaries", [&](JsonNode item) {
    temporaries.push_back(item);
    return true;
  });
  const json::object* const named = locals && locals.doc->is_object() ? &locals.doc->get_object() : nullptr;
  std::size_t used_names = 0, used_temporaries = 0;
  for (const std::string_view name : frame_value_names(state, fiber, index)) {
    const json::value* value = nullptr;
    if (!name.empty() && named != nullptr) value = named->if_contains({name.data(), name.size()});
    if (value != nullptr) ++used_names;
    if (!name.empty() && value == nullptr) {
      fields.fail("has no " + std::string(name), "locals");
    } else if (!name.empty()) {
      place({value, layout_below(locals.layout, name)});
    } else if (used_temporaries == temporaries.size()) {
      fields.fail("too few", "temporaries");
    } else {
      place(temporaries[used_temporaries++]);
    }
    if (problem_.found()) return;
  }
  if (used_temporaries != temporaries.size()) fields.fail("too many", "temporaries");
  if (named != nullptr && used_names != named->size()) fields.fail("names that the frame has not", "locals");
}

}  // namespace ptc
