// Bytes -> RunState. Every table is read once, after the FlatBuffers verifier; names are resolved, enumerations and
// indices into other tables checked. What the state means is checked by install.h.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "vm/snapshot/run_state.h"
#include "vm/snapshot/snapshot.h"

namespace flatbuffers {
struct String;
}

namespace ptc {

namespace schema {
struct Snapshot;
}

// The parts of a snapshot that need no heap. False: error says why.
class BinaryReader {
 public:
  explicit BinaryReader(const schema::Snapshot& in) : in_(in) {}

  bool read_host(HostState& out);
  bool read_programs(ProgramSource* known, RunState& out);
  bool read_state(RunState& out);        // after read_programs
  RunLimits limits() const;
  bool names(std::vector<std::string_view>& out);
  bool builtins(std::vector<BuiltinId>& out);

  RestoreError error;

 private:
  bool invalid(std::string message);
  std::string text(const flatbuffers::String* in);
  bool fibers(RunState& out);

  const schema::Snapshot& in_;
  std::vector<BuiltinId> builtins_;
  bool text_is_valid_ = true;
};

}  // namespace ptc
