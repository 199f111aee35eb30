#include "ptcvm/journal.hpp"

#include "api/errors.h"
#include "api/store_access.h"
#include "runtime/durable/answers.h"
#include "runtime/log/log_writer.h"
#include "runtime/text/edn_json.h"
#include "runtime/text/json_text.h"
#include "runtime/text/one_line.h"
#include "runtime/text/plan.h"
#include "vm/value/print.h"
#include "vm/value/utf8.h"

namespace ptcvm {
namespace {

static_assert(static_cast<int>(Effect::Reconcilable) == static_cast<int>(ptc::EffectClass::Reconcilable));

// Nobody is asked about a call that may be made again: the program was told that the call has failed.
ptc::EffectState shown_state(const ptc::LoggedEffect& effect) {
  const bool is_told = effect.state == ptc::EffectState::InDoubt && ptc::is_called_again(effect.effect_class);
  return is_told ? ptc::EffectState::Failed : effect.state;
}

JournalCall journal_call(const ptc::LoggedEffect& effect) {
  JournalCall out;
  out.key = effect.key;
  out.tool = effect.tool;
  out.args_edn = effect.args;
  out.task = effect.task;
  out.state = ptc::effect_state_name(shown_state(effect));
  out.value_edn = effect.value;
  out.text = effect.text;
  out.errors = effect.errors;
  out.attempt = effect.attempt;
  out.effect = static_cast<Effect>(effect.effect_class);
  return out;
}

JournalOperation journal_operation(const ptc::LoggedOperation& operation) {
  JournalOperation out;
  out.id = operation.id;
  out.tool = operation.tool;
  out.args_edn = operation.args;
  out.is_opened = operation.is_opened;
  out.since_ms = operation.opened_ms;
  out.status = operation.status;
  out.value_edn = operation.value;
  out.text = operation.text;
  out.by = operation.source;
  return out;
}

RunJournal journal_of(std::string_view run, const ptc::RunLog& log, JournalExtent extent) {
  RunJournal out;
  out.run = run;
  out.facts = log.head();
  out.turn = log.turn();
  out.is_over = log.is_over();
  if (extent == JournalExtent::Whole) {
    for (const ptc::LoggedTask& task : log.tasks()) out.tasks.push_back({task.id, task.value_edn, task.source});
    for (const ptc::LoggedEffect& effect : log.effects()) out.calls.push_back(journal_call(effect));
  }
  for (const ptc::LoggedOperation& one : log.operations()) out.operations.push_back(journal_operation(one));
  for (const ptc::PlanStep& step : log.plan().value_or(ptc::Plan())) out.plan.push_back({step.id, step.description});
  out.summaries = log.summaries();
  return out;
}

// The error, if there is one.
std::optional<ptc::StoreError> read_notable(ptc::FactStore& store, std::string_view run, ptc::RunLog& log) {
  auto info = store.info(run);
  if (auto* error = std::get_if<ptc::StoreError>(&info)) return std::move(*error);
  if (const auto& known = std::get<std::optional<ptc::RunInfo>>(info)) log.skip_to(known->head);
  return ptc::visit_notable(store, run, [&log](const ptc::Fact& fact) { log.add(fact); });
}

void append_raw(std::string& out, std::string_view name, std::string_view json) {
  ptc::append_json_name(out, name);
  out += json;
}

template <class Items, class Write>
void append_list(std::string& out, std::string_view name, const Items& items, Write write) {
  ptc::append_json_name(out, name);
  out += '[';
  for (const auto& item : items) {
    ptc::append_json_comma(out);
    out += '{';
    write(out, item);
    out += '}';
  }
  out += ']';
}

void append_task(std::string& out, const JournalTask& task) {
  ptc::append_json_member(out, "id", task.id);
  append_raw(out, "value", ptc::json_of_edn(task.value_edn));
  ptc::append_json_member(out, "edn", task.value_edn);
  ptc::append_json_member(out, "from", task.by.empty() ? "program" : task.by);
}

void append_call(std::string& out, const JournalCall& call) {
  ptc::append_json_member(out, "key", call.key);
  ptc::append_json_member(out, "tool", call.tool);
  append_raw(out, "args", ptc::json_of_edn(call.args_edn));
  ptc::append_json_member(out, "effect", effect_name(call.effect));
  ptc::append_json_member(out, "state", call.state);
  append_raw(out, "attempt", std::to_string(call.attempt));
  if (!call.task.empty()) ptc::append_json_member(out, "task", call.task);
  if (!call.value_edn.empty()) append_raw(out, "value", ptc::json_of_edn(call.value_edn));
  if (!call.text.empty()) ptc::append_json_member(out, "text", call.text);
  if (!call.errors.empty()) ptc::append_json_member(out, "errors", call.errors);
}

void append_operation(std::string& out, const JournalOperation& operation) {
  ptc::append_json_member(out, "op", operation.id);
  ptc::append_json_member(out, "tool", operation.tool);
  append_raw(out, "args", ptc::json_of_edn(operation.args_edn));
  ptc::append_json_member(out, "status", operation.status.empty() ? "waiting" : operation.status);
  if (!operation.value_edn.empty()) append_raw(out, "value", ptc::json_of_edn(operation.value_edn));
  if (!operation.text.empty()) ptc::append_json_member(out, "text", operation.text);
}

}  // namespace

Result<RunJournal> Store::journal(std::string_view run, JournalExtent extent) const {
  ptc::FactStore& store = StoreAccess::store(*this);
  ptc::RunLog log;
  const auto error = extent == JournalExtent::Whole ? ptc::read_on(store, run, log) : read_notable(store, run, log);
  if (error) return store_error(*error);
  return journal_of(run, log, extent);
}

Result<std::vector<JournalCall>> Store::doubts(std::string_view run) const {
  auto open = ptc::open_doubts(StoreAccess::store(*this), run);
  if (const auto* error = std::get_if<ptc::StoreError>(&open)) return store_error(*error);
  std::vector<JournalCall> out;
  for (const ptc::LoggedEffect& doubt : std::get<std::vector<ptc::LoggedEffect>>(open)) {
    out.push_back(journal_call(doubt));
  }
  return out;
}

std::string journal_edn(const RunJournal& journal) {
  std::string out = "{";
  for (const JournalTask& task : journal.tasks) {
    if (out.size() > 1) out += ' ';
    ptc::append_quoted(out, task.id);
    out.append(" ").append(task.value_edn);
  }
  return out + '}';
}

std::string journal_json(const RunJournal& journal) {
  std::string out = "{";
  ptc::append_json_member(out, "run", journal.run);
  append_raw(out, "turn", std::to_string(journal.turn));
  append_raw(out, "over", journal.is_over ? "true" : "false");
  append_list(out, "tasks", journal.tasks, append_task);
  append_list(out, "effects", journal.calls, append_call);
  append_list(out, "operations", journal.operations, append_operation);
  return out + '}';
}

std::string mission_log(const RunJournal& journal, std::size_t most) {
  std::vector<ptc::LoggedTask> tasks;
  for (const JournalTask& task : journal.tasks) tasks.push_back({task.id, task.value_edn, task.by, 0});
  std::string text = ptc::render_mission_log(tasks, most), doubts;
  for (const JournalCall& call : journal.calls) {
    if (call.state != "in_doubt") continue;
    const std::string args = ptc::one_line(call.args_edn);
    doubts.append("\n- [in doubt] ").append(ptc::one_line(call.task.empty() ? call.key : call.task)).append(": ");
    doubts.append(ptc::one_line(call.tool)).append(" ").append(ptc::utf8_prefix(args, most));
    if (args.size() > most) doubts += "...";
    std::string errors = ptc::one_line(call.errors);
    errors.resize(errors.find_last_not_of(' ') + 1);       // npos + 1 is 0
    if (!errors.empty()) doubts.append(" (it wrote: ").append(ptc::utf8_prefix(errors, most)).append(")");
  }
  if (doubts.empty()) return text;
  if (!text.empty()) text += "\n\n";
  return text + "## Calls in Doubt (nobody knows whether they happened; a person must say)" + doubts;
}

std::string checklist(const RunJournal& journal) {
  ptc::Plan plan;
  for (const JournalStep& step : journal.plan) plan.push_back({step.id, step.description});
  return ptc::render_checklist(plan, journal.summaries);
}

Result<std::vector<JournalStep>> read_plan(std::string_view edn) {
  std::string why;
  const auto plan = ptc::read_plan(edn, why);
  if (!plan) return host_error(Errc::invalid_value, std::move(why));
  std::vector<JournalStep> steps;
  for (const ptc::PlanStep& step : *plan) steps.push_back({step.id, step.description});
  return steps;
}

}  // namespace ptcvm
