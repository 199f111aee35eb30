// A process that stays and takes calls, one line for each message, by some protocol (call_protocol.h).
//
// The process is started when the first call needs it, and again when it has ended. A call that the process had when
// it ended has an unknown outcome; a call that was not sent yet has failed. A call whose deadline is over is cancelled.
// When the protocol cannot cancel, or the process has said nothing since the call began, the process is stopped,
// because nobody knows what it does then.
#pragma once
#include <poll.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drivers/stdio/call_protocol.h"
#include "drivers/stdio/child_spawn.h"

namespace ptcvm::stdio {

// The program of a process that stays.
struct StayingProgram {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment = {};   // on top of the environment of this process
  std::string folder = {};                       // "": the folder of this process

  bool operator==(const StayingProgram&) const = default;
};

struct CallProcessRules {
  std::size_t in_flight = 1;                     // the most calls at once
  std::size_t most_line_bytes = 16u << 20, most_error_bytes = 8u << 10;
  std::chrono::milliseconds ready_within{0};     // the time from the start until the process is ready; 0: no limit
  std::chrono::milliseconds grace{0};            // the time to end after its standard input is closed, before a kill
  // Takes complete lines of standard error, and notes of the protocol, as they come.
  std::function<void(std::string_view lines)> on_errors = [](std::string_view) {};
};

// What the messages of a process may take while no run bounds them.
inline constexpr std::size_t kMostUnboundBytes = 8u << 20;
// What a short line may always take, so that a run with little memory hears notes and small answers.
inline constexpr std::size_t kShortLineBytes = 64u << 10, kShortLineMemory = 1u << 20;

// Owned by one thread at a time. The destructor ends the process.
class CallProcess {
 public:
  CallProcess(StayingProgram program, std::unique_ptr<CallProtocol> protocol, CallProcessRules rules);
  ~CallProcess();
  CallProcess(const CallProcess&) = delete;
  CallProcess& operator=(const CallProcess&) = delete;

  const StayingProgram& program() const { return program_; }
  std::size_t in_flight() const { return rules_.in_flight; }
  bool has_room() const { return open_.size() < rules_.in_flight; }
  // Starts the process unless it runs. Returns what failed, or "".
  std::string start();
  bool is_running() const { return ends_ != nullptr; }
  // Returns why the process ended or was stopped the last time, or "".
  const std::string& failure() const { return failure_; }

  // Says how much memory there is for what the process writes, from here on. A line that needs more ends all open
  // calls (CallAnswer::Kind::TooLarge), and the process. Until somebody says it, there are kMostUnboundBytes.
  void bound_memory(std::uint64_t more_bytes) { room_ = answers_.size() + more_bytes; }

  void begin(ProcessCall call);
  // Exchanges what can be exchanged, and returns the calls that are answered, failed or lost.
  std::vector<CallAnswer> look();
  // Stops the process when it has open calls, which nobody waits for any more.
  void abandon();
  // Stops the process, and loses all open calls.
  void stop(const std::string& why);

  // Adds the descriptors on which the process may have something to say.
  void add_waits(std::vector<pollfd>& waits) const;
  std::size_t held_bytes() const { return requests_.capacity() + answers_.capacity(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Open {
    std::optional<Clock::time_point> deadline;
    std::string overdue, errors;
    Clock::time_point begun;
  };
  bool is_attended() const { return !open_.empty() || protocol_->is_busy(); }
  void write_requests();
  bool read_answers();
  void read_errors();
  void note_errors(std::string_view lines);
  void take_lines();
  void take_protocol();
  void check_end();
  void check_deadlines();
  void check_ready();
  void end_process(bool gently);
  void lose_all(const std::string& why, bool lacks_memory = false);
  void take_line(std::string_view line);
  void drop_answers() { std::string().swap(answers_); }
  std::size_t most_line_bytes() const;

  const StayingProgram program_;
  const std::unique_ptr<CallProtocol> protocol_;
  const CallProcessRules rules_;
  std::unique_ptr<ChildEnds> ends_;              // null: no process
  std::string requests_, answers_, errors_;      // not yet written; not yet a line; not yet shown
  std::size_t written_ = 0;                      // of requests_
  Clock::time_point started_, heard_;            // when the process began; when it last said something
  std::string failure_;
  std::uint64_t room_ = kMostUnboundBytes;       // for answers_, and for what is made of a line
  std::map<std::uint64_t, Open> open_;           // by call
  std::vector<CallAnswer> done_;
};

}  // namespace ptcvm::stdio
