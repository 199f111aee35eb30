#include "tools/ptcvm/runs/chain_rows.h"

#include <array>
#include <set>
#include <string_view>

#include "agents/chain/run/question_log.h"
#include "tools/ptcvm/chain/chain_agent_doubts.h"
#include "tools/ptcvm/chain/chain_job.h"
#include "tools/ptcvm/store/step_agent_run.h"

namespace ptcvm::cli {
namespace {

constexpr std::array<std::string_view, 5> kParts{"/setup", "/driver", "/steps", "/feedback", "/replans"};
constexpr std::string_view kAgents = "/agents/";

}  // namespace

void ChainRows::take_all(std::span<const StoredRunInfo> logs) {
  std::set<std::string_view> ids;
  for (const StoredRunInfo& log : logs) ids.insert(log.id);
  for (const StoredRunInfo& log : logs) {
    if (!ids.contains(log.id + "/setup")) known_[log.id] = false;
  }
}

bool ChainRows::is_task(const std::string& log) {
  const auto known = known_.find(log);
  if (known != known_.end()) return known->second;
  const auto setup = known_setup(store_, log);
  return known_[log] = setup && *setup;
}

bool ChainRows::is_part(const std::string& log) {
  for (const std::string_view part : kParts) {
    if (log.ends_with(part) && is_task(log.substr(0, log.size() - part.size()))) return true;
  }
  if (const auto task = task_of_step_agent(log); task && is_task(*task)) return true;
  const std::size_t agents = log.find(kAgents);
  return agents != std::string::npos && is_task(log.substr(0, agents));
}

std::optional<ChainWait> ChainRows::wait_of(const std::string& log) {
  if (!is_task(log)) return std::nullopt;
  const auto questions = task_questions(store_, log, AgentQuestions::Open);
  if (!questions) return std::nullopt;
  ChainWait out;
  for (const chain::LoggedQuestion& question : *questions) {
    if (question.is_answered) continue;
    out.is_in_doubt = out.is_in_doubt || question.kind == chain::LoggedQuestion::Kind::Doubt;
    out.names.append(out.names.empty() ? "" : " ").append(question.name);
  }
  return out.names.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace ptcvm::cli
