// An agent that was checked: its signatures are read, its tools are known. A handle; copies are cheap, and any number
// of threads and runs may use them.
//
//   auto agent = Agent::make(engine, definition, {.model = {.name = "small"}});
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/loop/agent_definition.h"
#include "agents/wire/request.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/run.hpp"

namespace ptcvm::loop {

// Says which model answers, and how requests for it are written.
struct ModelChoice {
  wire::Protocol protocol = wire::Protocol::Chat;
  std::string provider = {};               // names the server; what it signed goes back to the same name only
  std::string name = {};                   // the model, as the server calls it
  bool is_stream = false;
  std::optional<std::int64_t> most_output_tokens = {};
  std::optional<double> temperature = {};
};

// What a renderer of the progress sees.
struct ProgressInput {
  const std::vector<PlanStep>& plan;
  const std::vector<std::pair<std::string, std::string>>& summaries;   // ids and texts of (step-done id text)
  std::uint32_t turn = 1;                  // the turn that begins, from 1
  std::string_view state = {};             // ProgressOutput::state of the turn before, or ""
};

// What a renderer says, and what it wants to know in the next turn. Both are in the document of the run.
struct ProgressOutput {
  std::string text, state = {};
};

// Functions of the host around turns, requests and tools. They must give the same answer when they are asked again.
struct AgentHooks {
  std::function<HookVerdict(std::string_view path, const AgentTool&, ToolCall&)> before_tool = {};
  std::function<std::optional<Value>(std::string_view path, ToolCall&, ValueView answer)> after_tool = {};
  // Judges a request of a model before it is sent. Deny ends the run with the reason "denied".
  std::function<HookVerdict(std::string_view path, const wire::Request&)> before_model = {};
  std::function<void(std::string_view path, const wire::Reply&)> after_model = {};
  std::function<HookVerdict(std::string_view path, std::uint32_t turn)> before_turn = {};
  std::function<void(std::string_view path, std::uint32_t turn, std::string_view feedback)> after_turn = {};
};

struct AgentOptions {
  ModelChoice model = {};
  std::function<std::optional<ModelChoice>(std::string_view child)> model_of = {};   // for children; by path
  AgentHooks hooks = {};
  // Replaces the checklist; called once when a turn begins. An error ends the run with the reason "progress_failed".
  std::function<Result<ProgressOutput>(const ProgressInput&)> progress = {};
  std::function<void(std::string_view path, std::string_view text)> on_token = {};   // text that AgentRun::chunk() read
};

class Agent {
 public:
  struct Impl;   // internal
  // Checks the definition with its children. Errors: invalid_signature; invalid_value when names clash, or when the
  // prompt names data that the signature does not have. The message begins with the path of the agent.
  static Result<Agent> make(const Engine& engine, AgentDefinition definition, AgentOptions options = {});

  const AgentDefinition& definition() const;
  const Impl& impl() const { return *impl_; }   // internal

 private:
  explicit Agent(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace ptcvm::loop
