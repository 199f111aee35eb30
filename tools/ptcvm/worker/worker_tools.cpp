#include "tools/ptcvm/worker/worker_tools.h"

namespace ptcvm::cli {

void WorkerCommands::serve(StoredRun& run) {
  if (!calls_) calls_.emplace(tools_, most_, nullptr);
  look_at_calls(run, *calls_);
}

}  // namespace ptcvm::cli
