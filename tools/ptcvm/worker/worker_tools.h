// Tools that are commands, for a worker: their processes belong to the thread that steps the run.
#pragma once
#include <cstddef>
#include <optional>

#include "ptcvm/worker.hpp"
#include "tools/ptcvm/calls/command_calls.h"

namespace ptcvm::cli {

// See WorkerCalls. Processes that stay serve one run after another.
class WorkerCommands final : public WorkerCalls {
 public:
  // At most `most` commands of a run at once.
  WorkerCommands(CommandTools tools, std::size_t most) : tools_(std::move(tools)), most_(most) {}

  void serve(StoredRun& run) override;
  void leave() override { calls_.reset(); }

 private:
  CommandTools tools_;
  const std::size_t most_;
  std::optional<CommandCalls> calls_;          // the run that was served last has them
};

}  // namespace ptcvm::cli
