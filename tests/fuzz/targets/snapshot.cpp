// Any bytes as a snapshot: refused by a name, or restored, run to an end under small limits and written again.
#include "fuzz/fuzz_target.h"
#include "fuzz/snapshot_trial.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ptc::fuzz::try_snapshot({data, size});
  return 0;
}
