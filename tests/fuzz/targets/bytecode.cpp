// Any bytes as a compiled program: what the verifier accepts is written again, and runs under small limits.
#include "fuzz/fuzz_target.h"
#include "fuzz/program_trial.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ptc::fuzz::try_program({data, size});
  return 0;
}
