// The Model Context Protocol over the standard input and output of a process: one message of JSON-RPC a line.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/mcp_client.h"
#include "drivers/stdio/call_protocol.h"

namespace ptcvm::mcp {

// A process that starts again gets a new handshake.
class McpProtocol final : public stdio::CallProtocol {
 public:
  // Makes the client ask for all tools.
  void list_tools();
  const std::optional<McpClient>& client() const { return client_; }

  void begin() override;
  bool is_ready() const override { return client_ && client_->is_ready(); }
  bool is_busy() const override { return client_ && is_listing_ && !client_->is_listed() && !client_->failure(); }
  void send(const stdio::ProcessCall& call) override;
  bool cancel(std::uint64_t call) override;
  bool is_sent(std::uint64_t call) const override { return client_ && client_->is_sent(call); }
  stdio::LineEnd receive(std::string_view line, std::size_t most_bytes) override;
  std::string take_outgoing() override;
  std::vector<stdio::CallAnswer> take_answers() override;
  std::string take_notes() override;

 private:
  std::optional<McpClient> client_;              // nullopt: no process was started yet
  bool is_listing_ = false;
};

}  // namespace ptcvm::mcp
