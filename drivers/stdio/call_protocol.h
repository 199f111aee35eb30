// How calls are written to a process that stays, and how its answers are read, line by line. A protocol is a state
// machine: it knows no process and no time.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptcvm::stdio {

// A call of a tool of the process.
struct ProcessCall {
  std::uint64_t call = 0;        // as the caller numbers it
  std::string tool, args_json;   // the tool as the process calls it; an object
  std::string key;               // the idempotency key
  std::uint64_t fencing_token = 0;   // 0: none
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::string overdue = {};      // what is said when the deadline is over
  std::vector<std::pair<std::string, std::string>> renamed = {};   // parameters: the name here, and the one to send
};

// What a process made of a call.
struct CallAnswer {
  enum class Kind : std::uint8_t {
    Json,      // the answer is in `text`
    Error,     // the call failed, or was never sent; `text` says why
    Unknown,   // nobody knows whether the call happened; `text` says why
    TooLarge,  // there is no memory for the answer
  };
  std::uint64_t call = 0;
  Kind kind{};
  std::string text;
  std::string errors = {};       // what the process wrote to its standard error while the call was open
};

// What a protocol made of a line.
struct LineEnd {
  std::string wrong = {};        // what is wrong with the line, or ""; the process is stopped then
  bool lacks_memory = false;     // with `wrong`: the line may be right, but takes more memory than it may
};

class CallProtocol {
 public:
  CallProtocol() = default;
  virtual ~CallProtocol() = default;
  CallProtocol(const CallProtocol&) = delete;
  CallProtocol& operator=(const CallProtocol&) = delete;

  // A new process has been started: forgets what the last one was told.
  virtual void begin() {}
  // Returns whether the process can take calls; false during a handshake.
  virtual bool is_ready() const { return true; }
  // Returns whether the process owes something besides answers to calls.
  virtual bool is_busy() const { return false; }

  virtual void send(const ProcessCall& call) = 0;
  // Gives up a call. Returns false when the process must be stopped, because it cannot be told.
  virtual bool cancel(std::uint64_t call) = 0;
  // Returns whether the process has the call; a call that was not sent has not happened.
  virtual bool is_sent(std::uint64_t call) const = 0;
  // Takes a line of the process, which may take so much memory beside its text until the answers are taken.
  virtual LineEnd receive(std::string_view line, std::size_t most_bytes) = 0;

  virtual std::string take_outgoing() = 0;              // complete lines
  virtual std::vector<CallAnswer> take_answers() = 0;   // of open calls, without errors
  virtual std::string take_notes() { return {}; }       // lines for the log of the process
};

}  // namespace ptcvm::stdio
