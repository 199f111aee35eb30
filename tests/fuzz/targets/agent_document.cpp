// Any bytes as the document of an agent, in both faces.
#include "fuzz/document_trial.h"
#include "fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ptc::fuzz::try_document({data, size});
  return 0;
}
