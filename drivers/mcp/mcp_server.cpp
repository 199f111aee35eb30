#include "drivers/mcp/mcp_server.h"

#include <poll.h>

#include <utility>

namespace ptcvm::mcp {
namespace {

constexpr std::chrono::milliseconds kGrace{1'000};
constexpr int kLookMillis = 20;

struct MadeServer {
  McpProtocol* protocol;                         // owned by the process
  std::unique_ptr<stdio::CallProcess> process;
};

MadeServer make(McpServerOptions options) {
  auto protocol = std::make_unique<McpProtocol>();
  stdio::CallProcessRules rules;
  rules.in_flight = options.in_flight;
  rules.ready_within = options.start;
  rules.grace = kGrace;
  rules.on_errors = std::move(options.on_errors);
  McpProtocol* const made = protocol.get();
  return {made, std::make_unique<stdio::CallProcess>(std::move(options.program), std::move(protocol),
                                                     std::move(rules))};
}

}  // namespace

std::unique_ptr<stdio::CallProcess> make_mcp_process(McpServerOptions options) {
  return make(std::move(options)).process;
}

ListedServer list_mcp_server(McpServerOptions options) {
  using Clock = std::chrono::steady_clock;
  const auto time = options.start;
  const auto until = Clock::now() + time;
  MadeServer server = make(std::move(options));
  server.protocol->list_tools();
  if (std::string message = server.process->start(); !message.empty()) return {nullptr, {}, std::move(message)};
  while (server.protocol->is_busy() && server.process->is_running()) {
    (void)server.process->look();
    if (Clock::now() >= until) {
      server.process->stop("no list of its tools within " + std::to_string(time.count()) + " ms");
    }
    std::vector<pollfd> waits;
    server.process->add_waits(waits);
    if (!waits.empty()) (void)poll(waits.data(), waits.size(), kLookMillis);
  }
  if (!server.process->is_running()) return {nullptr, {}, server.process->failure()};
  return {std::move(server.process), server.protocol->client()->tools(), {}};
}

}  // namespace ptcvm::mcp
