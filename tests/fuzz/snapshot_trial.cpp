#include "fuzz/snapshot_trial.h"

#include "fuzz/fuzz_target.h"
#include "support/snapshot_drive.h"

namespace ptc::fuzz {

void try_snapshot(std::span<const std::uint8_t> bytes) {
  const test::Driven driven = test::drive_snapshot(bytes, seed_of(bytes), test::tiny_limits());
  expect_none(driven.complaint);
  const bool has_reason = !driven.refusal.message.empty() && !snapshot_error_name(driven.refusal.kind).empty();
  promise(driven.restored || has_reason, "refused without a reason");
}

}  // namespace ptc::fuzz
