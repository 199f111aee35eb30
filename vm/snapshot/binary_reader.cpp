#include "vm/snapshot/binary_reader.h"

#include <algorithm>

#include "snapshot_generated.h"
#include "vm/exec/call_sites.h"
#include "vm/exec/machine_state.h"
#include "vm/snapshot/program_entries.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

// What only the host reads, in whatever encoding it wrote it.
std::string host_text(const flatbuffers::String* in) { return in == nullptr ? std::string() : in->str(); }

template <class T>
std::span<const std::uint8_t> bytes_of(const T* in) {
  return in == nullptr ? std::span<const std::uint8_t>() : std::span<const std::uint8_t>(in->data(), in->size());
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}


// Calls each(item) for a list of tables that may be absent. FlatBuffers allows no null items after verification.
template <class List, class Each>
bool every(const List* list, Each each) {
  if (list == nullptr) return true;
  for (const auto* item : *list) {
    if (item == nullptr || !each(*item)) return false;
  }
  return true;
}

bool texts(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* list, std::vector<std::string>& out) {
  return every(list, [&](const flatbuffers::String& item) {
    out.push_back(item.str());
    return utf8_is_valid(out.back());
  });
}

// A template, so that what is not in the table of limits is not looked for in it.
template <class Table>
void read_limits(const Table& in, Limits& out) {
  using limit_columns::InSession;
#define LIMIT(name, type, initial, least, most, zero, scope, fault, field, ...) \
  if constexpr ((field) != kLimitInSession) out.name = in.name();
#define EARLIER(name, place, spelling)
#include "schema/limits.def"
#undef EARLIER
#undef LIMIT
}

}  // namespace

// What programs and people see. Bytes that are no text make the whole state invalid (text_is_valid_).
std::string BinaryReader::text(const flatbuffers::String* in) {
  std::string out = host_text(in);
  if (!utf8_is_valid(out)) text_is_valid_ = false;
  return out;
}

RunLimits BinaryReader::limits() {
  RunLimits out;
  if (const schema::Session* const session = in_.session()) {
    out.symbols = session->max_symbols();
    out.timeout_ms = static_cast<std::int64_t>(session->timeout_ms());   // one that is too large is below 0: refused
  }
  const schema::Limits* const in = in_.limits();
  if (in == nullptr) return out;
  read_limits(*in, out);
  out.outstanding = static_cast<Outstanding>(in->outstanding());
  return out;
}

bool BinaryReader::read_host(HostState& out) {
  const schema::Session* const in = in_.session();
  if (in == nullptr) return true;
  out.source_name = host_text(in->source_name());
  out.signature = host_text(in->signature());
  out.float_precision = in->float_precision();
  out.strict_task_ids = in->strict_task_ids();
  out.check_tools = in->check_tools();
  out.active_ms = in->active_ms();
  const bool tools = every(in->tools(), [&](const schema::Tool& tool) {
    out.tools.push_back({text(tool.name()), tool.signature(), text(tool.effect()), tool.mode()});
    return tool.mode() <= kMaxToolMode;
  });
  if (!tools) return invalid("tools");
  out.waits_for_host = in->waits_for_host();
  every(in->approvals(), [&](const flatbuffers::String& part) {
    out.approvals.push_back(text(&part));
    return true;
  });
  return every(in->cached_answers(), [&](const flatbuffers::String& key) {
    out.cached_answers.emplace_back(text(&key), Value::nil());
    return true;
  });
}

bool BinaryReader::read_programs(ProgramSource* known, RunState& out) {
  const bool good = every(in_.programs(), [&](const schema::LinkedProgram& in) {
    ProgramEntry entry{bytes_of(in.bytes()), bytes_of(in.packed()), bytes_of(in.sha256()), in.prelude(), {}};
    if (in.functions() != nullptr) entry.functions.emplace(in.functions()->begin(), in.functions()->end());
    return add_program(entry, known, out, error);
  });
  if (!good) return error.message.empty() ? invalid("programs") : false;
  return set_running(in_.running(), in_.fibers() != nullptr && in_.fibers()->size() != 0, out, error);
}

bool BinaryReader::names(Heap& heap) {
  const auto bytes = bytes_of(in_.names());
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::uint64_t size = 0;
    unsigned shift = 0;
    while (at < bytes.size() && bytes[at] >= 0x80 && shift < 28) {
      size |= std::uint64_t{bytes[at++] & 0x7fu} << shift;
      shift += 7;
    }
    if (at == bytes.size()) return invalid("names: cut off");
    size |= std::uint64_t{bytes[at++]} << shift;
    if (size > bytes.size() - at) return invalid("names: cut off");
    const std::string_view name(reinterpret_cast<const char*>(bytes.data()) + at, size);
    if (!utf8_is_valid(name)) return invalid("names: text that is not UTF-8");
    values_->names.push_back(heap.intern(name));
    at += size;
  }
  return true;
}

bool BinaryReader::builtins() {
  const bool good = every(in_.builtins(), [&](const flatbuffers::String& name) {
    const auto id = find_builtin({name.data(), name.size()});
    if (!id) return invalid("unknown builtin " + name.str());
    values_->builtins.push_back(*id);
    return true;
  });
  return good || invalid("builtins");
}

bool BinaryReader::read_state(MachineState& run, RunState& out, HostState&) {
  values_.emplace(run);
  if (!names(run.heap()) || !builtins()) return false;
  out.run_id = text(in_.run_id());
  out.turn = in_.turn();
  every(in_.cells(), [&](const schema::Cell& cell) {
    CellState& state = out.cells.emplace_back();
    state.name = text(cell.name());
    state.defined = cell.defined();
    return true;
  });
  const auto* const limits = in_.limits();
  if (limits != nullptr && limits->outstanding() > std::uint8_t(Outstanding::Error)) return invalid("limits");
  out.has_journal = in_.has_journal();
  every(in_.journal(), [&](const schema::JournalEntry& entry) {
    out.journal.push_back({text(entry.id()), Value::nil()});
    return true;
  });
  if (in_.operations() != nullptr) out.operations.reserve(in_.operations()->size());
  const bool operations = every(in_.operations(), [&](const schema::Operation& in) {
    if (in.kind() > schema::OperationKind::MAX || in.status() > schema::OperationStatus::MAX) return false;
    if (in.number() != 0 && in.id() != nullptr) return false;
    if (in.call() != 0 && in.call_path() != nullptr) return false;
    Operation& state = out.operations.emplace_back();
    state.id = in.number() != 0 ? "op" + std::to_string(in.number()) : text(in.id());
    state.kind = static_cast<Operation::Kind>(in.kind());
    state.status = static_cast<Operation::Status>(in.status());
    state.delivered = in.delivered();
    state.detached = in.detached();
    state.awaits_at_call = in.awaits_at_call();
    state.resets_to_come = in.resets_to_come();
    state.tool = text(in.tool());
    state.reason = text(in.reason());
    state.sequence = in.sequence();
    state.created_ms = plus(in_.time_ms(), in.created_after_ms());
    state.due_ms = in.due_after_ms() == -1 ? 0 : plus(state.created_ms, in.due_after_ms());
    state.task_id = text(in.task_id());
    state.call_path = in.call() != 0 ? std::to_string(in.call() - 1) : text(in.call_path());
    state.key = in.key() != nullptr ? text(in.key())
                                    : call_key(out.run_id, out.turn, state.task_id, state.call_path);
    return true;
  });
  if (!operations) return invalid("operations");
  out.last_sequence = in_.last_sequence();
  out.last_fresh_id = in_.last_fresh_id();
  const auto stream_size = bytes_of(in_.values()).size();   // every value takes a byte at least
  if (in_.history() > stream_size || in_.retired() > stream_size) return invalid("history");
  out.history.assign(in_.history(), Value::nil());
  out.retired.assign(in_.retired(), Value::nil());
  if (!texts(in_.prints(), out.prints) || !texts(in_.warnings(), out.warnings)) return invalid("prints");
  out.print_bytes = in_.print_bytes();
  every(in_.summaries(), [&](const schema::Summary& summary) {
    out.summaries.push_back({text(summary.id()), text(summary.text())});
    return true;
  });
  out.fuel_used = in_.fuel_used();
  out.tool_calls = in_.tool_calls();
  out.bytes_peak = in_.bytes_peak();
  out.suspended = in_.suspended();
  out.suspensions = in_.suspensions();
  out.operations_before = in_.operations_before();
  if (!texts(in_.cancel_requests(), out.cancel_requests)) return invalid("cancel requests");
  out.next_request = in_.next_request();
  out.next_fiber_id = in_.next_fiber_id();
  out.closure_serial = in_.closure_serial();
  if (in_.fault() != nullptr) {
    const auto kind = find_fault({in_.fault()->data(), in_.fault()->size()});
    if (!kind) return invalid("unknown fault");
    out.tool_failed = true;
    out.fault_kind = *kind;
    out.fault_message = text(in_.fault_message());
    out.fault_hint = text(in_.fault_hint());
    out.fault_found = text(in_.fault_found());
  }
  return fibers(out) && (text_is_valid_ || invalid("text that is not UTF-8"));
}

bool BinaryReader::read_shapes() { return values_->read_shapes(bytes_of(in_.shapes())) || invalid(values_->problem); }

bool BinaryReader::read_values(std::vector<Value>& roots) {
  values_->number_linked_objects();
  values_->has_read = has_read;
  return values_->read(bytes_of(in_.values()), roots) || invalid(values_->problem);
}

bool BinaryReader::fibers(RunState& out) {
  const std::uint64_t stream_size = bytes_of(in_.values()).size();
  std::uint64_t slots = 0;
  const auto frame = [&](const schema::Frame& in, FiberState& fiber) {
    if (in.kind() > schema::FrameKind::MAX) return false;
    FrameState& state = fiber.frames.emplace_back();
    state.kind = static_cast<Frame::Kind>(in.kind());
    state.owns_callee = in.owns_callee();
    if (state.kind == Frame::Kind::Stepper) {
      if (in.program() >= values_->builtins.size() || in.function() > UINT16_MAX || in.pc() > UINT16_MAX) return false;
      state.builtin = values_->builtins[in.program()];
      state.stage = static_cast<std::uint16_t>(in.function());
      state.slot_count = static_cast<std::uint16_t>(in.pc());
      slots += state.slot_count;
      return slots <= stream_size;
    }
    state.link = in.program();
    state.function = in.function();
    state.pc = in.pc();
    return state.link < out.links.size() && state.function < out.links[state.link].program->functions.size();
  };
  const bool good = every(in_.fibers(), [&](const schema::Fiber& in) {
    if (in.state() > schema::FiberState::MAX) return false;
    FiberState& state = out.fibers.emplace_back();
    state.parent = in.parent();
    state.id = in.id();
    state.state = static_cast<Fiber::State>(in.state());
    state.request_id = in.request();
    state.request_task = text(in.request_task());
    state.request_path = text(in.request_path());
    state.request_key = text(in.request_key());
    state.calls = in.calls();
    state.fork_call = in.fork_call();
    state.operations = in.operations();
    state.fork_operation = in.fork_operation();
    state.stack_size = in.stack_size();
    state.frame_capacity = in.frame_capacity();
    if (in.frames() != nullptr) {
      for (const schema::Frame* one : *in.frames()) {
        if (!frame(*one, state)) return false;
      }
    }
    every(in.open_tasks(), [&](const schema::OpenTask& task) {
      state.open_tasks.push_back({text(task.id()), task.frames(), task.calls()});
      return true;
    });
    state.waits_for_task = text(in.waits_for_task());
    if (in.fault() != nullptr) {
      const auto kind = find_fault({in.fault()->data(), in.fault()->size()});
      if (!kind) return false;
      state.fault_kind = *kind;
    }
    state.fault_message = text(in.fault_message());
    state.fault_found = text(in.fault_found());
    state.fault_stack = text(in.fault_stack());
    if (in.definitions() != nullptr) {
      for (const schema::Definition* one : *in.definitions()) {
        state.definitions.push_back({one->cell(), one->defined(), Value::nil()});
      }
    }
    if (!texts(in.prints(), state.prints)) return false;
    if (in.records() != nullptr) state.records.reserve(in.records()->size());
    return every(in.records(), [&](const schema::ToolRecord& record) {
      if (record.operation() > out.operations.size()) return false;
      const Operation* const operation = record.operation() == 0 ? nullptr : &out.operations[record.operation() - 1];
      const bool same_tool = record.tool() == nullptr && operation != nullptr;
      state.records.push_back({same_tool ? operation->tool : text(record.tool()), Value::nil(), Value::nil(),
                               text(record.error()), record.cached(),
                               operation == nullptr ? std::string() : operation->id, text(record.key())});
      return true;
    });
  });
  return good || invalid("fibers");
}

}  // namespace ptc
