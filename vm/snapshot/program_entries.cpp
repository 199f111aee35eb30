#include "vm/snapshot/program_entries.h"

#include <cstring>

#include "vm/exec/packed_words.h"
#include "vm/exec/prelude.h"

namespace ptc {
namespace {

bool invalid(RestoreError& error, std::string message) {
  error = {SnapshotError::Invalid, std::move(message)};
  return false;
}

std::shared_ptr<const Program> load_bytes(std::span<const std::uint8_t> bytes, ProgramSource* known,
                                          RestoreError& error) {
  if (known != nullptr) {
    if (auto program = known->find_bytes(bytes)) return program;
  }
  std::vector<std::uint64_t> aligned((bytes.size() + 7) / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  auto loaded = Program::from_bytes({reinterpret_cast<const std::uint8_t*>(aligned.data()), bytes.size()});
  if (const auto* why = std::get_if<ProgramError>(&loaded)) {
    error = {SnapshotError::BadProgram, "program: " + why->message};
    return nullptr;
  }
  auto program = std::get<std::shared_ptr<const Program>>(loaded);
  if (known != nullptr) known->keep(program);
  return program;
}

// Bytes that are known are not unpacked.
std::shared_ptr<const Program> load_packed(std::span<const std::uint8_t> packed, ProgramSource* known,
                                           RestoreError& error) {
  if (known != nullptr) {
    if (auto program = known->find_packed(packed)) return program;
  }
  const auto bytes = unpack_words(packed);
  if (bytes) return load_bytes(*bytes, known, error);
  error = {SnapshotError::Invalid, "programs"};
  return nullptr;
}

std::shared_ptr<const Program> find_program(const ProgramEntry& entry, ProgramSource* known, RestoreError& error) {
  if (entry.prelude) {
    auto prelude = find_prelude(entry.sha256);
    if (prelude == nullptr && known != nullptr) prelude = known->find_prelude(entry.sha256);
    if (prelude != nullptr) return prelude;
    error = {SnapshotError::UnsupportedVersion, "written by an engine whose prelude is not kept here"};
    return nullptr;
  }
  if (!entry.bytes.empty() && !entry.packed.empty()) {
    error = {SnapshotError::Invalid, "programs"};
    return nullptr;
  }
  if (!entry.bytes.empty()) return load_bytes(entry.bytes, known, error);
  if (!entry.packed.empty()) return load_packed(entry.packed, known, error);
  std::shared_ptr<const Program> program;
  if (known != nullptr && entry.sha256.size() == 32) program = known->find(entry.sha256);
  if (program == nullptr) {
    error = {SnapshotError::MissingProgram, "the program is not in the snapshot, and not known here"};
  }
  return program;
}

}  // namespace

bool add_program(const ProgramEntry& entry, ProgramSource* known, RunState& out, RestoreError& error) {
  LinkState link;
  link.is_prelude = entry.prelude;
  link.program = find_program(entry, known, error);
  if (link.program == nullptr) return false;
  for (const LinkState& other : out.links) {
    if (other.program == link.program) return invalid(error, "one program twice");
  }
  const std::size_t count = link.program->functions.size();
  if (!entry.functions && !entry.prelude) link.functions = {0};
  for (const std::uint32_t index : entry.functions.value_or(std::vector<std::uint32_t>())) {
    const bool ascending = link.functions.empty() || link.functions.back() < index;
    if (!ascending || index >= count || (!entry.prelude && index != 0)) return invalid(error, "functions of a program");
    if (link.program->functions[index].upvalue_count != 0) return invalid(error, "functions of a program");
    link.functions.push_back(index);
  }
  out.links.push_back(std::move(link));
  return true;
}

bool set_running(std::uint32_t running, bool in_turn, RunState& out, RestoreError& error) {
  out.running = running;
  if (!in_turn) return running == 0 || invalid(error, "a program that does not run");
  if (running >= out.links.size() || out.links[running].is_prelude) return invalid(error, "the running program");
  if (out.links[running].functions == std::vector<std::uint32_t>{0}) return true;
  return invalid(error, "the running program");
}

}  // namespace ptc
