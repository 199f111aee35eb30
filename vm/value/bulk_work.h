// Who pays for walks along values. Comparing, hashing and ordering know no heap, so a run says while it executes that
// its heap is to be charged; outside of runs nobody is. The unit is the one of Heap::add_work().
#pragma once
#include <cstdint>

#include "vm/value/heap.h"

namespace ptc {

// Elements, entries or nodes that a walk may look at for nothing, and how many of more cost a unit of fuel.
inline constexpr std::uint64_t kFreeParts = 64;
inline constexpr std::uint64_t kPartsPerUnit = 8;
inline constexpr std::uint64_t kTextBytesPerPart = 16;

void charge_parts_slowly(std::uint64_t parts);
inline void charge_parts(std::uint64_t parts) {
  if (parts >= kFreeParts) charge_parts_slowly(parts);
}
// Of text that was read to here.
inline void charge_text(std::uint64_t bytes) { charge_parts(bytes / kTextBytesPerPart); }

// While it lives, this thread's walks are charged to that heap.
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
