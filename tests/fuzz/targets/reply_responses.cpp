// Any bytes as what a model server answers in the protocol `responses`.
#include "fuzz/fuzz_target.h"
#include "fuzz/reply_trial.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ptc::fuzz::try_reply(ptcvm::wire::Protocol::Responses, data, size);
  return 0;
}
