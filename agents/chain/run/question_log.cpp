#include "agents/chain/run/question_log.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "agents/chain/plan/call_name.h"
#include "agents/chain/plan/gate.h"
#include "agents/chain/plan/plan.h"
#include "agents/chain/plan/plan_program.h"
#include "agents/chain/plan/step_values.h"
#include "agents/chain/risk/confirmation.h"
#include "agents/chain/run/chain_log.h"
#include "agents/chain/run/steps_run.h"
#include "agents/chain/text/json_member.h"
#include "agents/chain/text/model_usage.h"
#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr std::size_t kDigestLetters = 8;

std::string named(std::string_view step, std::string_view what) {
  return std::string(step) + '@' + call_name(what).substr(0, kDigestLetters);
}

// Returns the last plan of the revision, or an empty one.
Plan plan_of(const std::vector<json::object>& replies, std::string_view task_id, std::uint32_t revision) {
  Plan plan;
  for (const json::object& reply : replies) {
    if (member_number(reply, "revision") != revision) continue;
    auto read = read_plan(reply_text(reply.at("reply")), {.task_id = std::string(task_id)});
    if (Plan* const made = std::get_if<Plan>(&read)) plan = std::move(*made);
  }
  return plan;
}

LoggedQuestion question_of(const JournalOperation& operation, const ConfirmationId& id) {
  LoggedQuestion question;
  question.kind = LoggedQuestion::Kind::Confirm;
  question.key = operation.id;
  question.step = id.step;
  question.name = question_name(id.step, operation.id);
  question.is_answered = !operation.status.empty();
  question.is_approved = operation.status == "ok" && operation.value_edn == "nil";
  question.said = operation.status == "ok" ? operation.value_edn : operation.text;
  question.by = operation.by;
  return question;
}

// Arguments are shown as JSON, as in every other question.
std::string doubt_text(const std::string& step, const std::string& tool, const std::string& args_edn) {
  const auto args = Value::from_edn(args_edn);
  const std::string shown = args ? args->to_json() : args_edn;
  return "Nobody knows whether step " + step + " has called " + tool + ' ' + shown + ". Look, then say it:";
}

// Returns whether a step has made no other call, and the call not before.
bool is_first_call(const RunJournal& journal, std::string_view task_id, std::string_view step,
                   const JournalCall& doubt) {
  return doubt.attempt <= 1 && std::ranges::none_of(journal.calls, [&](const JournalCall& call) {
           return call.key != doubt.key && step_of_key(call.task, task_id) == step;
         });
}

}  // namespace

std::string asked_text(const PlanStep& step, const std::string& args_edn, std::string_view signature) {
  if (step.tool.empty()) return question_text(step, {{"prompt", step.description}}, signature);
  const auto asked = Value::from_edn(args_edn);
  const json::value request = asked ? to_json(*asked) : json::value();
  const json::value* const args = request.is_object() ? request.get_object().if_contains("args") : nullptr;
  const auto exact = exact_args(step.args, args == nullptr || !args->is_object() ? json::object() : args->get_object());
  const json::object* const made = std::get_if<json::object>(&exact);
  return question_text(step, made == nullptr ? step.args : *made, signature);
}

std::string question_name(std::string_view step, std::string_view key) { return named(step, key); }

std::string doubt_name(std::string_view step, std::string_view key, std::uint64_t attempt) {
  return named(step, std::string(key) + " #" + std::to_string(attempt));
}

std::string agent_doubt_name(std::string_view step, std::uint32_t revision, std::string_view path) {
  std::string name(step);
  if (revision > 1) name += '@' + std::to_string(revision);
  return name.append("/").append(path);
}

LoggedQuestion asked_question(const ChainOperation& operation) {
  LoggedQuestion question;
  question.key = operation.key;
  question.attempt = operation.attempt;
  question.step = operation.step;
  question.tool = operation.tool;
  if (operation.kind == OperationKind::Question) {
    question.name = question_name(operation.step, operation.key);
    question.text = operation.text;
    return question;
  }
  question.kind = LoggedQuestion::Kind::Doubt;
  if (!operation.path.empty()) {
    question.name = agent_doubt_name(operation.step, operation.revision, operation.path);
    question.text = "Nobody knows whether the agent of step " + operation.step + " has called " + operation.tool +
                    (operation.text.empty() ? "" : ' ' + operation.text) + ". Look, then say it:";
    return question;
  }
  question.name = doubt_name(operation.step, operation.key, operation.attempt);
  question.text = doubt_text(operation.step, operation.tool, operation.text);
  return question;
}

Result<std::vector<LoggedQuestion>> read_questions(const Store& store, std::string_view task_id) {
  const std::string run = steps_run_id(task_id);
  const auto log = read_chain_log(store, task_id);
  if (!log) return log.error();
  const auto journal = store.journal(run);
  if (!journal) return journal.error();
  const auto replies = read_plan_replies(store, task_id);
  if (!replies) return replies.error();
  const bool is_over = log->report && !log->is_replanned;
  std::vector<LoggedQuestion> questions;
  std::set<std::string, std::less<>> asked;   // steps
  for (const JournalOperation& operation : journal->operations) {
    const auto id = read_confirmation_id(operation.id);
    if (!id || !operation.is_opened) continue;
    LoggedQuestion question = question_of(operation, *id);
    question.is_only = asked.insert(question.step).second;
    // A question that nobody answered belongs to a revision that a limit has ended.
    if (!question.is_answered && (is_over || id->revision != log->revision)) continue;
    if (!question.is_answered) {
      const Plan plan = plan_of(*replies, task_id, id->revision);
      const auto step = std::ranges::find(plan.steps, id->step, &PlanStep::id);
      if (step != plan.steps.end()) question.text = asked_text(*step, operation.args_edn, id->signature);
    }
    questions.push_back(std::move(question));
  }
  if (is_over) return questions;
  const auto doubts = store.doubts(run);
  if (!doubts) return doubts.error();
  for (const JournalCall& doubt : *doubts) {
    LoggedQuestion question;
    question.kind = LoggedQuestion::Kind::Doubt;
    question.key = doubt.key;
    question.attempt = doubt.attempt;
    question.step = step_of_key(doubt.task, task_id);
    question.name = doubt_name(question.step, doubt.key, doubt.attempt);
    const Plan plan = plan_of(*replies, task_id, log->revision);
    const auto step = std::ranges::find(plan.steps, question.step, &PlanStep::id);
    question.tool = step == plan.steps.end() ? doubt.tool : step->tool;
    question.text = doubt_text(question.step, question.tool, doubt.args_edn);
    question.is_only = is_first_call(*journal, task_id, question.step, doubt);
    questions.push_back(std::move(question));
  }
  return questions;
}

}  // namespace ptcvm::chain
