// A tool that is a command: the arguments as one JSON object on its standard input, the answer as JSON on its standard
// output (nothing at all is nil), a non-zero exit status is a tool error with its standard error as the message. Its
// environment has PTCVM_IDEMPOTENCY_KEY: the same when the call is made again for the same intent, else another one
// (control characters and % as %XX). In a run of a store it also has PTCVM_FENCING_TOKEN, a number that grows with each
// claim of the run. A command that was cut off, or whose answer cannot be read, may have done its
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
#include <utility>
#include <vector>

#include "ptcvm/run.hpp"
#include "drivers/stdio/call_process.h"
#include "tools/ptcvm/calls/child_process.h"

namespace ptcvm::cli {

class StartedServer;

// The command of a tool. NAME=COMMAND is split into words and started without a shell, or given to sh -c; a file of
// tools (tools_file.h) sets the other members, too.
struct ExternalTool {
  std::string name;
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment = {};   // on top of the environment of this process
  std::string folder = {};                       // in which the command runs; "": the folder of this process
  std::chrono::milliseconds deadline{0};         // the time for one call; 0: the time of the run
  Retry retry = {};                              // without a store; with one, the store counts attempts
  bool may_repeat = false;                       // a call may be made again although it may have happened
  bool stays = false;                            // one process for all calls: staying_process.h
  std::size_t in_flight = 1;                     // the most calls that such a process has at once
  // A tool of an MCP server, whose process always stays.
  struct OfServer {
    std::string tool;                            // as the server calls it
    std::vector<std::pair<std::string, std::string>> renamed = {};   // parameters: the name here, and on the server
    std::chrono::milliseconds start{30'000};     // the time for the handshake, and for the list of tools
    std::shared_ptr<StartedServer> started = {};   // the process that has listed the tools; may be null
  };
  std::optional<OfServer> mcp = {};
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
  std::string errors = {};               // what the command wrote to its standard error, when `text` does not have it
  std::string shown_errors = {};         // the same of a process that stays: it was shown as it came
};

// Returns when an answer becomes useless: by the deadline of the tool, or by the one of the run.
std::optional<std::chrono::steady_clock::time_point> deadline_of(
    const ExternalTool& tool, std::optional<std::chrono::steady_clock::time_point> deadline);
// Returns why a call failed that has no answer in time.
std::string timeout_text(const ExternalTool& tool);


// The command behind a tool. A caller starts the process and reads the answer when the process has ended. The output of
// an async tool may also be {"pending": "ID", "immediate": …, "ttl_ms": …}, an operation that is resolved later.
class CommandTool {
 public:
  CommandTool(ExternalTool tool, bool is_async) : tool_(std::move(tool)), is_async_(is_async) {}

  // Starts the command. The process is killed when `cancelled` becomes true; the flag is not owned.
  std::unique_ptr<ChildProcess> start(const WaitingCall& call, std::string args_json,
                                      const std::atomic<bool>* cancelled) const;
  CommandReply read(ChildResult child) const;

  const ExternalTool& tool() const { return tool_; }
  // For a tool of an MCP server.
  void set_started(std::shared_ptr<StartedServer> started) { tool_.mcp->started = std::move(started); }
  bool is_async() const { return is_async_; }
  // The process that stays and that takes the calls; null for a tool whose calls have a process each.
  stdio::CallProcess* staying() const { return staying_.get(); }
  const std::shared_ptr<stdio::CallProcess>& shared_process() const { return staying_; }
  void use_process(std::shared_ptr<stdio::CallProcess> process) { staying_ = std::move(process); }

 private:
  ExternalTool tool_;
  bool is_async_;
  std::shared_ptr<stdio::CallProcess> staying_;
};

// The tools of a command line, as programs see them, and the commands behind them. A tool without a command starts an
// operation that somebody resolves.
struct CommandTools {
  Tools tools;                           // deferred, all of them
  std::map<std::string, CommandTool, std::less<>> commands;   // by the name of the tool
  std::map<std::string, std::string, std::less<>> texts;      // what files of tools say, as EDN; by the name
};

// Asks a command whether a call happened: {"tool", "args", "key"} on its standard input;
// {"happened": true, "value": …}, {"happened": false}, or anything else for: it does not know.
std::function<Reconciled(ToolCall&)> reconciler_of(ExternalTool command);

}  // namespace ptcvm::cli
