// What happens to bytes that may be anything: refused, or restored and run to an end under small limits. Either is
// right; a crash, a leak or a finding of a sanitizer is not, and neither is a run that cannot be written and restored.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "vm/snapshot/snapshot.h"

namespace ptc::test {

RunLimits small_limits();
RunLimits tiny_limits();        // where the number of attempts counts

struct Driven {
  bool restored = false;
  RestoreError refusal;         // unless it was restored
  std::string complaint;        // not empty: it was restored, and what it wrote is not what it was
};

// The checksum is put right before: what it would keep out is looked for. The seed decides how the host behaves:
// what tools answer, when operations are settled, where the run is rewritten.
Driven drive_snapshot(std::span<const std::uint8_t> bytes, std::uint64_t seed, const RunLimits& most = small_limits());

// The same for a run that was just started: the complaint.
std::string drive_run(Run run, std::uint64_t seed, const RunLimits& most);

}  // namespace ptc::test
