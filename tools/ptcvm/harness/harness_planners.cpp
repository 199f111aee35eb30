#include "tools/ptcvm/harness/harness_planners.h"

#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <iostream>
#include <set>
#include <sstream>
#include <vector>

#include "agents/harness/conversation/settled_doubts.h"
#include "agents/harness/planners/program_planner.h"
#include "agents/harness/planners/scenario_planner.h"
#include "agents/harness/planners/simple_planners.h"
#include "agents/harness/setup/planner_seed.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/json.hpp"
#include "tools/ptcvm/agent/agent_cost.h"
#include "tools/ptcvm/agent/agent_models.h"
#include "tools/ptcvm/calls/program_tools.h"
#include "tools/ptcvm/harness/harness_agent.h"
#include "tools/ptcvm/harness/harness_model.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/text/json_problem.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {

namespace json = boost::json;

namespace {

// One line of a file of replies: the reply to each question that has all of the texts.
struct RecordedReply {
  std::vector<std::string> when;
  std::string reply;
};

std::optional<RecordedReply> read_reply(const std::string& line) {
  boost::system::error_code error;
  const json::value value = json::parse(line, error);
  const json::object* const object = error ? nullptr : value.if_object();
  const json::value* const when = object == nullptr ? nullptr : object->if_contains("when");
  const json::value* const reply = object == nullptr ? nullptr : object->if_contains("reply");
  const bool has_both = when != nullptr && when->is_array() && reply != nullptr;
  if (!has_both || object->size() != 2 || !doubled_member(line).empty()) return std::nullopt;
  RecordedReply recorded;
  for (const json::value& text : when->get_array()) {
    if (!text.is_string()) return std::nullopt;
    recorded.when.emplace_back(text.get_string());
  }
  recorded.reply = reply->is_string() ? std::string(reply->get_string()) : json::serialize(*reply);
  return recorded;
}

// A model whose replies are in a file. The first line that fits answers, in whatever process the question is asked.
// Without a file there is no model.
std::optional<harness::AskModel> recorded_model(const std::string& path, std::string& message) {
  if (path.empty()) return harness::AskModel();
  std::vector<RecordedReply> replies;
  const auto content = read_file(path, message);
  if (!content) return std::nullopt;
  std::istringstream lines(*content);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    auto reply = read_reply(line);
    if (!reply) {
      const std::string problem = json_line_problem(line);
      message = path + ":" + std::to_string(number) + ": " +
                (problem.empty()
                     ? R"(a line must be {"when": [text, …], "reply": value}, with each member once and no other one)"
                     : "no JSON: " + problem);
      return std::nullopt;
    }
    replies.push_back(*std::move(reply));
  }
  return [replies](const harness::ModelQuestion& question) -> Result<std::string> {
    for (const RecordedReply& recorded : replies) {
      const bool fits = std::all_of(recorded.when.begin(), recorded.when.end(), [&](const std::string& text) {
        return question.prompt.find(text) != std::string::npos;
      });
      if (fits) return recorded.reply;
    }
    return Error{Errc::not_available, "--replies has no reply to this question", std::nullopt, {}};
  };
}

// Returns the tools of a program that plans. Another planner has none, or has them in its own file.
std::optional<Tools> planner_tools(const HarnessArguments& arguments, std::string& message) {
  static const std::atomic<bool> cancelled{false};
  const auto declared = declared_tools(arguments.tools, message);
  if (!declared) return std::nullopt;
  if (declared->empty()) return Tools();
  if (harness::is_planner(arguments.planner) || is_agent_planner(arguments.planner)) {
    message = "--tools, --tool: only a program takes tools here, and " + arguments.planner + " is none";
    return std::nullopt;
  }
  return program_tools(*declared, cancelled, message);
}

// Returns what is wrong with the file of --config, or "".
std::string wrong_file(const HarnessArguments& arguments, const json::object& config) {
  if (harness::is_planner(arguments.planner)) return harness::wrong_config(arguments.planner, config);
  return "only " + std::string(harness::kDrafterPlanner) + ", " + std::string(harness::kScenarioPlanner) + " and " +
         std::string(harness::kDemoPlanner) + " have a configuration, and " + arguments.planner + " is none of them";
}

}  // namespace

std::string missing_model(const PlannerParts& parts) {
  const bool asks = parts.planner == harness::kDrafterPlanner || parts.planner == harness::kScenarioPlanner;
  const bool is_missing = (asks && !parts.ask) || (is_agent_planner(parts.planner) && parts.model.empty());
  if (!is_missing) return {};
  return "--planner " + parts.planner + " needs a --model" + (asks ? ", or --replies FILE" : "");
}

std::optional<PlannerParts> planner_parts(const HarnessArguments& arguments, std::string& message) {
  PlannerParts parts;
  parts.planner = arguments.planner;
  if (!arguments.config.empty()) {
    auto read = json_file(arguments.config, message);
    if (!read) return std::nullopt;
    parts.config = *std::move(read);
    if (const std::string wrong = wrong_file(arguments, parts.config); !wrong.empty()) {
      message = arguments.config + ": " + wrong;
      return std::nullopt;
    }
  }
  if (!arguments.scenario.empty()) {
    auto scenario = json_file(arguments.scenario, message);
    if (!scenario) return std::nullopt;
    parts.config["resolvedScenario"] = *std::move(scenario);
  }
  auto tools = planner_tools(arguments, message);
  if (!tools) return std::nullopt;
  parts.tools = *std::move(tools);
  parts.model = arguments.model;
  if (!arguments.prices.empty()) {
    auto prices = prices_of_file(arguments.prices, message);
    if (!prices) return std::nullopt;
    parts.prices = *std::move(prices);
  }
  const bool asks_itself = is_agent_planner(parts.planner);   // an agent opens the model that it speaks to
  auto ask = arguments.model.empty() || asks_itself ? recorded_model(arguments.replies, message)
                                                    : ask_model(arguments.model, message);
  if (!ask) return std::nullopt;
  parts.ask = *std::move(ask);
  return parts;
}

std::unique_ptr<harness::Planner> make_planner(const PlannerParts& parts, const Store& store,
                                               harness::Conversation& conversation, std::string& message) {
  if (message = missing_model(parts); !message.empty()) return nullptr;
  if (parts.planner == harness::kDemoPlanner) return std::make_unique<harness::DemoPlanner>(parts.config);
  const auto pause = [](std::int64_t) {};
  if (parts.planner == harness::kDrafterPlanner) {
    return std::make_unique<harness::DrafterPlanner>(parts.config, parts.ask, pause);
  }
  if (parts.planner == harness::kScenarioPlanner) {
    auto made = harness::ScenarioPlanner::make(parts.config, parts.ask, pause);
    if (made) return std::make_unique<harness::ScenarioPlanner>(*std::move(made));
    message = made.error().message;
    return nullptr;
  }
  if (is_agent_planner(parts.planner)) {
    auto definition = planner_agent(parts.planner, message);
    if (!definition) return nullptr;
    auto model = open_model(parts.model, false, {}, message);
    if (!model) return nullptr;
    return agent_planner({*std::move(definition), *std::move(model), parts.prices}, store, conversation.log().id(),
                         nullptr, message);
  }
  auto source = read_file(parts.planner, message);
  if (!source) return nullptr;
  harness::FactProgramOptions options;
  options.id = harness::planner_run(conversation.log().id());
  options.source = *std::move(source);
  options.tools = parts.tools;
  options.on_call_outside = [told = std::set<std::string>()](const std::string& tool) mutable {
    if (!told.insert(tool).second) return;
    std::cerr << "warning: the planner called " << tool << " outside of a task: each pass calls it again; "
              << "(task \"ID\" (tool/" << tool << " …)) calls it once\n";
  };
  return std::make_unique<harness::ProgramPlanner>(
      harness::FactProgram(Engine(), store, conversation, std::move(options)), now_millis);
}

}  // namespace ptcvm::cli
