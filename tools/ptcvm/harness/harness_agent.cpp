#include "tools/ptcvm/harness/harness_agent.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "agents/planner/agent_planner.h"
#include "tools/ptcvm/agent/agent_cost.h"
#include "tools/ptcvm/agent/agent_models.h"
#include "tools/ptcvm/agent/agent_store.h"
#include "tools/ptcvm/agent/rate_wait.h"
#include "tools/ptcvm/calls/one_call.h"
#include "tools/ptcvm/harness/harness_pass.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

constexpr std::string_view kAgent = "agent:";
constexpr int kAnswerLookMs = 200;
constexpr std::int64_t kLongestTimerMs = 60'000;

// Asks the model and starts the commands of tools, one after the other.
class CommandDriver : public loop::AgentDriver {
 public:
  CommandDriver(OpenedModel opened, const PlannerWork* work)
      : opened_(std::move(opened)), work_(work), virtual_ms_(wall_ms()) {}
  const loop::ModelChoice& choice() const { return opened_.choice; }

  loop::ModelReply ask(const loop::Operation& request) override {
    opened_.source->ask(request);
    for (;;) {
      for (ModelAnswer& answer : opened_.source->take(kAnswerLookMs)) {
        if (answer.path != request.path) continue;
        virtual_ms_ += answer.delay_ms;
        if (answer.failure) return refusal(*answer.failure);
        note_rate(answer.reply);
        return std::move(answer.reply);
      }
      if (work_ != nullptr && work_->abandon.load()) throw PassLeft{};
    }
  }

  std::optional<Result<Value>> call(const loop::Operation& call) override {
    const auto failed = [](std::string why) {
      return Result<Value>(Error{Errc::invalid_value, std::move(why), std::nullopt, {}});
    };
    const auto tool = command_of(call);
    if (!tool) return failed("there is no command for " + call.tool);
    WaitingCall waiting;
    waiting.tool = call.tool;
    waiting.key = call.key;
    static const std::atomic<bool> kNever{false};
    const std::atomic<bool>& stopped = work_ == nullptr ? kNever : work_->abandon;
    const CommandReply reply = call_command(*tool, std::move(waiting), call.args_json, stopped);
    if (stopped.load() && reply.kind == CommandReply::Kind::Unknown) throw PassLeft{};   // the next worker decides
    if (reply.kind != CommandReply::Kind::Json) return failed(reply.text);
    return Value::from_json(reply.text);
  }

  std::int64_t time_ms() override { return opened_.source->has_virtual_time() ? virtual_ms_ : wall_ms(); }
  bool wait_until(std::int64_t due_ms) override {
    if (opened_.source->has_virtual_time()) {
      virtual_ms_ = std::max(virtual_ms_, due_ms);
      return true;
    }
    if (work_ != nullptr) throw PassLeft{due_ms};
    if (due_ms - now_millis() > kLongestTimerMs) return false;
    while (now_millis() < due_ms) std::this_thread::sleep_for(std::chrono::milliseconds(kAnswerLookMs));
    return true;
  }
  void before_step() override {
    if (work_ != nullptr && work_->leave.load()) throw PassLeft{};
  }
  std::int64_t due_ms(const loop::Operation&) override {
    if (work_ == nullptr || opened_.source->has_virtual_time()) return 0;
    const auto due = take_rate(work_->rates, opened_.choice.provider, work_->now_ms, work_->abandon);
    if (!due && due.error().code == Errc::busy) throw PassLeft{};
    if (!due) throw std::runtime_error(due.error().message);
    return *due;
  }

  bool has_script() const { return opened_.source->has_virtual_time(); }
  void skip(std::string_view agent, std::size_t replies) { opened_.source->skip(agent, replies); }

 private:
  std::int64_t wall_ms() const { return work_ == nullptr ? now_millis() : work_->now_ms(); }

  // No further attempt mends what the model says about itself.
  static loop::ModelReply refusal(const replay::ReplayFailure& failure) {
    constexpr int kRefused = 400;
    return {kRefused, {}, failure.name + ": " + failure.message, false};
  }

  // A server that says how long to wait says it to all workers.
  void note_rate(const loop::ModelReply& reply) {
    if (work_ == nullptr) return;
    const auto noted = work_->rates.take_note(opened_.choice.provider, opened_.choice, reply, work_->now_ms());
    if (!noted && noted.error().code != Errc::busy) throw std::runtime_error(noted.error().message);
  }

  std::optional<ExternalTool> command_of(const loop::Operation& call) const {
    if (work_ != nullptr) {
      const auto found = work_->commands.find(call.tool);
      return found == work_->commands.end() ? std::nullopt : std::optional(found->second);
    }
    if (call.definition == nullptr || call.definition->command.empty()) return std::nullopt;
    return ExternalTool{call.tool, call.definition->command};
  }

  OpenedModel opened_;
  const PlannerWork* const work_;
  std::int64_t virtual_ms_;
};

// The planner with its driver.
class CommandAgentPlanner : public harness::Planner {
 public:
  CommandAgentPlanner(std::unique_ptr<CommandDriver> driver, std::unique_ptr<planner::AgentPlanner> planner)
      : driver_(std::move(driver)), planner_(std::move(planner)) {}
  harness::PlanOutput plan(harness::PlanContext& context) override { return planner_->plan(context); }

 private:
  std::unique_ptr<CommandDriver> driver_;
  std::unique_ptr<planner::AgentPlanner> planner_;
};

// A script goes on behind the replies that earlier processes of this conversation have used.
Result<void> skip_used(const Store& store, const std::string& conversation, CommandDriver& driver) {
  const std::string prefix = conversation + "/planner-";
  constexpr std::size_t kPage = 500;
  std::string after = prefix;
  for (bool is_over = !driver.has_script(); !is_over;) {
    const auto page = store.runs(after, kPage);
    if (!page) return page.error();
    is_over = page->size() < kPage;
    for (const StoredRunInfo& info : *page) {
      after = info.id;
      if (!info.id.starts_with(prefix)) return {};
      const auto replies = used_replies(store, info.id);
      if (!replies) return replies.error();
      for (const std::string& agent : *replies) driver.skip(agent, 1);
    }
  }
  return {};
}

}  // namespace

bool is_agent_planner(std::string_view planner) { return planner.starts_with(kAgent); }

std::optional<loop::AgentDefinition> planner_agent(const std::string& planner, std::string& message) {
  const std::string file = planner.substr(kAgent.size());
  const auto text = read_file(file, message);
  if (!text) return std::nullopt;
  auto definition = loop::read_agent_text(*text);
  if (definition) return *std::move(definition);
  message = file + ": " + definition.error().message;
  return std::nullopt;
}

std::unique_ptr<harness::Planner> agent_planner(PlanningAgent agent, const Store& store,
                                                const std::string& conversation, const PlannerWork* work,
                                                std::string& message) {
  const bool needs_price = limits_money(agent.definition);
  const std::string lacks = needs_price ? missing_price({agent.model.choice.name}, agent.prices) : std::string();
  if (!lacks.empty()) return message = lacks, nullptr;
  auto driver = std::make_unique<CommandDriver>(std::move(agent.model), work);
  loop::AgentOptions options;
  options.model = driver->choice();
  options.prices = std::move(agent.prices);
  auto planner = planner::AgentPlanner::make(Engine(), std::move(agent.definition), std::move(options), store,
                                             conversation, *driver);
  if (!planner) return message = "the agent that plans: " + planner.error().message, nullptr;
  if (const auto skipped = skip_used(store, conversation, *driver); !skipped) {
    return message = skipped.error().message, nullptr;
  }
  return std::make_unique<CommandAgentPlanner>(std::move(driver), *std::move(planner));
}

}  // namespace ptcvm::cli
