// A tool that is a command: the arguments as one JSON object on its standard input, the answer as JSON on its standard
// output (nothing at all is nil), a non-zero exit status is a tool error with its standard error as the message. Its
// environment has PTCVM_IDEMPOTENCY_KEY: the same when the call is made again for the same intent, else another one
// (control characters and % as %XX). A command that was cut off, or whose answer cannot be read, may have done its
// work: that is an unknown outcome.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/calls/tools.h"
#include "tools/ptcvm/child_process.h"

namespace ptcvm::cli {

// NAME=COMMAND. The command is split into words and started without a shell, or given to sh -c.
struct ExternalTool {
  std::string name;
  std::vector<std::string> command;
};

std::optional<ExternalTool> parse_external_tool(std::string_view text, bool with_shell, std::string& message);
// The command behind a tool, as a handler: a call runs the command to its end. Who has several calls in flight starts
// the command itself (CommandCalls) and reads the answer of the process that ended. The output of an async tool may
// also be {"pending": "ID", "immediate": …, "ttl_ms": …}, an operation that is resolved later.
class CommandTool {
 public:
  CommandTool(ExternalTool tool, bool is_async) : tool_(std::move(tool)), is_async_(is_async) {}

  ptc::ToolReply operator()(const ptc::ToolCall& call) const;
  std::unique_ptr<ChildProcess> start(const ptc::ToolCall& call) const;
  ptc::ToolReply read(ptc::Heap& heap, const ChildResult& child) const;

 private:
  ExternalTool tool_;
  bool is_async_;
};

// Asks a command whether a call happened: {"tool", "args", "key"} on its standard input;
// {"happened": true, "value": …}, {"happened": false}, or anything else for: it does not know.
ptc::ReconcileHandler external_reconcile_handler(ExternalTool command);

}  // namespace ptcvm::cli
