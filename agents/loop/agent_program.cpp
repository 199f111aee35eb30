// Programs of an agent: how they start, what they call, and what the model is told about them.
#include <algorithm>
#include <map>
#include <utility>

#include "agents/loop/agent_node.h"
#include "agents/loop/definition_notes.h"
#include "agents/loop/json_number.h"
#include "agents/loop/program_text.h"
#include "agents/loop/result_json.h"
#include "ptcvm/reference.hpp"

namespace ptcvm::loop {

using state::AfterProgram;
using state::Phase;
using state::TurnKind;

namespace {

constexpr std::size_t kValueBytes = 250, kPrintBytes = 512, kDefinitionBytes = 250, kReturnBytes = 200;

// Returns whether a text of a value may have a name that the model does not see (names that begin with _).
bool may_have_hidden(std::string_view edn) {
  return edn.find(":_") != std::string_view::npos || edn.find("\"_") != std::string_view::npos;
}

std::string explanation(std::string_view form, std::string_view name) {
  std::string text = form == "doc" ? doc_text(name) : apropos_text(name);
  if (!text.empty()) return text;
  return form == "doc" ? unknown_name_text(name) : "nothing mentions " + std::string(name);
}

}  // namespace

Limits default_program_limits() {
  Limits limits;
  limits.print_length = 20'000;    // texts of (doc …) and (apropos …) are longer than other prints
  limits.operation_ttl_ms = 0;     // people may take as long as they want
  return limits;
}

Result<void> AgentNode::open_session() {
  RestoreOptions options;
  options.tools = agent_.tools;
  options.hooks = session_hooks();
  options.hands_out_calls = true;
  options.time_ms = tree_.time_ms;
  options.limits = tree_.agent.options.program_limits;
  const auto* const first = reinterpret_cast<const std::byte*>(node_.session.data());
  auto restored = Session::restore(tree_.agent.engine, {first, node_.session.size()}, options);
  if (!restored) return restored.error();
  session_.emplace(std::move(*restored));
  return {};
}

Session& AgentNode::session() {
  if (session_) return *session_;
  RunOptions options;
  options.id = run_id();
  options.tools = agent_.tools;
  options.hooks = session_hooks();
  options.data_json = node_.data;
  options.hands_out_calls = true;
  options.time_ms = tree_.time_ms;
  options.limits = tree_.agent.options.program_limits;
  session_.emplace(Session::create(tree_.agent.engine, options).value());   // the data is a JSON object
  load_session();
  return *session_;
}

// Gives a new session what the turns before have left.
void AgentNode::load_session() {
  std::string definitions = "{", journal = "{", history = "[";
  std::map<std::string_view, std::string_view> defined;
  for (const auto& turn : node_.turns) {
    for (const auto& made : turn->definitions) defined[made->name] = made->text;
  }
  for (const auto& [name, edn] : defined) definitions.append(":").append(name).append(" ").append(edn).append(" ");
  for (const auto& task : node_.journal) {
    journal.append(string_literal(task->name)).append(" ").append(task->text).append(" ");
  }
  std::vector<const std::string*> values;
  for (const auto& turn : node_.turns) {
    if (turn->kind != TurnKind::Fault && turn->kind != TurnKind::NotRun) values.push_back(&turn->value);
  }
  for (std::size_t i = values.size() - std::min<std::size_t>(values.size(), 3); i < values.size(); ++i) {
    history.append(values[i]->empty() ? "nil" : *values[i]).append(" ");
  }
  // What was written down by this library can be read by it, except values that EDN has no text for; these are lost.
  if (!defined.empty()) static_cast<void>(session_->load_definitions(definitions + "}"));
  if (!node_.journal.empty()) static_cast<void>(session_->load_journal(journal + "}"));
  if (!values.empty()) static_cast<void>(session_->load_history(history + "]"));
}

void AgentNode::start_program(const std::string& written) {
  state::TurnT& turn = *node_.current;
  turn.program = written;
  if (written.size() > node_.limits->program_bytes) {
    turn.program.resize(whole_characters(turn.program, node_.limits->program_bytes));
    if (has_own_program()) {
      return end_own_program("budget_exhausted", "the program is longer than the limit program_bytes");
    }
    return end_turn(TurnKind::NotRun, "The program is too long: it has " + std::to_string(written.size()) +
                                          " bytes, and the limit program_bytes is " +
                                          std::to_string(node_.limits->program_bytes) + ". Nothing of it was run.");
  }
  const ProgramText read = read_program_text(written);
  turn.is_repaired = read.dropped_brackets > 0;
  node_.is_repaired = node_.is_repaired || turn.is_repaired;
  const ExplainedProgram program = explain(read.text, explanation);
  node_.explained_bytes = program.answer_bytes;
  Session& session = this->session();
  session.run().set_time(tree_.time_ms);
  if (!has_tools()) {
    static const Tools kNoTools;
    CompileOptions without;
    without.tools = &kNoTools;
    const auto compiled = tree_.agent.engine.compile(program.text, without);
    if (!compiled && compiled.error().diagnostic && compiled.error().diagnostic->kind == "unknown_tool") {
      return take_fault(*compiled.error().diagnostic, {});
    }
  }
  const auto begun = session.begin(program.text);
  if (!begun) {
    const Error error = begun.error();
    Diagnostic fault = error.diagnostic.value_or(Diagnostic());
    if (!error.diagnostic) fault.message = error.message;
    return take_fault(fault, {});
  }
  node_.phase = Phase::Running;
}

// Returns the name of the tool that a reply calls, or "" when the turn may not call it. Models write _ for - in names.
std::string AgentNode::callable_name(const std::string& said) const {
  if (!has_tools()) return {};
  const auto same = [](char a, char b) { return a == b || (a == '_' && b == '-'); };
  for (const bool is_exact : {true, false}) {
    for (const std::string& name : agent_.callable) {
      if (is_exact ? name == said : std::equal(said.begin(), said.end(), name.begin(), name.end(), same)) return name;
    }
  }
  return {};
}

// Starts the next call of a reply in native mode, as a program of one call. Returns false when none is left.
bool AgentNode::start_native_call() {
  auto& calls = node_.current->replies.back()->calls;
  while (node_.native_calls < calls.size()) {
    state::ReplyCallT& call = *calls[node_.native_calls];
    const auto arguments = Value::from_json(call.arguments.empty() ? "{}" : call.arguments);
    const std::string name = callable_name(call.name);
    const std::string fault = tree_.refuses_infinite() ? json_number_fault(call.arguments) : std::string();
    if (!name.empty() && fault.empty() && arguments && arguments->view().kind() == ValueKind::Map) {
      const auto tool = agent_.host_tools.find(name);
      const bool is_async = tool != agent_.host_tools.end() && tool->second->mode == ToolMode::Async;
      std::string program = "(tool/" + name + " " + arguments->to_edn() + ")";
      if (is_async) program = "(await " + program + ")";
      session().run().set_time(tree_.time_ms);
      if (session().begin(program)) {
        node_.phase = Phase::Running;
        return true;
      }
    }
    call.is_error = true;
    call.result = name.empty()    ? "unknown_tool: the tool \"" + call.name + "\" is not there in this turn"
                  : fault.empty() ? "The arguments cannot be read. They are one JSON object."
                                  : "The arguments cannot be read: " + fault + ".";
    ++node_.native_calls;
  }
  return false;
}

void AgentNode::finish_native_call() {
  Run& run = session().run();
  state::ReplyCallT& call = *node_.current->replies.back()->calls[node_.native_calls++];
  if (const auto fault = run.diagnostic()) {
    call.result = fault->kind + ": " + fault->message;
    call.is_error = true;
  } else {
    call.result = run.result().kind() == ValueKind::String ? std::string(*run.result().as_string())
                                                           : run.result().to_json();
    if (call.result.empty()) call.result = "(no text)";
  }
  cut_observation(call.result);
  budget_.count_fuel(run.usage().fuel);
  record_state_of_session();
  forget_operations(false);
  end_program(TurnKind::Value, {}, AfterProgram::NativeCall);
}

bool AgentNode::run_program() {
  Run& run = session().run();
  for (;;) {
    bool is_moved = settle_children();
    run.set_time(tree_.time_ms);
    run.step();
    if (run.is_over()) {
      if (agent_.mode == ReplyMode::Native) {
        finish_native_call();
      } else {
        finish_program();
      }
      return true;
    }
    is_moved = take_questions() || is_moved;
    is_moved = take_calls() || is_moved;
    if (!is_moved && (run.state() == RunState::Suspended || !run.calls().empty())) {
      take_signals();
      return false;
    }
  }
}

void AgentNode::finish_program() {
  Run& run = session().run();
  const Outcome outcome = run.outcome();
  budget_.count_fuel(outcome.usage.fuel);
  record_state_of_session();
  forget_operations(outcome.diagnostic.has_value());
  if (outcome.diagnostic) return take_fault(*outcome.diagnostic, outcome);
  state::TurnT& turn = *node_.current;
  for (const auto& [id, text] : outcome.summaries) {
    auto summary = std::make_unique<state::NamedTextT>();
    summary->name = id;
    summary->text = text;
    std::erase_if(node_.summaries, [&](const auto& known) { return known->name == id; });
    turn.summaries.push_back(std::make_unique<state::NamedTextT>(*summary));
    node_.summaries.push_back(std::move(summary));
  }
  const ValueView value = run.result();
  if (run.state() == RunState::Returned) return take_return(value, outcome);
  const std::string definitions = changed_definitions();
  if (run.state() == RunState::Failed) {
    const ValueView reason = value["reason"], message = value["message"];
    const auto name = reason.as_keyword() ? reason.as_keyword() : reason.as_string();
    const auto text = message.as_string();
    std::string why = name ? std::string(*name) : reason.is_nil() ? "failed" : reason.to_edn();
    std::string said = text ? std::string(*text) : value.to_edn();
    return end_program(TurnKind::Failed, "The task has failed: " + preview(value, kReturnBytes), AfterProgram::Error,
                       std::move(why), std::move(said));
  }
  turn.value = value.kind() == ValueKind::Var ? std::string() : value.to_edn();
  std::string text = shown(outcome, value);
  if (has_own_program()) return end_own_program("llm_required", "the program did not end the task");
  end_program(TurnKind::Value, text + definitions);
}

void AgentNode::take_return(ValueView value, const Outcome& outcome) {
  state::TurnT& turn = *node_.current;
  const auto wrong = agent_.signature ? agent_.signature->check_result(value) : std::nullopt;
  turn.value = value.to_edn();
  const std::string definitions = changed_definitions();
  if (wrong) {
    std::string text = shown(outcome, {});
    text += "The returned value does not fit " + agent_.signature->result_type() + ": " + *wrong + ".\nIt was " +
            preview(value, kReturnBytes) + "\nCall (return …) with a value that fits.\n";
    if (has_own_program()) return end_own_program("validation_error", *wrong);
    return end_program(TurnKind::Fault, text + definitions);
  }
  std::string result = result_json(value);
  end_program(TurnKind::Returned, "Returned " + preview(value, kReturnBytes) + "\n" + definitions,
              AfterProgram::Result, std::move(result));
}

void AgentNode::take_fault(const Diagnostic& fault, const Outcome& outcome) {
  if (has_own_program()) return end_own_program(fault.kind, fault.message);
  std::string text = shown(outcome, {});
  text += "Error: " + (fault.kind.empty() ? std::string("fault") : fault.kind) + ": " + fault.message + "\n";
  if (fault.line != 0) text += "At line " + std::to_string(fault.line) + ":\n" + fault.excerpt;
  if (!fault.found.empty()) text += "Found: " + (may_have_hidden(fault.found) ? "(hidden)" : fault.found) + "\n";
  if (!fault.hint.empty()) text += "Hint: " + fault.hint + "\n";
  text += "Nothing that this program defined was kept.";
  end_program(TurnKind::Fault, std::move(text));
}

// Returns what the program printed, or else its value.
std::string AgentNode::shown(const Outcome& outcome, ValueView value) {
  state::TurnT& turn = *node_.current;
  std::string text;
  if (turn.is_repaired) {
    text += "Note: closing brackets behind the last form were surplus and have been dropped.\n";
  }
  std::string prints;
  for (const std::string& print : outcome.prints) prints.append(print).append("\n");
  const std::size_t most = kPrintBytes + node_.explained_bytes;
  if (prints.size() > most) {
    const std::size_t all = prints.size();
    prints.resize(whole_characters(prints, most));
    prints += "… (" + std::to_string(all - prints.size()) + " more bytes were printed; print less)\n";
  }
  if (!prints.empty()) return text + prints;
  const bool is_worth = !value.is_nil() && value.kind() != ValueKind::Var;
  return is_worth ? text + "user=> " + preview(value, kValueBytes) + "\n" : text;
}

// Returns lines about definitions that are new or changed, and keeps them in the turn.
std::string AgentNode::changed_definitions() {
  for (; defined_turns_ < node_.turns.size(); ++defined_turns_) {
    for (const auto& made : node_.turns[defined_turns_]->definitions) defined_[made->name] = made->text;
  }
  const std::string all = session().definitions_edn();
  const auto docs = definition_docs(node_.current->program);
  std::string text;
  for (auto [name, edn] : entries_of_map(all)) {
    if (name.starts_with(':')) name.remove_prefix(1);
    const auto before = defined_.find(name);
    if (before != defined_.end() && before->second == edn) continue;
    auto made = std::make_unique<state::NamedTextT>();
    made->name = name;
    made->text = edn;
    node_.current->definitions.push_back(std::move(made));
    const auto doc = docs.find(name);
    text += definition_line(name, edn, doc == docs.end() ? std::string_view() : doc->second, kDefinitionBytes) + "\n";
  }
  return text;
}

// Takes over what tasks have done; they stay done whatever becomes of the turn.
void AgentNode::record_state_of_session() {
  const std::string edn = session().run().journal_edn();
  std::map<std::string, std::string> now;
  for (const auto& [key, value] : entries_of_map(edn)) {
    const auto id = Value::from_edn(key);
    if (id && id->view().as_string()) now.emplace(*id->view().as_string(), value);
  }
  std::vector<std::unique_ptr<state::NamedTextT>> journal;
  for (const auto& [id, value] : now) {
    const auto known =
        std::find_if(node_.journal.begin(), node_.journal.end(), [&](const auto& t) { return t->name == id; });
    auto task = std::make_unique<state::NamedTextT>();
    task->name = id;
    task->text = value;
    if (known == node_.journal.end() || (*known)->text != value) {
      node_.current->tasks.push_back(std::make_unique<state::NamedTextT>(*task));
    }
    journal.push_back(std::move(task));
  }
  for (const auto& task : node_.journal) {
    if (!now.contains(task->name)) node_.current->dropped_tasks.push_back(task->name);
  }
  node_.journal = std::move(journal);
}

}  // namespace ptcvm::loop
