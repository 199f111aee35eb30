#include "tools/ptcvm/chain/chain_job.h"

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "ptcvm/host_log.hpp"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/step_agent_run.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view kJob = "job/chain", kSteps = "/steps", kAgents = "/agents/";

}  // namespace

std::vector<std::string> take_commands(ChainSetup& setup) {
  std::vector<std::string> names;
  for (const loop::AgentTool& tool : setup.agent_tools()) names.push_back(tool.name);
  for (json::value& tool : setup.tools) {
    if (tool.is_object()) tool.get_object().erase("command");
  }
  setup.served.clear();
  setup.model.clear();
  setup.is_job = true;
  std::ranges::sort(names);
  return names;
}

Result<ChainSetup> read_chain_job(std::string_view text) {
  auto setup = read_setup(std::string(text));
  if (!setup || !setup->is_job) return Error{Errc::invalid_value, "the job has no chain", std::nullopt, {}};
  return *std::move(setup);
}

Result<std::optional<ChainSetup>> chain_job(const Store& store, const std::string& id) {
  const auto first = HostLog::of(store, id).read(0, 1);
  if (!first) return first.error();
  if (first->empty() || first->front().name != kJob) return std::optional<ChainSetup>();
  auto setup = read_chain_job(first->front().body);
  if (!setup) return setup.error();
  return std::optional(*std::move(setup));
}

bool is_chain_job(const Store& store, const std::string& id) {
  const auto job = chain_job(store, id);
  return job && *job;
}

Result<std::optional<ChainSetup>> known_setup(const Store& store, const std::string& id) {
  auto kept = kept_setup(store, id);
  return !kept || *kept ? kept : chain_job(store, id);
}

std::optional<std::string> chain_of_steps(const Store& store, const std::string& log) {
  if (!log.ends_with(kSteps)) return std::nullopt;
  std::string id = log.substr(0, log.size() - kSteps.size());
  const auto setup = known_setup(store, id);
  return setup && *setup ? std::optional(std::move(id)) : std::nullopt;
}

std::optional<std::string> chain_of_agent(const Store& store, const std::string& log) {
  if (auto task = task_of_step_agent(log)) {
    const auto setup = known_setup(store, *task);
    return setup && *setup ? task : std::nullopt;
  }
  const std::size_t part = log.find(kAgents);
  if (part == std::string::npos || !is_chain_job(store, log.substr(0, part))) return std::nullopt;
  return log.substr(0, part);
}

bool is_of_chain(const Store& store, const std::string& log) {
  const auto task = chain_of_steps(store, log);
  if (!task) return false;
  complain(log + " has the steps of the task " + *task + ": say it with ptcvm chain answer; ptcvm chain show " + *task +
           " shows how");
  return true;
}

void retell_tools(ChainSetup& setup, const std::vector<DeclaredTool>& tools) {
  for (json::value& known : setup.tools) {
    json::object* const tool = known.if_object();
    const json::value* const name = tool == nullptr ? nullptr : tool->if_contains("name");
    if (name == nullptr || !name->is_string()) continue;
    for (const DeclaredTool& told : tools) {
      if (told.name != std::string_view(name->get_string())) continue;
      setup.note_external(told);
      if (!told.signature.empty()) (*tool)["signature"] = told.signature;
      if (!told.options.description.empty()) (*tool)["description"] = told.options.description;
      if (told.has_effect) (*tool)["effect"] = effect_name(told.options.effect);
      break;
    }
  }
}

}  // namespace ptcvm::cli
