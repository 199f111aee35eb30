#include "tools/ptcvm/harness/conversation_job.h"

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "agents/harness/planners/fact_program.h"
#include "agents/harness/setup/planner_seed.h"
#include "ptcvm/engine.hpp"
#include "tools/ptcvm/agent/agent_job.h"
#include "tools/ptcvm/harness/harness_agent.h"
#include "tools/ptcvm/harness/harness_planners.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/text/json_members.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view kWords = "facts_";   // tools of the harness begin with it

// Looks whether a worker will be able to make the planner.
bool can_be_made(const ConversationJob& job, std::string& message) {
  const Store store = Store::in_memory();
  auto tried = harness::Conversation::open(HostLog::of(store, "tried"));
  if (!tried) return message = tried.error().message, false;
  const auto no_model = [](const harness::ModelQuestion&) { return Result<std::string>(std::string()); };
  return make_planner({job.planner, job.config, no_model}, store, *tried, message) != nullptr;
}

std::optional<std::vector<std::string>> tools_of_program(const std::string& source, std::string& message) {
  CompileOptions wanted;
  wanted.check_tools = false;
  const Engine engine;
  const harness::ProgramText text(source);
  const auto program = engine.compile(text.compiled(), wanted);
  if (!program) {
    const Error error = program.error();
    message = error.diagnostic ? text.in_source(engine, *error.diagnostic).text : error.message;
    return std::nullopt;
  }
  std::vector<std::string> names = program->tool_names();
  std::erase_if(names, [](const std::string& name) { return name.starts_with(kWords); });
  std::ranges::sort(names);
  return names;
}

}  // namespace

bool ConversationJob::asks_model() const {
  return agent || planner == harness::kDrafterPlanner || planner == harness::kScenarioPlanner;
}

std::optional<ConversationJob> conversation_job(const HarnessArguments& arguments, std::string& message) {
  auto parts = planner_parts(arguments, message);
  if (!parts) return std::nullopt;
  ConversationJob job;
  job.config = std::move(parts->config);
  job.peer = arguments.peer;
  job.mode = *harness::find_send_mode(arguments.mode);
  job.begins = arguments.begins;
  if (is_agent_planner(parts->planner)) {
    job.agent = planner_agent(parts->planner, message);
    return job.agent ? std::optional(std::move(job)) : std::nullopt;
  }
  if (harness::is_planner(parts->planner)) {
    job.planner = std::move(parts->planner);
    return can_be_made(job, message) ? std::optional(std::move(job)) : std::nullopt;
  }
  auto source = read_file(parts->planner, message);
  if (!source) return std::nullopt;
  job.program = *std::move(source);
  return job;
}

std::optional<std::vector<std::string>> take_commands(ConversationJob& job, std::string& message) {
  if (job.agent) return take_commands(*job.agent);
  if (!job.planner.empty()) return std::vector<std::string>();
  return tools_of_program(job.program, message);
}

std::string write_conversation_job(const ConversationJob& job) {
  json::object out{{"mode", harness::send_mode_name(job.mode)}, {"config", job.config}};
  if (!job.planner.empty()) out["planner"] = job.planner;
  if (!job.program.empty()) out["program"] = job.program;
  if (job.agent) out["agent"] = loop::agent_json(*job.agent);
  if (!job.peer.empty()) out["peer"] = job.peer;
  if (job.begins) out["begins"] = true;
  if (job.idle_ms) out["idle_ms"] = *job.idle_ms;
  return json::serialize(out);
}

Result<ConversationJob> read_conversation_job(std::string_view text) {
  const auto wrong = [](std::string why) { return Error{Errc::invalid_value, std::move(why), std::nullopt, {}}; };
  boost::system::error_code failed;
  const json::value body = json::parse(text, failed);
  const json::object* const members = failed ? nullptr : body.if_object();
  if (members == nullptr) return wrong("the job has no conversation");
  ConversationJob job;
  job.planner = text_of(*members, "planner");
  job.program = text_of(*members, "program");
  job.peer = text_of(*members, "peer");
  const auto mode = harness::find_send_mode(text_of(*members, "mode"));
  if (!mode) return wrong("the job has no mode that this version knows");
  job.mode = *mode;
  if (const json::value* const config = members->if_contains("config"); config != nullptr && config->is_object()) {
    job.config = config->get_object();
  }
  if (const json::value* const definition = members->if_contains("agent")) {
    auto agent = loop::read_agent(*definition);
    if (!agent) return agent.error();
    job.agent = *std::move(agent);
  }
  job.begins = members->contains("begins");
  const json::value* const idle = members->if_contains("idle_ms");
  if (idle != nullptr && idle->is_int64()) job.idle_ms = idle->get_int64();
  if (job.planner.empty() && job.program.empty() && !job.agent) return wrong("the job has no planner");
  return job;
}

}  // namespace ptcvm::cli
