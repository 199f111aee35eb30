// Compiled programs broken by their parts: instructions, constants, functions. Refused, or run under small limits.
#include "fuzz/fuzz_target.h"
#include "fuzz/program_mutation.h"
#include "fuzz/program_trial.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return ptc::fuzz::mutate_with(ptc::test::mutated_program, data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ptc::fuzz::try_program({data, size});
  return 0;
}
