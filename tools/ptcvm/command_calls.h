// Calls of tools that are commands, several of them at once: starts the processes, waits for the next ones to end, and
// gives their answers to the run. Tools that are no commands are called at once, one after another.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "runtime/durable/durable_run.h"
#include "runtime/session/session.h"
#include "tools/ptcvm/child_process.h"
#include "tools/ptcvm/external_tool.h"

namespace ptcvm::cli {

class CommandCalls {
 public:
  // Takes the answer of a call, and how long the call took.
  using Answer = std::function<void(std::uint64_t call, ptc::ToolReply reply, std::uint64_t micros)>;

  explicit CommandCalls(std::size_t most) : most_(most) {}

  // Makes a call. Returns false when the call was begun before, or when `most` commands run already.
  bool begin(std::uint64_t call, const ptc::Tool& tool, const ptc::ToolCall& made, const Answer& answer);
  // Waits until a command ends, and answers. Returns at once when no command runs.
  void wait(ptc::Heap& heap, const Answer& answer);

 private:
  struct Running {
    const CommandTool* tool = nullptr;
    std::unique_ptr<ChildProcess> process;
    std::chrono::steady_clock::time_point begun;
  };
  const std::size_t most_;
  std::map<std::uint64_t, Running> running_;   // by call
};

// Steps a session whose turn has begun, to its end or its next suspension, with at most `most` commands at once.
ptc::Outcome run_with_commands(ptc::Session& session, std::size_t most, const std::atomic<bool>* cancelled);
// Steps a durable run until it is done.
ptc::DurableOutcome run_with_commands(ptc::DurableRun& run, std::size_t most);

}  // namespace ptcvm::cli
