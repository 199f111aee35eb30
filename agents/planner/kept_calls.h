// Calls of a planning agent whose effect must not be repeated. Each of them is in the log of the conversation before it
// is made, and so is what became of it. When a proposal was dropped, its calls stay done: the next run of the agent has
// the answer of a call that it makes again with the same arguments, and a person allows every other call of the tool.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "agents/harness/pass/planner.h"
#include "agents/loop/stored_agent.h"

namespace ptcvm::planner {

// Returns whether a second call would be a second effect.
bool has_lasting_effect(Effect effect);
// Returns the name of a call of a run in the conversation. The path may be the one of a doubt.
std::string call_key(const std::string& run, const std::string& path);
// Returns the id of the question about an operation. An answer that does not fit is followed by another round.
std::string question_id(const std::string& run, const std::string& path, std::size_t round = 1);
// Returns the newest answer to the question, or nullptr. Valid until the next fact.
const harness::Fact* answer_to(const harness::ConversationView& view, std::string_view qid);
// Returns whether an answer means yes, or no.
bool says_yes(std::string_view text);
bool says_no(std::string_view text);
// Returns why the text is no answer of a call, which is JSON with each member once, or "".
std::string wrong_result(std::string_view text);

// See the top of this file. It is the driver of the agent, and leaves requests, time and calls to the host's driver.
class KeptCalls final : public loop::AgentDriver {
 public:
  explicit KeptCalls(loop::AgentDriver& driver) : driver_(driver) {}   // the driver must outlive it

  // Begins a pass with a run of the agent. The context must be valid until leave().
  void enter(harness::PlanContext& context, std::string run);
  void leave() { context_ = nullptr; }

  // Judges a call that a program wants to make (AgentHooks::before_tool).
  HookVerdict judge(const loop::AgentTool& tool, ToolCall& call);
  // Returns whether the call gets the answer of a call that was made before.
  bool is_known(const loop::Operation& call) const;
  // Returns what a person should know of earlier calls before another one is allowed, or "".
  std::string earlier_calls(const loop::Operation& call) const;

  loop::ModelReply ask(const loop::Operation& request) override { return driver_.ask(request); }
  std::optional<Result<Value>> call(const loop::Operation& call) override;
  std::int64_t time_ms() override { return driver_.time_ms(); }
  bool wait_until(std::int64_t due_ms) override { return driver_.wait_until(due_ms); }
  void before_step() override { driver_.before_step(); }
  std::int64_t due_ms(const loop::Operation& request) override { return driver_.due_ms(request); }

 private:
  const harness::PlannerCalls& calls() const { return context_->view().calls(); }
  const harness::PlannerCall* same_call(std::string_view tool, std::string_view args_json) const;
  bool is_allowed_by_person(const loop::Operation& call) const;

  loop::AgentDriver& driver_;
  harness::PlanContext* context_ = nullptr;
  std::string run_;
  std::map<std::string, std::string> promised_;   // keys of calls that were judged -> the calls whose answers they get
};

}  // namespace ptcvm::planner
