#include "tools/ptcvm/harness_agent.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "agents/planner/agent_planner.h"
#include "tools/ptcvm/agent_models.h"
#include "tools/ptcvm/agent_store.h"
#include "tools/ptcvm/command_calls.h"
#include "tools/ptcvm/files.h"
#include "tools/ptcvm/moments.h"

namespace ptcvm::cli {
namespace {

constexpr std::string_view kAgent = "agent:";
constexpr int kAnswerLookMs = 200;
constexpr std::int64_t kLongestTimerMs = 60'000;
constexpr std::uint64_t kMostCommandBytes = 16u << 20;

// Asks the model and starts the commands of tools, one after the other.
class CommandDriver : public loop::AgentDriver {
 public:
  explicit CommandDriver(OpenedModel opened) : opened_(std::move(opened)), virtual_ms_(now_millis()) {}
  const loop::ModelChoice& choice() const { return opened_.choice; }

  loop::ModelReply ask(const loop::Operation& request) override {
    opened_.source->ask(request);
    for (;;) {
      for (ModelAnswer& answer : opened_.source->take(kAnswerLookMs)) {
        if (answer.path != request.path) continue;
        virtual_ms_ += answer.delay_ms;
        if (!answer.failure) return std::move(answer.reply);
        // No further attempt mends what the model says about itself.
        constexpr int kRefused = 400;
        return {kRefused, {}, answer.failure->name + ": " + answer.failure->message, false};
      }
    }
  }

  std::optional<Result<Value>> call(const loop::Operation& call) override {
    const auto failed = [](std::string why) {
      return Result<Value>(Error{Errc::invalid_value, std::move(why), std::nullopt, {}});
    };
    if (call.definition == nullptr || call.definition->command.empty()) {
      return failed("the agent file has no command for " + call.tool);
    }
    CommandTools tools;
    tools.commands.try_emplace(call.tool, CommandTool({call.tool, call.definition->command}, false));
    const std::atomic<bool> cancelled{false};
    CommandCalls calls(tools, 1, &cancelled);
    WaitingCall waiting;
    waiting.id = 1;
    waiting.tool = call.tool;
    waiting.key = call.key;
    calls.begin(waiting, call.args_json);
    while (calls.is_waiting()) {
      for (const CommandCalls::Ended& ended : calls.wait(kMostCommandBytes)) {
        if (ended.reply.kind != CommandReply::Kind::Json) return failed(ended.reply.text);
        return Value::from_json(ended.reply.text);
      }
    }
    return failed("the command of " + call.tool + " has not ended");
  }

  std::int64_t time_ms() override { return opened_.source->has_virtual_time() ? virtual_ms_ : now_millis(); }
  bool wait_until(std::int64_t due_ms) override {
    if (opened_.source->has_virtual_time()) {
      virtual_ms_ = std::max(virtual_ms_, due_ms);
      return true;
    }
    if (due_ms - now_millis() > kLongestTimerMs) return false;
    while (now_millis() < due_ms) std::this_thread::sleep_for(std::chrono::milliseconds(kAnswerLookMs));
    return true;
  }
  void skip(std::string_view agent, std::size_t replies) { opened_.source->skip(agent, replies); }

 private:
  OpenedModel opened_;
  std::int64_t virtual_ms_;
};

// The planner with its driver.
class CommandAgentPlanner : public harness::Planner {
 public:
  CommandAgentPlanner(std::unique_ptr<CommandDriver> driver, loop::Agent agent, const Store& store,
                      const std::string& conversation)
      : driver_(std::move(driver)), planner_(std::move(agent), store, conversation, *driver_) {}
  harness::PlanOutput plan(harness::PlanContext& context) override { return planner_.plan(context); }

 private:
  std::unique_ptr<CommandDriver> driver_;
  planner::AgentPlanner planner_;
};

// A script goes on behind the replies that earlier processes of this conversation have used.
Result<void> skip_used(const Store& store, const std::string& conversation, CommandDriver& driver) {
  const std::string prefix = conversation + "/planner-";
  constexpr std::size_t kPage = 500;
  std::string after;
  for (std::size_t count = kPage; count == kPage;) {
    const auto page = store.runs(after, kPage);
    if (!page) return page.error();
    count = page->size();
    for (const StoredRunInfo& info : *page) {
      after = info.id;
      if (!info.id.starts_with(prefix)) continue;
      const auto replies = kept_replies(store, info.id);
      if (!replies) return replies.error();
      for (const KeptReply& kept : *replies) driver.skip(kept.agent, 1);
    }
  }
  return {};
}

}  // namespace

bool is_agent_planner(std::string_view planner) { return planner.starts_with(kAgent); }

std::unique_ptr<harness::Planner> agent_planner(const std::string& planner, const std::string& model,
                                                const Store& store, const std::string& conversation,
                                                std::string& message) {
  const std::string file = planner.substr(kAgent.size());
  const auto text = read_file(file, message);
  if (!text) return nullptr;
  auto definition = loop::read_agent_text(*text);
  if (!definition) message = file + ": " + definition.error().message;
  if (!definition) return nullptr;
  if (model.empty()) message = "--planner " + planner + " needs a --model";
  if (model.empty()) return nullptr;
  auto opened = open_model(model, false, {}, message);
  if (!opened) return nullptr;
  auto driver = std::make_unique<CommandDriver>(*std::move(opened));
  loop::AgentOptions options;
  options.model = driver->choice();
  auto agent = loop::Agent::make(Engine(), *std::move(definition), std::move(options));
  if (!agent) message = file + ": " + agent.error().message;
  if (!agent) return nullptr;
  if (const auto skipped = skip_used(store, conversation, *driver); !skipped) {
    message = skipped.error().message;
    return nullptr;
  }
  return std::make_unique<CommandAgentPlanner>(std::move(driver), *std::move(agent), store, conversation);
}

}  // namespace ptcvm::cli
