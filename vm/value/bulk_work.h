// Decides which run pays for walks along values. Comparing, hashing and ordering do not know a heap. So a run says
// while it executes that its heap pays; outside of runs nobody pays. The unit is the unit of Heap::add_work().
#pragma once
#include <cstdint>

#include "vm/value/heap.h"

namespace ptc {

// A walk may visit this many elements, entries or nodes without charge.
inline constexpr std::uint64_t kFreeParts = 64;
inline constexpr std::uint64_t kPartsPerUnit = 8;
inline constexpr std::uint64_t kTextBytesPerPart = 16;

void charge_parts_slowly(std::uint64_t parts);
inline void charge_parts(std::uint64_t parts) {
  if (parts >= kFreeParts) charge_parts_slowly(parts);
}
// Charges text that was read to here.
inline void charge_text(std::uint64_t bytes) { charge_parts(bytes / kTextBytesPerPart); }

// While a payer lives, the walks of this thread are charged to its heap.
class BulkWorkPayer {
 public:
  explicit BulkWorkPayer(Heap& heap);
  ~BulkWorkPayer();
  BulkWorkPayer(const BulkWorkPayer&) = delete;
  BulkWorkPayer& operator=(const BulkWorkPayer&) = delete;

 private:
  Heap* const before_;
};

}  // namespace ptc
