// The agents of steps, as a driver lets them go on: their requests, their calls, and their doubts.
#include <algorithm>
#include <boost/json.hpp>
#include <memory>
#include <utility>

#include "agents/loop/json_number.h"
#include "ptcvm/effects.hpp"
#include "tools/ptcvm/agent/rate_wait.h"
#include "tools/ptcvm/chain/chain_agent_doubts.h"
#include "tools/ptcvm/chain/chain_driver.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;
using chain::ChainOperation;

}  // namespace

// Lets the agent of a step go on. Returns whether the task has changed.
Result<bool> ChainDriver::work(chain::ChainRun& run, const ChainOperation& operation) {
  if (const auto left = in_doubt_.find(operation.id); left != in_doubt_.end()) {
    if (!left->second || *left->second > now_ms()) return false;
    in_doubt_.erase(left);
  }
  std::unique_ptr<StepAgent>& agent = agents_[operation.id];
  if (agent == nullptr) {
    tell({ChainMoment::Kind::Begun, operation.step, "asks " + parts_.choice.name});
    auto opened =
        StepAgent::open(parts_.engine, parts_.store, operation, parts_.agents, parts_.choice,
                        parts_.model.has_virtual_time());
    if (!opened) return opened.error();
    if (const std::string refusal = (*opened)->refusal(); !refusal.empty()) {
      agents_.erase(operation.id);
      const auto told = run.refuse(operation.id, refusal);
      return told ? Result<bool>(true) : Result<bool>(told.error());
    }
    agent = *std::move(opened);
  }
  const auto ended = agent->step();
  if (!ended) return ended.error();
  if (*ended) {
    const StepAgent::End end = **ended;
    agents_.erase(operation.id);
    tell({end.error.empty() ? ChainMoment::Kind::Ended : ChainMoment::Kind::Failed, operation.step,
          "asks " + parts_.choice.name});
    const auto given = end.error.empty() ? run.answer(operation.id, end.value, {}, end.usage)
                                         : run.answer_error(operation.id, end.error, {}, end.usage);
    return given ? Result<bool>(true) : Result<bool>(given.error());
  }
  if (agent->is_in_doubt()) return leave_in_doubt(run, operation);
  for (loop::Operation& request : agent->requests()) {
    if (request.is_left) {
      if (auto told = agent->answer_call_error(request.path, loop::kNotBegun); !told) return told.error();
      continue;
    }
    if (request.kind == loop::OperationKind::Tool) {
      agent_calls_.push_back({operation.id, next_agent_call_++, std::move(request), false});
      continue;
    }
    if (auto sent = send_of_agent(*agent, operation.id, std::move(request)); !sent) return sent.error();
  }
  for (AgentCall& call : agent_calls_) begin_agent_call(call);
  return false;
}

// Leaves an agent that waits for what people say about its calls, and lists these calls. Returns whether somebody has
// said something meanwhile.
Result<bool> ChainDriver::leave_in_doubt(chain::ChainRun& run, const ChainOperation& operation) {
  StepAgent& agent = *agents_.at(operation.id);
  auto doubting = agent.doubting();
  if (!doubting) return doubting.error();
  const std::optional<std::int64_t> due = agent.due_ms();
  const auto left = agent.park();
  if (!left) return left.error();
  if (*left == loop::AgentLeft::Arrived) return true;
  doubting->tell = [this, id = operation.id, name = agent.run_id()](
                       const chain::AgentDoubt& doubt, DoubtAnswer answer, const json::value& output) -> Result<void> {
    if (told_.contains(doubt.key)) {
      return Error{Errc::wrong_state, "the agent has not taken what was said about " + doubt.path, std::nullopt, {}};
    }
    auto told = tell_step_agent(parts_.store, name, doubt.path, answer, output);
    if (!told) return told;
    told_.insert(doubt.key);
    in_doubt_.erase(id);
    return told;
  };
  agents_.erase(operation.id);
  in_doubt_[operation.id] = due;
  if (auto listed = run.doubt_calls(operation.id, *std::move(doubting)); !listed) return listed.error();
  return false;
}

// Sends a request of the agent of a step, unless it has to wait for a time.
Result<void> ChainDriver::send_of_agent(StepAgent& agent, std::uint64_t operation, loop::Operation request) {
  if (parts_.rates != nullptr) {
    const auto due = take_rate(*parts_.rates, parts_.choice.provider, [this] { return now_ms(); }, parts_.interrupted);
    if (!due) return due.error();
    if (*due != 0) return agent.defer(request.path, *due);
  }
  const std::string path = std::to_string(operation) + '/' + request.path;
  agent_requests_[path] = request;
  request.path = path;
  parts_.model.ask(request);
  return {};
}

// Begins the call of an agent, unless too many commands run.
void ChainDriver::begin_agent_call(AgentCall& call) {
  if (call.is_begun) return;
  WaitingCall waiting;
  waiting.id = call.id;
  waiting.tool = call.request.tool;
  waiting.key = call.request.key;
  if (const auto agent = agents_.find(call.operation); agent != agents_.end()) {
    waiting.fencing_token = agent->second->fencing_token();
  }
  if (!calls_.can_begin(waiting)) return;
  call.is_begun = true;
  calls_.begin(waiting, call.request.args_json);
}

// A call whose outcome nobody knows is made again only when its tool allows it.
bool ChainDriver::may_be_repeated(const loop::Operation& call) const {
  Effect effect = call.definition == nullptr ? Effect::Unsafe : call.definition->effect;
  if (parts_.agents.effect_of) effect = parts_.agents.effect_of(call.tool).value_or(effect);
  return is_called_again(effect);
}

// Gives the agent of a step what its call has come to.
Result<void> ChainDriver::give_agent_call(const CommandCalls::Ended& ended) {
  const auto found = std::find_if(agent_calls_.begin(), agent_calls_.end(),
                                  [&](const AgentCall& call) { return call.id == ended.call; });
  if (found == agent_calls_.end()) return {};
  const AgentCall call = std::move(*found);
  agent_calls_.erase(found);
  const auto agent = agents_.find(call.operation);
  const bool is_stopped = ended.reply.kind == CommandReply::Kind::Unknown && parts_.interrupted.load();
  if (agent == agents_.end() || is_stopped) return {};
  boost::system::error_code error;
  const bool is_good = ended.reply.kind == CommandReply::Kind::Json;
  const json::value value = json::parse(is_good && !ended.reply.text.empty() ? ended.reply.text : "null", error);
  const std::string fault = error ? "the output of the command is no JSON"
                            : is_good ? loop::json_number_fault(ended.reply.text)
                                      : std::string();
  if (is_good && fault.empty()) return agent->second->answer_call(call.request.path, value);
  const bool is_unknown = is_good || ended.reply.kind == CommandReply::Kind::Unknown;
  if (is_unknown && !may_be_repeated(call.request)) return agent->second->doubt(call.request.path);
  return agent->second->answer_call_error(call.request.path,
                                          fault.empty() ? ended.reply.text : fault);
}

std::optional<ChainDriver::End> ChainDriver::give_to_agent(const ModelAnswer& answer) {
  const auto found = agent_requests_.find(answer.path);
  if (found == agent_requests_.end()) return std::nullopt;
  const auto agent = agents_.find(std::stoull(answer.path));
  if (answer.failure) {   // no model was sent anything, except a mailbox, which keeps the request
    const bool is_taken_back = agent != agents_.end() && !parts_.model.keeps_requests(found->second.agent);
    const auto told = is_taken_back ? agent->second->defer(found->second.path, 0) : Result<void>();
    if (!told) return End{End::Kind::Failed, told.error(), {}};
    return End{End::Kind::ModelFailed, std::nullopt, answer.failure->name + ": " + answer.failure->message};
  }
  const loop::Operation request = std::move(found->second);
  agent_requests_.erase(found);
  if (agent == agents_.end()) return std::nullopt;
  const std::string attempt = request.key + " #" + std::to_string(request.attempt);
  auto given = parts_.on_reply({attempt, "step " + agent->second->step_id(), request.model, answer.reply});
  if (given) given = note_rate(answer.reply);
  if (given) given = agent->second->answer(request.path, answer.reply);
  return given ? std::nullopt : std::optional(End{End::Kind::Failed, given.error(), {}});
}

}  // namespace ptcvm::cli
