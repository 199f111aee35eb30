// Requests of an agent: whether one may be made, and what the newest message ends with.
#include <algorithm>
#include <utility>

#include "agents/loop/agent_node.h"
#include "agents/loop/definition_notes.h"
#include "agents/loop/progress_program.h"

namespace ptcvm::loop {

using state::Phase;

namespace {

std::vector<std::pair<std::string, std::string>> texts_of(
    const std::vector<std::unique_ptr<state::NamedTextT>>& summaries) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& summary : summaries) texts.emplace_back(summary->name, summary->text);
  return texts;
}

// A renderer that throws has failed.
Result<ProgressOutput> rendered_by(const std::function<Result<ProgressOutput>(const ProgressInput&)>& renderer,
                                   const ProgressInput& input) {
  try {
    return renderer(input);
  } catch (const std::exception& thrown) {
    return loop_error(Errc::refused, std::string("it threw: ") + thrown.what());
  } catch (...) {
    return loop_error(Errc::refused, "it threw something that is no std::exception");
  }
}

}  // namespace

// Lets the renderer of the host say what the progress is, once in each turn, with what it kept from the last turn.
bool AgentNode::render_progress() {
  const AgentDefinition& definition = *agent_.definition;
  const auto& of_host = tree_.agent.options.progress;
  if (!of_host && definition.progress.empty()) return true;
  const auto summaries = texts_of(node_.summaries);
  const std::string before = node_.turns.empty() ? std::string() : node_.turns.back()->progress_state;
  const ProgressInput input{*plan_, summaries, static_cast<std::uint32_t>(node_.turns.size() + 1), before};
  auto rendered = of_host ? rendered_by(of_host, input) : run_progress(tree_.agent.engine, definition.progress, input);
  if (!rendered) end_error("progress_failed", rendered.error().message);
  if (!rendered) return false;
  node_.current->progress = std::move(rendered->text);
  node_.current->progress_state = std::move(rendered->state);
  return true;
}

// Takes over what the turns that have left the request have defined.
void AgentNode::take_left_definitions() {
  for (; left_turns_ < std::min<std::size_t>(node_.left_turns, node_.turns.size()); ++left_turns_) {
    const state::TurnT& turn = *node_.turns[left_turns_];
    if (turn.definitions.empty()) continue;
    auto docs = definition_docs(turn.program);
    for (const auto& made : turn.definitions) left_[made->name] = {made->text, std::move(docs[made->name])};
  }
}

std::vector<DefinitionNote> AgentNode::left_definitions() {
  take_left_definitions();
  std::vector<DefinitionNote> out;
  for (const auto& [name, left] : left_) out.push_back({name, left.edn, left.doc});
  return out;
}

// Returns how many bytes the list of definitions may have: what the rest of the request leaves of transcript_bytes.
std::uint64_t AgentNode::definitions_room() {
  if (!tree_.counts_definitions()) return UINT64_MAX;
  std::uint64_t bytes = 0;
  conversation_.turns_to_leave(UINT64_MAX, bytes);   // nothing leaves
  return node_.limits->transcript_bytes - std::min(node_.limits->transcript_bytes, bytes);
}

// Lets the oldest turns leave the request, so that the rest fits into the limit transcript_bytes. Returns the size of
// the rest without the list of definitions, which is cut to the room that is left. A turn that leaves adds its
// definitions to the list; the list has counted since rules 7.
std::uint64_t AgentNode::leave_turns() {
  const std::uint64_t most = node_.limits->transcript_bytes;
  const bool has_list = agent_.mode == ReplyMode::Program && tree_.counts_definitions();
  for (std::uint64_t bytes = 0;;) {
    const std::uint64_t listed = has_list ? definitions_text(left_definitions(), UINT64_MAX).size() : 0;
    const std::uint32_t before = node_.left_turns;
    node_.left_turns = conversation_.turns_to_leave(most - std::min(most, listed), bytes);
    if (!has_list || node_.left_turns == before) return bytes;
  }
}

std::string AgentNode::notes() {
  TurnNotes notes;
  notes.type = turn_type();
  notes.turn = static_cast<std::uint32_t>(node_.turns.size() + 1);
  notes.turns_left = node_.limits->max_turns - std::min(node_.limits->max_turns, node_.work_turns + 1);
  notes.retry = node_.retry_turns + 1;
  notes.retries = node_.limits->retry_turns;
  notes.money = node_.usage->money;
  notes.money_limit = node_.limits->money;
  const AgentDefinition& definition = *agent_.definition;
  if (definition.has_journal) {
    for (const auto& task : node_.journal) notes.journal.push_back({task->name, task->text});
  }
  if (tree_.agent.options.progress || !definition.progress.empty()) {
    notes.progress = node_.current->progress;
  } else if (!plan_->empty() || !node_.summaries.empty()) {
    notes.progress = checklist(*plan_, texts_of(node_.summaries));
  }
  notes.definitions = left_definitions();
  notes.most_definition_bytes = definitions_room();
  std::string text = turn_notes(agent_, notes);
  if (node_.request_change.empty()) return text;
  const auto change = Value::from_edn(node_.request_change);
  const auto note = change ? change->view()["note"].as_string() : std::nullopt;
  return note ? text + "\n\n" + std::string(*note) : text;
}

wire::GrowingBody::Body AgentNode::request_body() {
  if (node_.request_change.empty()) return conversation_.body(notes());
  wire::Request settings = request_settings(agent_);
  const ModelChoice model = asked_model();
  settings.model = model.name;
  settings.temperature = model.temperature;
  settings.most_output_tokens = model.most_output_tokens;
  const wire::RequestFrame changed = wire::request_frame(model.protocol, settings);
  return conversation_.body(notes(), &changed);
}

void AgentNode::ask() {
  if (has_own_program()) return use_own_program();
  if (const auto refusal = budget_.model_refusal()) return exhaust(refusal->reason, refusal->message);
  node_.request_change.clear();
  const std::uint64_t bytes = leave_turns();
  if (bytes > node_.limits->transcript_bytes) {
    return exhaust("budget_exhausted", "the prompt is too long: it has " + std::to_string(bytes) +
                                           " bytes without the turns that can leave it, and the limit "
                                           "transcript_bytes is " + std::to_string(node_.limits->transcript_bytes));
  }
  if (judge_request() == Goes::On) send();
}

void AgentNode::send() {
  budget_.count_model_call();
  ++node_.requests;
  body_.reset();
  node_.phase = Phase::Awaiting;
}

}  // namespace ptcvm::loop
