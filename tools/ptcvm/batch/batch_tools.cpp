#include "tools/ptcvm/batch/batch_tools.h"

#include <iterator>
#include <mutex>
#include <utility>

#include "tools/ptcvm/calls/command_calls.h"
#include "tools/ptcvm/calls/tools_file.h"

namespace ptcvm::cli {
namespace {

constexpr std::uint64_t kMostLiveAnswerBytes = 16u << 20;

// Answers with the output of a command. The output of an async tool may say that it started an operation.
ToolReply live_json_reply(ToolCall& call, const CommandReply& reply) {
  auto value = Value::from_json(reply.text);
  if (!value) return call.error("its output is no JSON: " + value.error().message);
  const ValueView view = value->view();
  const auto operation = view.kind() == ValueKind::Map ? view["pending"].as_string() : std::nullopt;
  if (!reply.announces || !operation) return call.value(*std::move(value));
  const std::chrono::milliseconds ttl(view["ttl_ms"].as_int().value_or(0));
  return call.pending(std::string(*operation), view["immediate"], ttl);
}

// There is no store: a call whose outcome nobody knows has failed, as in a run without one.
ToolReply live_reply(ToolCall& call, const CommandReply& reply) {
  switch (reply.kind) {
    case CommandReply::Kind::Json: return live_json_reply(call, reply);
    case CommandReply::Kind::Pending: return call.pending();
    case CommandReply::Kind::TooLarge: return call.error("its output is too large");
    case CommandReply::Kind::Error:
    case CommandReply::Kind::Unknown: break;
  }
  return call.error(reply.text);
}

// Makes one call, and waits for its answer.
ToolReply call_live(const CommandTools& tools, const std::string& name, ToolCall& call) {
  CommandCalls commands(tools, 1, nullptr);
  commands.retry_failed_calls();
  WaitingCall waiting;
  waiting.id = 1;
  waiting.tool = name;
  waiting.key = call.idempotency_key();
  waiting.deadline = call.deadline();
  commands.begin(waiting, call.args().to_json());
  std::vector<CommandCalls::Ended> ended;
  while (ended.empty()) ended = commands.wait(kMostLiveAnswerBytes);
  return live_reply(call, ended.front().reply);
}

}  // namespace

// The sets of commands that no call has. All members but `idle` stay as they are.
struct BatchTools::Pool {
  std::vector<DeclaredTool> declared;
  std::mutex mutex = {};
  std::vector<std::unique_ptr<CommandTools>> idle = {};   // guarded by the mutex

  std::unique_ptr<CommandTools> take() {
    {
      const std::scoped_lock lock(mutex);
      if (!idle.empty()) {
        auto taken = std::move(idle.back());
        idle.pop_back();
        return taken;
      }
    }
    auto made = std::make_unique<CommandTools>();
    std::string message;
    (void)add_tools(*made, declared, message);   // read() has added them once
    return made;
  }
  void give_back(std::unique_ptr<CommandTools> tools) {
    const std::scoped_lock lock(mutex);
    idle.push_back(std::move(tools));
  }
};

std::optional<BatchTools> BatchTools::read(const std::vector<std::string>& paths, std::string& message) {
  auto pool = std::make_shared<Pool>();
  for (const std::string& path : paths) {
    auto tools = read_tools_file(path, message);
    if (!tools) return std::nullopt;
    for (DeclaredTool& tool : *tools) {
      std::erase_if(pool->declared, [&](const DeclaredTool& other) { return other.name == tool.name; });
      pool->declared.push_back(std::move(tool));
    }
  }
  return BatchTools(std::move(pool));
}

void BatchTools::add_to(Tools& tools) const {
  for (const DeclaredTool& tool : pool_->declared) {
    if (tools.find(tool.name)) continue;
    ToolOptions options = tool.options;
    options.retry = {};                          // the command is tried again, not the callable
    const auto make = [pool = pool_, name = tool.name](ToolCall& call) {
      auto commands = pool->take();
      ToolReply reply = call_live(*commands, name, call);
      pool->give_back(std::move(commands));
      return reply;
    };
    (void)tools.add(tool.name, tool.signature, make, std::move(options));
  }
}

}  // namespace ptcvm::cli
