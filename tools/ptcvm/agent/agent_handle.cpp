#include "tools/ptcvm/agent/agent_handle.h"

#include <string>

namespace ptcvm::cli {

loop::AgentRun& MemoryAgent::now() {
  run_.advance(clock_());
  return run_;
}

Result<void> MemoryAgent::resolve_model(std::string_view path, const loop::ModelReply& reply) {
  return now().resolve_model(path, reply);
}

Result<void> MemoryAgent::advance() {
  now();
  return {};
}

Result<void> KeptAgent::doubt(std::string_view path) {
  // The call is in the log without an answer: the next process that opens the run finds it in doubt.
  return Error{Errc::wrong_state, "nobody knows whether " + std::string(path) + " happened", std::nullopt, {}};
}

}  // namespace ptcvm::cli
