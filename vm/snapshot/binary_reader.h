// Reads bytes into a RunState. Each table is read once, after the FlatBuffers verifier. The reader resolves names and
// checks enumerations and indices into other tables. install.h checks what the state means.
#pragma once
#include <optional>
#include <vector>

#include "vm/snapshot/snapshot_reader.h"
#include "vm/snapshot/value_reader.h"

namespace flatbuffers {
struct String;
}

namespace ptc {

namespace schema {
struct Snapshot;
}

class BinaryReader : public SnapshotReader {
 public:
  explicit BinaryReader(const schema::Snapshot& in) : in_(in) {}

  bool read_host(HostState& out) override;
  bool read_programs(ProgramSource* known, RunState& out) override;
  RunLimits limits() override;
  bool read_state(MachineState& run, RunState& out, HostState& host) override;
  bool read_shapes() override;
  bool read_values(std::vector<Value>& roots) override;
  void forget_values() override { values_.reset(); }

 private:
  std::string text(const flatbuffers::String* in);
  bool names(Heap& heap);
  bool builtins();
  bool fibers(RunState& out);

  const schema::Snapshot& in_;
  std::optional<ValueReader> values_;
  bool text_is_valid_ = true;
};

}  // namespace ptc
