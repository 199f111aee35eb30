#include "tools/ptcvm/agent/agent_job.h"

#include <boost/json.hpp>
#include <memory>
#include <set>

#include "tools/ptcvm/text/json_members.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

void take_commands(loop::AgentDefinition& agent, std::set<std::string>& names) {
  for (loop::AgentTool& tool : agent.tools) {
    if (!tool.command.empty()) names.insert(tool.name);
    tool.command.clear();
  }
  for (auto& [name, child] : agent.children) {
    if (child == nullptr) continue;          // the agent itself
    auto without = std::make_shared<loop::AgentDefinition>(*child);
    take_commands(*without, names);
    child = std::move(without);
  }
}

}  // namespace

std::vector<std::string> take_commands(loop::AgentDefinition& agent) {
  std::set<std::string> names;
  take_commands(agent, names);
  return {names.begin(), names.end()};
}

std::string write_agent_job(const AgentJob& job) {
  json::object out{{"agent", loop::agent_json(job.agent)}, {"data", job.data_json}};
  if (job.idle_ms) out["idle_ms"] = *job.idle_ms;
  return json::serialize(out);
}

Result<AgentJob> read_agent_job(std::string_view text) {
  boost::system::error_code failed;
  const json::value body = json::parse(text, failed);
  const json::object* const members = failed ? nullptr : body.if_object();
  const json::value* const definition = members == nullptr ? nullptr : members->if_contains("agent");
  if (definition == nullptr) return Error{Errc::invalid_value, "the job has no agent", std::nullopt, {}};
  auto agent = loop::read_agent(*definition);
  if (!agent) return agent.error();
  AgentJob job{*std::move(agent), text_of(*members, "data"), {}};
  const json::value* const idle = members->if_contains("idle_ms");
  if (idle != nullptr && idle->is_int64()) job.idle_ms = idle->get_int64();
  return job;
}

}  // namespace ptcvm::cli
