// RunState -> bytes. Children are built before their parents and one call at a time: the order of evaluation of
// arguments, which compilers choose, must not show in the bytes.
#include <charconv>

#include "schema/version.h"
#include "snapshot_generated.h"
#include "vm/exec/call_sites.h"
#include "vm/exec/machine_state.h"
#include "vm/snapshot/binary_writer.h"
#include "vm/snapshot/checksum.h"
#include "vm/snapshot/snapshot.h"
#include "vm/snapshot/state_values.h"
#include "vm/snapshot/table_builder.h"

namespace ptc {
namespace {

using flatbuffers::Offset;

// Returns whether a limit of the table is not at its default. A template, as it names no members that are not there.
template <class Table>
bool copy_limits(const Limits& in, Table& out) {
  using limit_columns::InSession;
  bool is_needed = false;
#define LIMIT(name, type, initial, least, most, zero, scope, fault, field, ...) \
  if constexpr ((field) != kLimitInSession) {                                   \
    out.name = in.name;                                                         \
    is_needed |= in.name != Limits{}.name;                                      \
  }
#define EARLIER(name, place, spelling)
#include "schema/limits.def"
#undef EARLIER
#undef LIMIT
  return is_needed;
}

class BinaryWriter : TableBuilder {
 public:
  BinaryWriter(StateValues& written, const HostState& host, const SnapshotOptions& options)
      : host_(host), options_(options), written_(written), state_(written.state), values_(written.stream) {}

  // The memory must be empty.
  void write(SnapshotMemory& out) {
    const bool is_large = written_.is_large();
    if (is_large) {
      out.reserve(most_size());
      values_.bytes.send_to(out);
    }
    written_.write();
    if (is_large) values_.bytes.flush();
    build(out.view().size());
    put_tables(out);
    const auto checksum = checksum_bytes(snapshot_checksum(out.view()));
    out.append(checksum);
    if (is_large) out.trim();
  }

  SnapshotEdges edges(std::size_t value_bytes) {
    build(value_bytes);
    const auto before = before_hole(), behind = behind_hole();
    return {{before.begin(), before.end()}, {behind.begin(), behind.end()}};
  }

 private:
  // The values are written.
  void build(std::size_t value_bytes) {
    constexpr std::size_t kSpare = std::size_t{4} << 20;   // never touched; growing would touch the hole
    value_bytes_ = value_bytes;
    for (std::uint32_t k = 0; k < state_.operations.size(); ++k) operation_index_.emplace(state_.operations[k].id, k);
    begin(likely_size() + value_bytes + (value_bytes == 0 ? 0 : kSpare));
    schema::FinishSnapshotBuffer(builder(), root());
  }

  // What the snapshot of a large run takes at most, and room for an envelope around it. Its values take no more than
  // on the heap.
  std::size_t most_size() const {
    constexpr std::size_t kRest = std::size_t{64} << 10, kMostGuessed = std::size_t{64} << 20;
    return likely_size() + std::min<std::size_t>(written_.heap_bytes, kMostGuessed) + kRest;
  }

  // Values that are in the memory already stay there.
  void put_tables(SnapshotMemory& out) const {
    out.reserve(bytes().size() + kChecksumBytes);
    if (value_bytes_ == 0) return out.append(bytes());
    out.append(behind_hole());
    out.prepend(before_hole());
  }

  List<std::uint8_t> value_list() {
    const std::span<const std::uint8_t> here = values_.bytes.view();
    builder().ForceVectorAlignment(std::max(value_bytes_, here.size()), 1, 8);   // the whole is a multiple of 8 bytes
    return value_bytes_ == 0 ? byte_list(here) : hole(value_bytes_);
  }

  std::size_t likely_size() const {
    constexpr std::size_t kRest = 2'048, kOperation = 128;
    std::size_t size = kRest + values_.bytes.view().size() + kOperation * state_.operations.size();
    for (const LinkState& link : state_.links) {
      if (options_.embed_programs && !link.is_prelude) size += link.program->encoded().packed.size();
    }
    return size;
  }

  std::uint32_t stepper_index(BuiltinId id) { return values_.builtin_index(id); }

  Offset<schema::LinkedProgram> program(const LinkState& link) {
    List<std::uint8_t> packed, hash;
    const EncodedProgram& encoded = link.program->encoded();
    if (options_.embed_programs && !link.is_prelude) {
      packed = builder().CreateVector(encoded.packed);
    } else {
      hash = builder().CreateVector(encoded.sha256.data(), encoded.sha256.size());
    }
    // A program that ran has its entry as a value; only what is not so is said.
    List<std::uint32_t> functions;
    const std::vector<std::uint32_t> usual =
        link.is_prelude ? std::vector<std::uint32_t>() : std::vector<std::uint32_t>{0};
    if (link.functions != usual) functions = builder().CreateVector(link.functions);
    schema::LinkedProgramBuilder out(builder());
    out.add_functions(functions);
    out.add_sha256(hash);
    out.add_packed(packed);
    out.add_prelude(link.is_prelude);
    return out.Finish();
  }

  // "op" and a number, or a plain number: what ids and call paths nearly always are. 0: it is not.
  static std::uint32_t number_of(std::string_view text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size() && number < UINT32_MAX;
    return whole && (text.size() == 1 || text[0] != '0') ? number + 1 : 0;
  }

  Offset<schema::Operation> operation(const Operation& in) {
    std::uint32_t number = in.id.starts_with("op") ? number_of(std::string_view(in.id).substr(2)) : 0;
    number = number > 1 ? number - 1 : 0;
    const std::uint32_t call = number_of(in.call_path);
    const Text id = number != 0 ? Text() : text(in.id), path = call != 0 ? Text() : text(in.call_path);
    const Text tool = shared_text(in.tool), reason = text(in.reason), task = shared_text(in.task_id);
    const bool derived = in.key == call_key(state_.run_id, state_.turn, in.task_id, in.call_path);
    const Text key = derived ? Text() : text(in.key);
    schema::OperationBuilder out(builder());
    out.add_sequence(in.sequence);
    out.add_due_after_ms(in.due_ms == 0 ? -1 : minus(in.due_ms, in.created_ms));
    out.add_created_after_ms(minus(in.created_ms, state_.operations.front().created_ms));
    out.add_resets_to_come(in.resets_to_come);
    out.add_key(key);
    out.add_task_id(task);
    out.add_reason(reason);
    out.add_call_path(path);
    out.add_id(id);
    out.add_call(call);
    out.add_tool(tool);
    out.add_number(number);
    out.add_awaits_at_call(in.awaits_at_call);
    out.add_detached(in.detached);
    out.add_delivered(in.delivered);
    out.add_kind(static_cast<schema::OperationKind>(in.kind));
    out.add_status(static_cast<schema::OperationStatus>(in.status));
    return out.Finish();
  }

  static std::int64_t minus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  }

  Offset<schema::ToolRecord> record(const ToolRecordData& in) {
    std::uint32_t operation = 0;
    if (!in.operation.empty()) {
      const auto at = operation_index_.find(in.operation);
      if (at != operation_index_.end()) operation = at->second + 1;
    }
    const bool same_tool = operation != 0 && state_.operations[operation - 1].tool == in.tool;
    const Text tool = same_tool ? Text() : shared_text(in.tool), error = text(in.error), key = text(in.key);
    schema::ToolRecordBuilder out(builder());
    out.add_key(key);
    out.add_error(error);
    out.add_tool(tool);
    out.add_operation(operation);
    out.add_cached(in.cached);
    return out.Finish();
  }

  schema::Frame frame(const FrameState& in) {
    if (in.kind == Frame::Kind::Stepper) {
      return {stepper_index(in.builtin), in.stage, in.slot_count, schema::FrameKind::Stepper, in.owns_callee};
    }
    return {in.link, in.function, in.pc, schema::FrameKind::Bytecode, in.owns_callee};
  }

  List<const schema::Frame*> frames(const FiberState& in) {
    std::vector<schema::Frame> made;
    made.reserve(in.frames.size());
    for (const FrameState& one : in.frames) made.push_back(frame(one));
    return made.empty() ? List<const schema::Frame*>() : builder().CreateVectorOfStructs(made);
  }

  Offset<schema::Fiber> fiber(const FiberState& in) {
    const auto frame_list = frames(in);
    const auto tasks = list(in.open_tasks, [this](const OpenTask& task) {
      const Text id = text(task.id);
      return schema::CreateOpenTask(builder(), id, task.frame_count, task.calls);
    });
    const Text waits = text(in.waits_for_task);
    const bool faulted = in.state == Fiber::State::Faulted;
    const Text fault = faulted ? text(fault_name(in.fault_kind)) : Text(), message = text(in.fault_message);
    const Text fault_found = text(in.fault_found), fault_stack = text(in.fault_stack);
    std::vector<schema::Definition> made;
    for (const DefinitionState& definition : in.definitions) made.emplace_back(definition.cell, definition.defined);
    const auto definitions =
        made.empty() ? List<const schema::Definition*>() : builder().CreateVectorOfStructs(made);
    const auto prints = texts(in.prints);
    const auto records = list(in.records, [this](const ToolRecordData& one) { return record(one); });
    const Text task = text(in.request_task), path = text(in.request_path), key = text(in.request_key);
    schema::FiberBuilder out(builder());
    out.add_request(in.request_id);
    out.add_request_key(key);
    out.add_request_path(path);
    out.add_request_task(task);
    out.add_fork_operation(in.fork_operation);
    out.add_operations(in.operations);
    out.add_fork_call(in.fork_call);
    out.add_calls(in.calls);
    out.add_records(records);
    out.add_prints(prints);
    out.add_definitions(definitions);
    out.add_fault_found(fault_found);
    out.add_fault_stack(fault_stack);
    out.add_fault_message(message);
    out.add_fault(fault);
    out.add_waits_for_task(waits);
    out.add_open_tasks(tasks);
    out.add_frames(frame_list);
    out.add_frame_capacity(in.frame_capacity);
    out.add_stack_size(in.stack_size);
    out.add_id(in.id);
    out.add_parent(in.parent);
    out.add_state(static_cast<schema::FiberState>(in.state));
    return out.Finish();
  }

  Offset<schema::Limits> limits() {
    schema::LimitsT out;
    out.outstanding = static_cast<std::uint8_t>(state_.limits.outstanding);
    if (!copy_limits(state_.limits, out) && out.outstanding == 0) return {};
    return schema::Limits::Pack(builder(), &out);
  }

  Offset<schema::Session> session() {
    const Text source_name = text(host_.source_name), signature = text(host_.signature);
    const auto tools = list(host_.tools, [this](const HostTool& tool) {
      const Text name = shared_text(tool.name), effect = text(tool.effect);
      return schema::CreateTool(builder(), name, tool.signature, effect, tool.mode);
    });
    std::vector<Text> keys;
    for (const auto& [key, value] : host_.cached_answers) keys.push_back(builder().CreateString(key));
    const auto cached = keys.empty() ? List<Text>() : builder().CreateVector(keys);
    const auto approvals = texts(host_.approvals);
    schema::SessionBuilder out(builder());
    out.add_active_ms(host_.active_ms);
    out.add_timeout_ms(static_cast<std::uint64_t>(state_.limits.timeout_ms));
    out.add_approvals(approvals);
    out.add_cached_answers(cached);
    out.add_tools(tools);
    out.add_max_symbols(state_.limits.symbols);
    out.add_float_precision(host_.float_precision);
    out.add_signature(signature);
    out.add_source_name(source_name);
    out.add_check_tools(host_.check_tools);
    out.add_strict_task_ids(host_.strict_task_ids);
    out.add_waits_for_host(host_.waits_for_host);
    return out.Finish();
  }

  List<std::uint8_t> names() {
    std::vector<std::uint8_t> bytes;
    for (const Keyword* keyword : values_.names) {
      std::uint64_t size = keyword->size_bytes;
      for (; size >= 0x80; size >>= 7) bytes.push_back(static_cast<std::uint8_t>(size | 0x80));
      bytes.push_back(static_cast<std::uint8_t>(size));
      bytes.insert(bytes.end(), keyword->bytes(), keyword->bytes() + keyword->size_bytes);
    }
    return byte_list(bytes);
  }

  Offset<schema::Snapshot> root() {
    const Text engine = text(kEngineVersion);
    const auto programs = list(state_.links, [this](const LinkState& link) { return program(link); });
    const auto name_list = names();
    const auto builtins = list(values_.builtins, [this](BuiltinId id) { return text(builtin_info(id).name); });
    const auto shapes = byte_list(values_.shapes.view());
    const auto values = value_list();
    const auto cells = list(state_.cells, [this](const CellState& cell) {
      const Text name = text(cell.name);
      return schema::CreateCell(builder(), name, cell.defined);
    });
    const auto journal = list(state_.journal, [this](const JournalState& entry) {
      return schema::CreateJournalEntry(builder(), text(entry.id));
    });
    const auto operations = list(state_.operations, [this](const Operation& one) { return operation(one); });
    const auto fibers = list(state_.fibers, [this](const FiberState& one) { return fiber(one); });
    const auto prints = texts(state_.prints), warnings = texts(state_.warnings);
    const auto summaries = list(state_.summaries, [this](const StepSummary& summary) {
      const Text id = text(summary.id), what = text(summary.summary);
      return schema::CreateSummary(builder(), id, what);
    });
    const Text fault = state_.tool_failed ? text(fault_name(state_.fault_kind)) : Text();
    const Text fault_message = text(state_.fault_message), fault_hint = text(state_.fault_hint);
    const Text fault_found = text(state_.fault_found);
    const auto cancels = texts(state_.cancel_requests);
    const Text run_id = text(state_.run_id);
    const auto limit_table = limits();
    const auto session_table = session();

    schema::SnapshotBuilder out(builder());
    out.add_bytes_peak(state_.bytes_peak);
    out.add_fuel_used(state_.fuel_used);
    out.add_print_bytes(state_.print_bytes);
    out.add_last_sequence(state_.last_sequence);
    if (!state_.operations.empty()) out.add_time_ms(state_.operations.front().created_ms);
    out.add_run_id(run_id);
    out.add_cancel_requests(cancels);
    out.add_session(session_table);
    out.add_limits(limit_table);
    out.add_fault_found(fault_found);
    out.add_fault_hint(fault_hint);
    out.add_fault_message(fault_message);
    out.add_fault(fault);
    out.add_summaries(summaries);
    out.add_warnings(warnings);
    out.add_prints(prints);
    out.add_fibers(fibers);
    out.add_operations(operations);
    out.add_journal(journal);
    out.add_cells(cells);
    out.add_values(values);
    out.add_shapes(shapes);
    out.add_builtins(builtins);
    out.add_names(name_list);
    out.add_programs(programs);
    out.add_engine(engine);
    out.add_operations_before(state_.operations_before);
    out.add_suspensions(state_.suspensions);
    out.add_turn(static_cast<std::uint32_t>(state_.turn));
    out.add_tool_calls(static_cast<std::uint32_t>(state_.tool_calls));
    out.add_last_fresh_id(static_cast<std::uint32_t>(state_.last_fresh_id));
    out.add_next_request(static_cast<std::uint32_t>(state_.next_request));
    out.add_closure_serial(state_.closure_serial);
    out.add_next_fiber_id(state_.next_fiber_id);
    out.add_retired(static_cast<std::uint32_t>(state_.retired.size()));
    out.add_history(static_cast<std::uint32_t>(state_.history.size()));
    out.add_running(state_.running);
    out.add_oldest_reader(kSnapshotOldestReader);
    out.add_format(kSnapshotFormat);
    out.add_suspended(state_.suspended);
    out.add_has_journal(state_.has_journal);
    return out.Finish();
  }

  const HostState& host_;
  const SnapshotOptions& options_;
  StateValues& written_;
  RunState& state_;
  ValueWriter& values_;
  boost::unordered_flat_map<std::string_view, std::uint32_t> operation_index_;
  std::size_t value_bytes_ = 0;           // the values that are in the memory already
};

}  // namespace

SnapshotEdges snapshot_edges(StateValues& written, const HostState& host, const SnapshotOptions& options,
                             std::size_t value_bytes) {
  return BinaryWriter(written, host, options).edges(value_bytes);
}

void write_snapshot(const Run& run, const HostState& host, const SnapshotOptions& options, SnapshotMemory& out) {
  const MachineView view(run);
  StateValues values(view, host);
  BinaryWriter(values, host, options).write(out);
}

std::vector<std::uint8_t> write_snapshot(const Run& run, const HostState& host, const SnapshotOptions& options) {
  SnapshotVector<std::uint8_t> out;
  write_snapshot(run, host, options, out);
  return std::move(out).take();
}

}  // namespace ptc
