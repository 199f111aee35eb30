#include "agents/chain/run/chain_log.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <charconv>

#include "agents/chain/plan/plan_program.h"
#include "agents/chain/run/asked_replan.h"
#include "agents/chain/run/driver_run.h"
#include "agents/chain/run/steps_run.h"
#include "agents/chain/text/json_member.h"
#include "ptcvm/convert.hpp"
#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

// Returns the object whose text is the value of the task.
std::optional<json::object> object_in(const JournalTask& task) {
  const auto text = Value::from_edn(task.value_edn);
  boost::system::error_code error;
  json::value value = json::parse(text ? text->view().as_string().value_or("") : "", error);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

std::optional<std::uint32_t> number_at(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// A step of a plan in the name of a task: "ID/STEP@REVISION", or "ID/STEP#HASH" where a call completed its step.
struct SettledStep {
  std::string_view id;
  std::uint32_t revision = 0;
  bool is_call = false;
};

std::optional<SettledStep> settled_step(std::string_view name, std::string_view task_id, const json::object& row) {
  const std::string_view called = step_of_key(name, task_id);
  if (!called.empty()) {
    if (!row.contains("revision") || row.contains("error")) return std::nullopt;
    return SettledStep{called, member_number(row, "revision"), true};
  }
  const std::size_t at = name.rfind('@');
  if (at == std::string_view::npos || at <= task_id.size()) return std::nullopt;
  const auto revision = number_at(name.substr(at + 1));
  if (!revision) return std::nullopt;
  return SettledStep{name.substr(task_id.size() + 1, at - task_id.size() - 1), *revision, false};
}

void read_step(const JournalTask& task, std::string_view task_id, std::vector<LoggedStep>& steps) {
  const auto value = Value::from_edn(task.value_edn);
  const json::value read = value ? to_json(*value) : json::value();
  if (!read.is_object()) return;
  const json::object& row = read.get_object();
  const std::optional<SettledStep> settled = settled_step(task.id, task_id, row);
  if (!settled) return;
  const auto known =
      std::find_if(steps.begin(), steps.end(), [&](const LoggedStep& step) { return step.id == settled->id; });
  if (known != steps.end() && known->revision > settled->revision) return;
  LoggedStep& step = known == steps.end() ? steps.emplace_back() : *known;
  const json::value* const ms = row.if_contains("ms");
  step = {std::string(settled->id), settled->is_call ? "completed" : member_text(row, "status"),
          member_text(row, "error"), ms != nullptr && ms->is_int64() ? ms->get_int64() : 0, settled->revision};
}

bool is_report(const JournalTask& task, std::string_view task_id) {
  return std::string_view(task.id).starts_with(task_id) &&
         std::string_view(task.id).substr(task_id.size()).starts_with("/report@");
}

}  // namespace

Result<ChainLog> read_chain_log(const Store& store, std::string_view task_id) {
  const std::string id(task_id);
  const auto driver = driver_journal(store, id);
  if (!driver) return driver.error();
  const auto steps = store.journal(steps_run_id(id));
  if (!steps) return steps.error();
  const auto said = store.journal(id + "/feedback");
  if (!said) return said.error();
  ChainLog log;
  log.is_begun = driver->facts > 0;
  const std::string plan = id + "/plan@";
  for (const JournalTask& task : driver->tasks) {
    if (task.id.starts_with(plan)) {
      log.revision = std::max(log.revision, number_at(std::string_view(task.id).substr(plan.size())).value_or(0));
    }
    if (is_report(task, id)) log.report = object_in(task);
    if (is_report(task, id) && log.report) log.reported_revision = member_number(*log.report, "revision");
  }
  const auto asked = last_replan(store, task_id);
  if (!asked) return asked.error();
  log.is_replanned = *asked && (*asked)->revision > log.reported_revision;
  for (const JournalTask& task : steps->tasks) read_step(task, id, log.steps);
  for (const JournalTask& task : said->tasks) {
    if (task.id == id + "/feedback") log.feedback = object_in(task);
  }
  return log;
}

Result<bool> has_context(const Store& store, std::string_view task_id) {
  const auto driver = driver_journal(store, task_id);
  if (!driver) return driver.error();
  const std::string context = std::string(task_id) + "/context";
  return std::ranges::any_of(driver->tasks, [&](const JournalTask& task) { return task.id == context; });
}

Result<std::vector<json::object>> read_plan_replies(const Store& store, std::string_view task_id) {
  const auto driver = driver_journal(store, task_id);
  if (!driver) return driver.error();
  const std::string plan = std::string(task_id) + "/plan@";
  std::vector<json::object> replies;
  for (const JournalTask& task : driver->tasks) {
    if (!task.id.starts_with(plan)) continue;
    const std::string_view place = std::string_view(task.id).substr(plan.size());   // REVISION.ATTEMPT
    const std::size_t dot = place.find('.');
    const auto revision = number_at(place);
    const auto attempt = dot == std::string_view::npos ? std::nullopt : number_at(place.substr(dot + 1));
    const auto value = Value::from_edn(task.value_edn);
    if (!revision || !attempt || !value) continue;
    replies.push_back({{"revision", *revision}, {"attempt", *attempt}, {"reply", to_json(*value)}});
  }
  return replies;
}

Result<std::optional<json::object>> read_last_report(const Store& store, std::string_view task_id) {
  const auto driver = driver_journal(store, task_id);
  if (!driver) return driver.error();
  const auto last = std::find_if(driver->tasks.rbegin(), driver->tasks.rend(),
                                 [&](const JournalTask& task) { return is_report(task, task_id); });
  return last == driver->tasks.rend() ? std::nullopt : object_in(*last);
}

}  // namespace ptcvm::chain
