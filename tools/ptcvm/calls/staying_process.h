// Processes that stay and serve tools: by the protocol of lines (line_protocol.h), or as servers of the Model Context
// Protocol (drivers/mcp).
#pragma once
#include <memory>
#include <mutex>
#include <string>

#include "tools/ptcvm/calls/external_tool.h"

namespace ptcvm::cli {

// The process of an MCP server that was asked for its tools: the first list of tools that needs one takes it. Safe to
// use from several threads.
class StartedServer {
 public:
  explicit StartedServer(std::unique_ptr<stdio::CallProcess> process) : process_(std::move(process)) {}
  std::unique_ptr<stdio::CallProcess> take() {
    const std::scoped_lock lock(mutex_);
    return std::move(process_);
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<stdio::CallProcess> process_;  // guarded by the mutex; null once it is taken
};

// Returns whether one process serves both tools.
bool share_process(const ExternalTool& a, const ExternalTool& b);
// Returns a process for a tool that stays: the one that has listed the tools of its server, or one that starts with the
// first call.
std::shared_ptr<stdio::CallProcess> make_process(const ExternalTool& tool);

// Returns a call as a process gets it, and the reply that its answer is.
stdio::ProcessCall process_call(const WaitingCall& call, const ExternalTool& tool, std::string args_json);
CommandReply reply_of(stdio::CallAnswer answer);

}  // namespace ptcvm::cli
