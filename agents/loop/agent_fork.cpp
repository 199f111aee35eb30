// The first turns of a run as the history of another one.
#include <algorithm>
#include <map>
#include <utility>

#include "agents/loop/agent_node.h"
#include "agents/loop/reply_program.h"
#include "agents/loop/result_json.h"

namespace ptcvm::loop {

using state::Phase;
using state::TurnKind;

namespace {

// Takes back what was counted in turns that a fork lacks.
void forget_begun(state::NodeT& node, std::uint32_t turns) {
  const auto forget = [&node](const state::TurnT& turn) {
    for (const auto& begun : turn.begun) {
      for (const auto& counter : node.counters) {
        if (counter->name == begun->name) counter->count -= std::min(counter->count, begun->count);
      }
    }
  };
  for (std::size_t i = turns; i < node.turns.size(); ++i) forget(*node.turns[i]);
  forget(*node.current);
  std::erase_if(node.counters, [](const auto& counter) { return counter->count == 0; });
}

// Returns what a turn returned, as JSON. Without a program the value is in the last reply of the turn.
std::string returned(const state::TurnT& turn, const CompiledAgent& agent) {
  if (agent.mode == ReplyMode::Program) {
    const auto value = Value::from_edn(turn.value);
    return value ? result_json(*value) : std::string();
  }
  if (turn.replies.empty()) return {};
  const std::string& text = turn.replies.back()->text;
  if (agent.is_text_result) return result_json(Value::of(text));
  const auto value = Value::from_json(find_json_text(text));
  return value ? result_json(*value) : std::string();
}

}  // namespace

void AgentNode::keep_turns(state::NodeT& node, const CompiledAgent& agent, std::uint32_t turns) {
  forget_begun(node, turns);
  node.turns.resize(std::min<std::size_t>(node.turns.size(), turns));
  node.current = std::make_unique<state::TurnT>();
  node.children.clear();
  node.operations.clear();
  node.settled.clear();
  node.session.clear();
  node.staged.clear();
  node.summaries.clear();
  node.unsafe_effects.clear();
  node.phase = Phase::Beginning;
  node.reserved_money = 0;
  node.lost_requests = 0;
  node.program_end.reset();
  node.given_up.clear();
  node.reserved_turns = node.work_turns = node.retry_turns = node.native_calls = 0;
  node.left_turns = std::min(node.left_turns, turns);
  node.is_closing = node.is_turn_open = node.is_fallback = node.is_repaired = false;
  node.end_reason.clear();
  node.end_message.clear();
  node.result.clear();
  node.held_at.clear();
  node.held_question.clear();
  node.request_change.clear();
  node.held_phase = Phase::Beginning;
  node.usage = node.turns.empty() ? std::make_unique<state::UsageT>()
                                  : std::make_unique<state::UsageT>(*node.turns.back()->usage);
  std::map<std::string, std::string> journal;
  for (const auto& task : node.opening_journal) journal[task->name] = task->text;
  for (const auto& turn : node.turns) {
    for (const auto& task : turn->tasks) journal[task->name] = task->text;
    for (const std::string& id : turn->dropped_tasks) journal.erase(id);
    for (const auto& summary : turn->summaries) {
      std::erase_if(node.summaries, [&](const auto& known) { return known->name == summary->name; });
      node.summaries.push_back(std::make_unique<state::NamedTextT>(*summary));
    }
    node.is_repaired = node.is_repaired || turn->is_repaired;
    if (node.work_turns < node.limits->max_turns) {
      ++node.work_turns;
    } else {
      ++node.retry_turns;
    }
    if (turn != node.turns.back() && !turn->said.empty()) node.work_turns = node.retry_turns = 0;
  }
  node.journal.clear();
  for (const auto& [id, text] : journal) {
    auto task = std::make_unique<state::NamedTextT>();
    task->name = id;
    task->text = text;
    node.journal.push_back(std::move(task));
  }
  if (node.turns.empty()) return;
  state::TurnT& last = *node.turns.back();
  last.said.clear();
  if (last.kind != TurnKind::Returned) return;
  node.phase = Phase::Ended;
  node.result = returned(last, agent);
}

}  // namespace ptcvm::loop
