// Calls of tools that are commands, several of them at once: starts the processes, waits for the next ones to end, and
// gives their answers to the run.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "ptcvm/stored_run.hpp"
#include "tools/ptcvm/child_process.h"
#include "tools/ptcvm/external_tool.h"

namespace ptcvm::cli {

class CommandCalls {
 public:
  // At most `most` commands run at once, and all of them end when `cancelled` becomes true. Tools and flag must outlive
  // the calls.
  CommandCalls(const CommandTools& tools, std::size_t most, const std::atomic<bool>* cancelled)
      : tools_(tools), most_(most), cancelled_(cancelled) {}

  // Begins the calls that were not begun before, as far as there is room.
  void begin(const std::vector<WaitingCall>& calls);

  struct Ended {
    std::uint64_t call = 0;
    CommandReply reply;
    std::chrono::microseconds took{0};
  };
  // Waits until a command ends, and returns what has ended: nothing when no command runs.
  std::vector<Ended> wait();

 private:
  struct Running {
    const CommandTool* tool = nullptr;
    std::unique_ptr<ChildProcess> process;
    std::chrono::steady_clock::time_point begun;
  };
  const CommandTools& tools_;
  const std::size_t most_;
  const std::atomic<bool>* const cancelled_;
  std::map<std::uint64_t, Running> running_;   // by call
  std::vector<Ended> ended_;                   // calls without a command
};

// Steps a run to its end or its next suspension, and makes its calls.
RunState run_with_commands(Run& run, CommandCalls& commands);
// Steps a stored run until it is done, or gives the error of the step that ended it.
Result<StoredOutcome> run_with_commands(StoredRun& run, CommandCalls& commands);

}  // namespace ptcvm::cli
