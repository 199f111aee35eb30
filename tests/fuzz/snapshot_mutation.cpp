#include "fuzz/snapshot_mutation.h"

#include <algorithm>
#include <memory>

#include "fuzz/part_mutation.h"
#include "fuzz/program_mutation.h"
#include "schema/builtin_id.h"
#include "schema/flat_tree.h"
#include "snapshot_generated.h"
#include "support/packed_snapshot.h"
#include "support/unpacked_program.h"

namespace ptc::test {
namespace {

void change_text(std::string& text, Random& random) {
  constexpr const char* kTexts[] = {"", "op1", "op2", "op1.0.1", "a", "x", "task", "type_error", "fuel_exhausted", "f",
                                    "get", "%seq", "%close", "sort", "pmap", "await", "\xff"};
  if (text.empty() || random.below(2) == 0) {
    text = random.pick(kTexts);
  } else {
    text[random.below(text.size())] = static_cast<char>(random.below(256));
  }
}

void change_frame(schema::Frame& frame, Random& random) {
  std::uint32_t program = frame.program(), function = frame.function(), pc = frame.pc();
  schema::FrameKind kind = frame.kind();
  bool owns = frame.owns_callee();
  switch (random.below(8)) {
    case 0: change(program, random); break;
    case 1: change(function, random); break;
    case 2: kind = static_cast<schema::FrameKind>(random.below(3)); break;
    case 3: owns = !owns; break;
    case 4: pc = random.below(200); break;
    default: change(pc, random);
  }
  frame = {program, function, pc, kind, owns};
}

void change_fiber(schema::FiberT& fiber, Random& random) {
  switch (random.below(18)) {
    case 0: change(fiber.parent, random); break;
    case 1: fiber.state = static_cast<schema::FiberState>(random.below(8)); break;
    case 2: change(fiber.request, random); break;
    case 3: change(fiber.stack_size, random); break;
    case 4: change(fiber.frame_capacity, random); break;
    case 5: shuffle_list(fiber.frames, random); break;
    case 6: double_one(fiber.frames, random); break;
    case 7: change(fiber.calls, random); break;
    case 8: change(fiber.operations, random); break;
    case 9: change(fiber.fork_operation, random); break;
    case 10: change_text(fiber.waits_for_task, random); break;
    case 11: change_text(fiber.fault, random); break;
    case 12: fiber.definitions.emplace_back(random.below(10), random.below(2) == 0); break;
    case 13: shuffle_list(fiber.records, random); break;
    case 14: double_one(fiber.open_tasks, random); break;
    default:
      if (!fiber.frames.empty()) change_frame(fiber.frames[random.below(fiber.frames.size())], random);
  }
}

void change_operation(schema::OperationT& operation, Random& random) {
  switch (random.below(12)) {
    case 0: change_text(operation.id, random); break;
    case 1: operation.kind = static_cast<schema::OperationKind>(random.below(4)); break;
    case 2: operation.status = static_cast<schema::OperationStatus>(random.below(6)); break;
    case 3: operation.delivered = !operation.delivered; break;
    case 4: operation.awaits_at_call = !operation.awaits_at_call; break;
    case 5: change(operation.sequence, random); break;
    case 6: change(operation.created_after_ms, random); break;
    case 7: change(operation.due_after_ms, random); break;
    case 8: change_text(operation.task_id, random); break;
    case 9: change(operation.number, random); break;
    case 10: change(operation.call, random); break;
    default: change_text(operation.tool, random);
  }
}

void change_limits(schema::LimitsT& limits, Random& random) {
  switch (random.below(8)) {
    case 0: change(limits.fuel, random); break;
    case 1: change(limits.memory_bytes, random); break;
    case 2: change(limits.depth, random); break;
    case 3: change(limits.loop, random); break;
    case 4: change(limits.parallel_branches, random); break;
    case 5: change(limits.integer_bits, random); break;
    case 6: change(limits.await_timeout_ms, random); break;
    default: change(limits.operation_ttl_ms, random);
  }
}

// Octets of a value stream: items are replaced, copied about and given other numbers.
void change_stream(Octets& stream, const Octets& other, Random& random) {
  if (stream.empty() || random.below(3) == 0) {
    stream = mutated_bytes(std::move(stream), other, random);
    return;
  }
  const std::size_t at = random.below(stream.size());
  switch (random.below(4)) {
    case 0: stream[at] = static_cast<std::uint8_t>(random.below(13) << 4 | random.below(16)); break;   // another item
    case 1: stream[at] = static_cast<std::uint8_t>((stream[at] & 0xf0u) | random.below(16)); break;    // its number
    case 2: stream[at] = static_cast<std::uint8_t>(stream[at] + (random.below(2) == 0 ? 1 : 255)); break;
    default: {
      const std::size_t from = random.below(stream.size());
      const std::size_t end = std::min<std::size_t>(stream.size(), from + 1 + random.below(8));
      const Octets piece(stream.begin() + static_cast<std::ptrdiff_t>(from),
                         stream.begin() + static_cast<std::ptrdiff_t>(end));
      if (random.below(2) == 0) {
        std::copy_n(piece.begin(), std::min(piece.size(), stream.size() - at),
                    stream.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        stream.insert(stream.begin() + static_cast<std::ptrdiff_t>(at), piece.begin(), piece.end());
      }
    }
  }
}

void change_counters(schema::SnapshotT& snapshot, Random& random) {
  switch (random.below(12)) {
    case 0: change(snapshot.running, random); break;
    case 1: change(snapshot.history, random); break;
    case 2: change(snapshot.retired, random); break;
    case 3: change(snapshot.last_sequence, random); break;
    case 4: change(snapshot.last_fresh_id, random); break;
    case 5: change(snapshot.next_request, random); break;
    case 6: change(snapshot.next_fiber_id, random); break;
    case 7: change(snapshot.closure_serial, random); break;
    case 8: change(snapshot.fuel_used, random); break;
    case 9: change(snapshot.operations_before, random); break;
    case 10: snapshot.suspended = !snapshot.suspended; break;
    default: change_text(snapshot.fault, random);
  }
}

void change_builtins(schema::SnapshotT& snapshot, Random& random) {
  const std::string name(kBuiltins[random.below(kBuiltinCount)].name);
  if (snapshot.builtins.empty() || random.below(3) == 0) {
    snapshot.builtins.push_back(name);
  } else {
    snapshot.builtins[random.below(snapshot.builtins.size())] = name;
  }
}

void change_program(schema::LinkedProgramT& program, const Octets& other, Random& random) {
  if (random.below(8) == 0) {
    program.packed = mutated_bytes(std::move(program.packed), other, random);
    return;
  }
  unpack_program(program);
  switch (random.below(8)) {
    case 0: program.functions.push_back(random.below(20)); break;
    case 1: program.prelude = !program.prelude; break;
    case 2:
    case 3: program.bytes = mutated_bytes(std::move(program.bytes), other, random); break;
    default: program.bytes = mutated_program(program.bytes, other, random);
  }
}

void change_part(schema::SnapshotT& snapshot, const schema::SnapshotT& other, Random& random) {
  switch (random.below(24)) {
    case 0: change_counters(snapshot, random); break;
    case 1: change_builtins(snapshot, random); break;
    case 2: snapshot.names = mutated_bytes(std::move(snapshot.names), other.names, random); break;
    case 3: shuffle_list(snapshot.cells, random); break;
    case 4: double_one(snapshot.operations, random); break;
    case 5: shuffle_list(snapshot.operations, random); break;
    case 6: shuffle_list(snapshot.fibers, random); break;
    case 7:
      if (!snapshot.limits) snapshot.limits = std::make_unique<schema::LimitsT>();
      change_limits(*snapshot.limits, random);
      break;
    case 8:
    case 20:
    case 21:
    case 22:
      if (!snapshot.programs.empty()) {
        change_program(*snapshot.programs[random.below(snapshot.programs.size())], other.values, random);
      }
      break;
    case 9: snapshot.shapes = mutated_bytes(std::move(snapshot.shapes), other.values, random); break;
    case 10:
    case 11:
      if (!snapshot.operations.empty()) {
        change_operation(*snapshot.operations[random.below(snapshot.operations.size())], random);
      }
      break;
    case 12:
    case 13:
    case 14:
    case 15:
      if (!snapshot.fibers.empty()) change_fiber(*snapshot.fibers[random.below(snapshot.fibers.size())], random);
      break;
    default: change_stream(snapshot.values, other.values, random);
  }
}

std::unique_ptr<schema::SnapshotT> unpacked(const Octets& bytes) {
  if (snapshot_kind(bytes) == SnapshotKind::None) return nullptr;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  const bool is_whole = verifier.VerifyBuffer<schema::Snapshot>(nullptr);
  if (!is_whole || !is_flat_tree(bytes, schema::SnapshotTypeTable())) return nullptr;
  return std::unique_ptr<schema::SnapshotT>(schema::GetSnapshot(bytes.data())->UnPack());
}

}  // namespace

Octets mutated_parts(const Octets& bytes, const Octets& other, Random& random) {
  const auto snapshot = unpacked(bytes), donor = unpacked(other);
  if (snapshot == nullptr || donor == nullptr) return bytes;
  const unsigned changes = 1 + random.below(3);
  for (unsigned k = 0; k < changes; ++k) change_part(*snapshot, *donor, random);
  return packed_snapshot(*snapshot);
}

}  // namespace ptc::test
