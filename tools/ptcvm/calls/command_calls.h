// Calls of tools that are commands, several of them at once: starts the processes, waits for the next ones to end, and
// gives their answers to the run.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ptcvm/stored_run.hpp"
#include "tools/ptcvm/calls/child_process.h"
#include "tools/ptcvm/calls/external_tool.h"

namespace ptcvm::cli {

class CommandCalls {
 public:
  // At most `most` commands run at once, and all of them end when `cancelled` becomes true. Tools and flag must outlive
  // the calls.
  CommandCalls(const CommandTools& tools, std::size_t most, const std::atomic<bool>* cancelled)
      : tools_(tools), most_(most), cancelled_(cancelled) {}
  ~CommandCalls();                               // stops what still runs
  CommandCalls(const CommandCalls&) = delete;
  CommandCalls& operator=(const CommandCalls&) = delete;

  // Lets calls that failed be made again here, as Retry of their tools says. A stored run counts attempts itself.
  void retry_failed_calls() { retries_ = true; }

  // Returns whether the call was not begun before, and there is room for it.
  bool can_begin(const WaitingCall& call) const;
  bool has_command(const WaitingCall& call) const;
  // Begins a call that can begin. A tool without a command has ended at once: an operation waits to be resolved.
  void begin(const WaitingCall& call, std::string args_json);

  struct Ended {
    std::uint64_t call = 0;
    CommandReply reply;
    std::chrono::microseconds took{0};
  };
  // Waits for a moment, and returns what has ended. All outputs that come in may take `more_bytes` more together.
  std::vector<Ended> wait(std::uint64_t more_bytes);
  bool is_waiting() const { return !running_.empty() || !ended_.empty(); }
  std::uint64_t held_bytes() const;              // counts the texts on their way to commands and from them

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    const CommandTool* tool = nullptr;
    WaitingCall call;                            // without its arguments
    Clock::time_point begun;
    std::unique_ptr<ChildProcess> process = {};  // null: a process that stays has the call, or a pause has
    std::string args_json = {};                  // kept when the call may be made again
    std::uint32_t attempt = 1;
    std::optional<Clock::time_point> pause_until = {};
  };
  void start(Running& running, std::string args_json);
  bool begins_pause(Running& running, const CommandReply& reply) const;
  void end_pauses();
  std::vector<stdio::CallProcess*> staying() const;
  void take_replies(std::uint64_t more_bytes, std::map<std::uint64_t, CommandReply>& out);
  std::vector<Ended> take_ended(std::uint64_t more_bytes);
  const CommandTools& tools_;
  const std::size_t most_;
  const std::atomic<bool>* const cancelled_;
  std::map<std::uint64_t, Running> running_;   // by call
  std::vector<Ended> ended_;                   // calls without a command
  bool retries_ = false;
};

// Begins what can be called, waits for a moment, and answers what has ended.
void look_at_calls(StoredRun& run, CommandCalls& commands);
// Steps a run to its end or its next suspension, and makes its calls.
RunState run_with_commands(Run& run, CommandCalls& commands);
// Steps a stored run until it is done, or gives the error of the step that ended it.
Result<StoredOutcome> run_with_commands(StoredRun& run, CommandCalls& commands);

}  // namespace ptcvm::cli
