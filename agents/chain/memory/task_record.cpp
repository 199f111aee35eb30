#include "agents/chain/memory/task_record.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "agents/chain/plan/plan.h"
#include "agents/chain/plan/plan_program.h"
#include "agents/chain/plan/step_values.h"
#include "agents/chain/run/chain_log.h"
#include "agents/chain/run/driver_run.h"
#include "agents/chain/run/steps_run.h"
#include "agents/chain/text/json_member.h"
#include "agents/chain/text/model_usage.h"
#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr const char* kRecordForm = "2/";   // another one has every archive make its records again
constexpr std::size_t kMostSteps = 100'000;   // plans in logs were checked against the limit of their task

json::object object_of(const json::value& text) {
  boost::system::error_code error;
  json::value read = text.is_string() ? json::parse(std::string_view(text.get_string()), error) : json::value();
  return !error && read.is_object() ? std::move(read.get_object()) : json::object();
}

json::value value_of(const JournalTask& task) {
  const auto value = Value::from_edn(task.value_edn);
  return value ? to_json(*value) : json::value();
}

// Returns the revisions that were carried out. A plan of another one was refused, or nobody has judged it yet.
std::set<std::uint32_t> revisions_begun(const RunJournal& driver) {
  std::set<std::uint32_t> begun;
  for (const JournalCall& call : driver.calls) {
    if (call.tool != "chain_steps") continue;
    const auto args = Value::from_edn(call.args_edn);
    const json::value read = args ? to_json(*args) : json::value();
    if (const json::object* const object = read.if_object()) begun.insert(member_number(*object, "revision"));
  }
  return begun;
}

// The plans of a task that were carried out: what its calls were to do.
class Plans {
 public:
  Plans(const std::vector<json::object>& replies, const std::set<std::uint32_t>& begun, std::string_view task_id) {
    for (const json::object& reply : replies) {
      if (!begun.contains(member_number(reply, "revision"))) continue;
      auto plan = read_plan(reply_text(reply.at("reply")), {.task_id = std::string(task_id), .most_steps = kMostSteps});
      Plan* const made = std::get_if<Plan>(&plan);
      if (made != nullptr) plans_.insert_or_assign(member_number(reply, "revision"), std::move(*made));
    }
    for (const auto& [revision, plan] : plans_) {
      for (const PlanStep& step : plan.steps) {
        if (step.type == StepType::Action) calls_.insert_or_assign(effect_key(step, task_id), &step);
        steps_.insert_or_assign(std::pair(revision, std::string_view(step.id)), &step);
      }
    }
  }
  const PlanStep* by_key(const std::string& key) const {
    const auto found = calls_.find(key);
    return found == calls_.end() ? nullptr : found->second;
  }
  const PlanStep* step(std::uint32_t revision, std::string_view id) const {
    const auto found = steps_.find(std::pair(revision, id));
    return found == steps_.end() ? nullptr : found->second;
  }
  std::string newest() const {
    if (plans_.empty()) return "{\"steps\":[]}";
    json::array steps;
    const Plan& plan = plans_.rbegin()->second;
    for (const PlanStep& one : plan.steps) steps.push_back(step_json(plan, one));
    return json::serialize(json::object{{"steps", std::move(steps)}});
  }

 private:
  std::map<std::uint32_t, Plan> plans_;
  std::map<std::string, const PlanStep*, std::less<>> calls_;
  std::map<std::pair<std::uint32_t, std::string_view>, const PlanStep*> steps_;
};

// A call that went well is under its key; a call that failed is a step that is broken, "ID/STEP@REVISION".
void read_trace(const JournalTask& task, std::string_view task_id, const Plans& plans, std::vector<TaskTrace>& traces) {
  const json::value value = value_of(task);
  const json::object* const row = value.if_object();
  if (row == nullptr) return;
  const bool is_call = !step_of_key(task.id, task_id).empty();
  if (is_call == row->contains("error") || (!is_call && !row->contains("broken"))) return;
  const std::size_t at = task.id.rfind('@');
  const PlanStep* step = is_call ? plans.by_key(task.id) : nullptr;
  if (!is_call && at != std::string::npos && at > task_id.size()) {
    std::uint32_t revision = 0;
    std::from_chars(task.id.data() + at + 1, task.id.data() + task.id.size(), revision);
    step = plans.step(revision, std::string_view(task.id).substr(task_id.size() + 1, at - task_id.size() - 1));
  }
  if (step == nullptr || step->tool.empty()) return;
  const json::value* const ms = row->if_contains("ms");
  const json::value* const output = row->if_contains("value");
  traces.push_back({step->id, step->tool, json::serialize(step->args),
                    is_call && output != nullptr ? output_text(*output) : member_text(*row, "error"),
                    ms != nullptr && ms->is_int64() ? ms->get_int64() : 0, is_call});
}

}  // namespace

Result<TaskRecord> read_task_record(const Store& store, std::string_view task_id, std::string input) {
  TaskRecord record;
  record.task_id = task_id;
  record.input = std::move(input);
  const auto driver = driver_journal(store, task_id);
  if (!driver) return driver.error();
  const auto log = read_chain_log(store, task_id);
  if (!log) return log.error();
  const auto replies = read_plan_replies(store, task_id);
  if (!replies) return replies.error();
  const auto steps = store.journal(steps_run_id(task_id));
  if (!steps) return steps.error();
  const auto known = store.find(task_id);
  if (!known) return known.error();
  if (*known) record.created_ms = (*known)->started_ms;
  const std::string begin = std::string(task_id) + '/';
  for (const JournalTask& task : driver->tasks) {
    if (task.id.starts_with(begin + "report@")) record.reports.push_back(object_of(value_of(task)));
    if (task.id != begin + "context") continue;
    const json::object context = object_of(value_of(task));
    record.strategy_id = member_text(context, "strategyId");
    record.strategy_version = member_text(context, "strategyVersion");
  }
  record.feedback = log->feedback;
  if (log->report) record.result = member_text(*log->report, "summary");
  const Plans plans(*replies, revisions_begun(*driver), task_id);
  record.plan = plans.newest();
  for (const JournalTask& task : steps->tasks) read_trace(task, task_id, plans, record.traces);
  return record;
}

Result<std::string> task_mark(const Store& store, std::string_view task_id) {
  std::string mark = kRecordForm;
  const auto driver = driver_run_id(store, task_id);
  if (!driver) return driver.error();
  for (const std::string& part : {*driver, steps_run_id(task_id), std::string(task_id) + "/feedback"}) {
    const auto found = store.find(part);
    if (!found) return found.error();
    mark += std::to_string(*found ? (*found)->facts : 0) + '.';
  }
  return mark;
}

}  // namespace ptcvm::chain
