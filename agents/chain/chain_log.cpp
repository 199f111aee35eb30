#include "agents/chain/chain_log.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <charconv>

#include "agents/chain/json_member.h"
#include "agents/chain/steps_run.h"
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

// Reads "ID/STEP@REVISION"; keys of effects, "ID/STEP#HASH", are no steps.
void read_step(const JournalTask& task, std::string_view task_id, std::vector<LoggedStep>& steps) {
  std::string_view name = task.id;
  const std::size_t at = name.rfind('@');
  if (at == std::string_view::npos || !number_at(name.substr(at + 1)) || name.size() <= task_id.size()) return;
  const std::string_view id = name.substr(task_id.size() + 1, at - task_id.size() - 1);
  const auto value = Value::from_edn(task.value_edn);
  const json::value row = value ? to_json(*value) : json::value();
  if (!row.is_object()) return;
  const auto known = std::find_if(steps.begin(), steps.end(), [&](const LoggedStep& step) { return step.id == id; });
  LoggedStep& step = known == steps.end() ? steps.emplace_back() : *known;
  const json::value* const ms = row.get_object().if_contains("ms");
  step = {std::string(id), member_text(row.get_object(), "status"), member_text(row.get_object(), "error"),
          ms != nullptr && ms->is_int64() ? ms->get_int64() : 0, *number_at(name.substr(at + 1))};
}

}  // namespace

Result<ChainLog> read_chain_log(const Store& store, std::string_view task_id) {
  const std::string id(task_id);
  const auto driver = store.journal(id);
  if (!driver) return driver.error();
  const auto steps = store.journal(steps_run_id(id));
  if (!steps) return steps.error();
  const auto said = store.journal(id + "/feedback");
  if (!said) return said.error();
  ChainLog log;
  log.is_begun = driver->facts > 0;
  const std::string plan = id + "/plan@", report = id + "/report@";
  for (const JournalTask& task : driver->tasks) {
    if (task.id.starts_with(plan)) {
      log.revision = std::max(log.revision, number_at(std::string_view(task.id).substr(plan.size())).value_or(0));
    }
    if (task.id.starts_with(report)) log.report = object_in(task);
  }
  for (const JournalTask& task : steps->tasks) read_step(task, id, log.steps);
  for (const JournalTask& task : said->tasks) {
    if (task.id == id + "/feedback") log.feedback = object_in(task);
  }
  return log;
}

}  // namespace ptcvm::chain
