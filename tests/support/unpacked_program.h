// Programs of snapshots as tests change them: as bytes, which format 1 has and every format may have.
#pragma once
#include "snapshot_generated.h"
#include "vm/exec/packed_words.h"

namespace ptc::test {

inline void unpack_program(schema::LinkedProgramT& program) {
  if (program.packed.empty()) return;
  if (auto bytes = unpack_words(program.packed)) program.bytes = std::move(*bytes);
  program.packed.clear();
}

}  // namespace ptc::test
