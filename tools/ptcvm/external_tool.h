// A tool that is a command: the arguments as one JSON object on its standard input, the answer as JSON on its standard
// output (nothing at all is nil), a non-zero exit status is a tool error with its standard error as the message. Its
// environment has PTCVM_IDEMPOTENCY_KEY: the same when the call is made again for the same intent, else another one
// (control characters and % as %XX). A command that was cut off, or whose answer cannot be read, may have done its
// work: that is an unknown outcome.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/run.hpp"
#include "tools/ptcvm/child_process.h"

namespace ptcvm::cli {

// NAME=COMMAND. The command is split into words and started without a shell, or given to sh -c.
struct ExternalTool {
  std::string name;
  std::vector<std::string> command;
};

std::optional<ExternalTool> parse_external_tool(std::string_view text, bool with_shell, std::string& message);

// What a command made of a call.
struct CommandReply {
  enum class Kind : std::uint8_t {
    Json,       // the answer is in `text`
    Error,      // the command failed; `text` says why
    Unknown,    // the command may have done its work; `text` says what happened
    TooLarge,   // the memory of the run has no room for the output
    Pending,    // the call started an operation
  };
  Kind kind = Kind::Json;
  std::string text;
  bool announces = false;                // Json: the answer may be an operation (AnswerDetails::announces)
};

// The command behind a tool. A caller starts the process and reads the answer when the process has ended. The output of
// an async tool may also be {"pending": "ID", "immediate": …, "ttl_ms": …}, an operation that is resolved later.
class CommandTool {
 public:
  CommandTool(ExternalTool tool, bool is_async) : tool_(std::move(tool)), is_async_(is_async) {}

  // Starts the command. The process is killed when `cancelled` becomes true; the flag is not owned.
  std::unique_ptr<ChildProcess> start(const WaitingCall& call, std::string args_json,
                                      const std::atomic<bool>* cancelled) const;
  CommandReply read(ChildResult child) const;

 private:
  ExternalTool tool_;
  bool is_async_;
};

// The tools of a command line, as programs see them, and the commands behind them. A tool without a command starts an
// operation that somebody resolves.
struct CommandTools {
  Tools tools;                           // deferred, all of them
  std::map<std::string, CommandTool, std::less<>> commands;   // by the name of the tool
};

// Asks a command whether a call happened: {"tool", "args", "key"} on its standard input;
// {"happened": true, "value": …}, {"happened": false}, or anything else for: it does not know.
std::function<Reconciled(ToolCall&)> reconciler_of(ExternalTool command);

}  // namespace ptcvm::cli
