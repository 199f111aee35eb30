// Snapshots as JSON, broken by their members: refused by a name, or run under small limits and written again.
#include "fuzz/fuzz_target.h"
#include "fuzz/snapshot_json_mutation.h"
#include "fuzz/snapshot_trial.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return ptc::fuzz::mutate_with(ptc::test::mutated_snapshot_json, data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ptc::fuzz::try_snapshot({data, size});
  return 0;
}
