// A sequence of calls of the C API: which functions, with which handles, numbers and texts. Each call says what it
// promises, handles that are freed give everything back, and nothing is read that is gone.
#include "fuzz/c_api_heap.h"
#include "fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ptc::fuzz::try_c_calls(ptc::fuzz::text_of(data, size));
  return 0;
}
