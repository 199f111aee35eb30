// Calls of tools and of children that a running program makes.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <utility>

#include "agents/loop/agent_node.h"
#include "agents/wire/json_number.h"
#include "ptcvm/effects.hpp"

namespace ptcvm::loop {

using state::Phase;

namespace {

// Returns the arguments as the data of a child, or why they cannot be data.
Result<boost::json::object> data_of_child(const WaitingCall& call, bool refuses_deep) {
  boost::system::error_code error;
  boost::json::value data = boost::json::parse(call.args.to_json(), error);
  if (error && refuses_deep) {
    return loop_error(Errc::invalid_value, "an argument of a child has more than 32 collections in each other");
  }
  if (wire::has_infinite(data)) {
    return loop_error(Errc::invalid_value,
                      "an argument of a child is beyond the largest float, and its data cannot have such a number");
  }
  return data.is_object() ? std::move(data.get_object()) : boost::json::object();
}

// Counts one more, and returns how many there are.
std::uint32_t counted(std::vector<std::unique_ptr<state::CounterT>>& counters, const std::string& name) {
  for (const auto& counter : counters) {
    if (counter->name == name) return ++counter->count;
  }
  counters.push_back(std::make_unique<state::CounterT>());
  counters.back()->name = name;
  return counters.back()->count = 1;
}

}  // namespace

std::string AgentNode::new_name(const std::string& tool) {
  counted(node_.current->begun, tool);
  const std::uint32_t number = counted(node_.counters, tool);
  return number == 1 ? tool : tool + "#" + std::to_string(number);
}

state::OperationT* AgentNode::find_call(std::uint64_t call) {
  for (const auto& operation : node_.operations) {
    if (operation->call == call) return operation.get();
  }
  return nullptr;
}

bool AgentNode::take_questions() {
  bool is_new = false;
  for (const WaitingCall& call : session().run().questions()) {
    if (find_call(call.id) != nullptr) continue;
    auto operation = std::make_unique<state::OperationT>();
    operation->kind = state::OperationKind::Approval;
    operation->name = new_name(call.tool);
    operation->tool = call.tool;
    operation->call = call.id;
    operation->key = call.key;
    operation->task = call.task_id;
    node_.operations.push_back(std::move(operation));
    is_new = true;
  }
  return is_new;
}

bool AgentNode::take_calls() {
  bool is_new = false;
  for (const WaitingCall& call : session().run().calls()) {
    const state::OperationT* const known = find_call(call.id);
    if (known != nullptr && known->kind != state::OperationKind::Approval) continue;
    take_call(call);
    is_new = true;
  }
  return is_new;
}

void AgentNode::take_call(const WaitingCall& call) {
  Run& run = session().run();
  state::OperationT* known = find_call(call.id);
  if (known == nullptr) {
    auto operation = std::make_unique<state::OperationT>();
    operation->name = new_name(call.tool);
    node_.operations.push_back(std::move(operation));
    known = node_.operations.back().get();
  }
  known->kind = state::OperationKind::Tool;
  known->tool = call.tool;
  known->call = call.id;
  known->key = call.key;
  known->task = call.task_id;
  if (tree_.waits_for_words() && outlives_program(call.tool)) known->args = call.args.to_json();
  const auto refuse = [&, name = known->name](const std::string& why) {
    static_cast<void>(run.answer_error(call.id, why));   // the call waits: it was listed a moment ago
    remove_operation(name);
  };
  if (!has_tools()) return refuse("unknown_tool: the tools are gone in this turn");
  if (is_query(call.tool)) {
    if (const auto why = start_query(call, *known)) refuse(*why);
    return;
  }
  const auto child = agent_.children.find(call.tool);
  if (child == agent_.children.end()) {
    if (const auto refusal = budget_.tool_refusal()) return refuse(refusal->reason + ": " + refusal->message);
    if (is_asked_behind_handle(call.tool)) return ask_about(call, *known);
    return budget_.count_tool_call();
  }
  const AgentLimits& wanted = child->second->definition->limits;
  if (const auto refusal = budget_.child_refusal(wanted.max_turns, wanted.money)) {
    return refuse(refusal->reason + ": " + refusal->message);
  }
  const auto data = data_of_child(call, tree_.refuses_deep_data());
  if (!data) return refuse(data.error().message);
  start_child(call, *known, *child->second, *data);
}

bool AgentNode::is_query(std::string_view tool) const {
  return tool == kLlmQuery && agent_.definition->has_llm_query;
}

std::optional<std::string> AgentNode::start_query(const WaitingCall& call, state::OperationT& operation) {
  const auto data = data_of_child(call, tree_.refuses_deep_data());
  if (!data) return data.error().message;
  if (const auto refusal = budget_.query_refusal()) return refusal->reason + ": " + refusal->message;
  auto query = QueryAgent::make(tree_.agent, agent_, *data);
  if (!query) return query.error().message;
  const CompiledAgent& agent = (*query)->agent();
  start_child(call, operation, agent, *data, *std::move(query));
  return std::nullopt;
}

void AgentNode::start_child(const WaitingCall& call, state::OperationT& operation, const CompiledAgent& agent,
                            const boost::json::object& data, std::unique_ptr<const QueryAgent> query) {
  operation.kind = state::OperationKind::Child;
  operation.is_pending = true;
  const bool takes_turns = query == nullptr;
  auto node = std::make_unique<state::NodeT>();
  begin_state(*node, agent, data);
  node->name = operation.name;
  node->definition = call.tool;
  if (node->limits->deadline_ms != 0) node->deadline_at_ms = tree_.time_ms + node->limits->deadline_ms;
  if (node_.deadline_at_ms != 0 && (node->deadline_at_ms == 0 || node->deadline_at_ms > node_.deadline_at_ms)) {
    node->deadline_at_ms = node_.deadline_at_ms;
  }
  node_.children.push_back(std::move(node));
  children_.push_back(std::make_unique<AgentNode>(tree_, agent, *node_.children.back(), this, std::move(query)));
  const AgentLimits& wanted = agent.definition->limits;
  if (takes_turns) children_.back()->budget_.reserve(wanted.max_turns, wanted.money);
  static_cast<void>(session().run().answer_pending(call.id, operation.name));   // the call waits: it was just listed
}

// Runs the children, and hands the results of those that have ended to the program. Returns whether one has ended.
bool AgentNode::settle_children() {
  bool has_ended = false;
  for (std::size_t i = 0; i < children_.size();) {
    AgentNode& child = *children_[i];
    child.go();
    if (!child.is_ended()) {
      ++i;
      continue;
    }
    has_ended = true;
    const state::NodeT& ended = child.state();
    Run& run = session().run();
    Result<void> told;
    if (child.is_ok()) {
      const auto value = Value::from_json(ended.result);
      told = run.resolve(ended.name, value ? value->view() : ValueView());
      if (!told) told = run.resolve_error(ended.name, told.error().message);
    } else {
      told = run.resolve_error(ended.name, ended.end_reason + ": " + ended.end_message);
    }
    if (ended.is_repaired) node_.is_repaired = true;
    for (const auto& settled : ended.settled) keep_settled(path_below(ended.name, settled->name), settled->digest);
    remove_operation(ended.name);
    drop_child(i);
  }
  return has_ended;
}

// Keeps what is known of requests whose agents are gone: what their replies cost is counted when they come.
void AgentNode::give_up(const AgentNode& gone, const std::string& path) {
  if (gone.node_.phase == Phase::Awaiting) {
    const ModelChoice model = gone.asked_model();
    auto request = std::make_unique<state::GivenUpT>();
    request->path = path_below(path, "model");
    request->model = model.name;
    request->protocol = static_cast<std::uint8_t>(model.protocol);
    request->is_stream = model.is_stream;
    request->lost_requests = gone.node_.lost_requests;
    node_.given_up.push_back(std::move(request));
  }
  for (const auto& known : gone.node_.given_up) {
    node_.given_up.push_back(std::make_unique<state::GivenUpT>(*known));
    node_.given_up.back()->path = path_below(path, known->path);
  }
  for (const auto& below : gone.children_) give_up(*below, path_below(path, below->node_.name));
}

void AgentNode::drop_child(std::size_t index) {
  give_up(*children_[index], children_[index]->node_.name);
  children_[index]->budget_.give_back();
  children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(index));
  node_.children.erase(node_.children.begin() + static_cast<std::ptrdiff_t>(index));
}

void AgentNode::note_effect(const state::OperationT& operation) {
  const auto tool = agent_.host_tools.find(operation.tool);
  if (tool == agent_.host_tools.end()) return;
  const Effect effect = tool->second->effect;
  const bool is_repeatable = tree_.closes_behind_reconcilable() ? is_called_again(effect) : effect != Effect::Unsafe;
  if (is_repeatable) return;
  node_.unsafe_effects.push_back(operation.task);
  // Another call of this agent would repeat the effect, so the programs above have it as well.
  for (const AgentNode* below = this; below->above_ != nullptr; below = below->above_) {
    AgentNode& above = *below->above_;
    const auto* const called = above.find_operation(below->node_.name, state::OperationKind::Child);
    if (called != nullptr) above.node_.unsafe_effects.push_back(called->task);
  }
}

// An effect inside of a task that is done is not repeated: the task has its result.
bool AgentNode::has_lasting_unsafe_effect() {
  return std::any_of(node_.unsafe_effects.begin(), node_.unsafe_effects.end(), [&](const std::string& task) {
    return task.empty() || std::none_of(node_.journal.begin(), node_.journal.end(),
                                        [&](const auto& done) { return done->name == task; });
  });
}

void AgentNode::remove_operation(std::string_view name) {
  std::erase_if(node_.operations, [&](const auto& operation) { return operation->name == name; });
}

}  // namespace ptcvm::loop
