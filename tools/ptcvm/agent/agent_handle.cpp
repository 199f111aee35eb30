#include "tools/ptcvm/agent/agent_handle.h"

namespace ptcvm::cli {

loop::AgentRun& MemoryAgent::now() {
  run_.advance(clock_());
  return run_;
}

Result<void> MemoryAgent::resolve_model(std::string_view path, const loop::ModelReply& reply) {
  return now().resolve_model(path, reply);
}

Result<void> MemoryAgent::unsend_model(std::string_view path) {
  auto deferred = run_.defer_model(path, 0);
  if (deferred) run_.step();   // the run asks again, and nobody answers
  return deferred;
}

Result<void> MemoryAgent::advance() {
  now();
  return {};
}

}  // namespace ptcvm::cli
