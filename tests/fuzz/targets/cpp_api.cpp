// A sequence of calls of the C++ API, with objects in any state and values at their edges. A failure says why, and a
// write to a log that fails has written nothing.
#include "fuzz/cpp_api_heap.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ptcvm::fuzz::try_cpp_calls(ptc::fuzz::text_of(data, size));
  return 0;
}
