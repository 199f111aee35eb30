#include "tools/ptcvm/agent/agent_arguments.h"

#include <algorithm>
#include <utility>

#include "agents/loop/agent_sequence.h"
#include "tools/ptcvm/calls/external_tool.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/text/json_problem.h"

namespace ptcvm::cli {

void declare_agent_file(CLI::App& command, AgentArguments& arguments) {
  command.add_option("FILE", arguments.file, "The agent, a file of JSON; - is standard input")->required();
  command.add_option("--data", arguments.data, "What the agent works on, a file with an object of JSON")
      ->type_name("FILE");
}

void declare_agent_sequence(CLI::App& command, AgentArguments& arguments) {
  command.add_option("--then", arguments.then, "An agent that goes on with what the one before returned; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_option("--planner", arguments.planner,
                     "An agent that works on the same data; what it returns is the plan")
      ->type_name("FILE");
}

CLI::Option* declare_agent_model(CLI::App& command, AgentArguments& arguments) {
  CLI::Option* const model = command.add_option(
      "--model", arguments.model,
      "scripted:FILE, replay:FILE, program:FILE, mailbox:DIR, or chat:NAME, responses:NAME, messages:NAME with "
      "@URL for a server of your own");
  command.add_option("--child-model", arguments.child_models,
                     "Another model for a child and what is below it, by its path: broker/desk=chat:NAME; repeatable")
      ->type_name("PATH=MODEL")
      ->allow_extra_args(false);
  command.add_option("--record", arguments.record, "Adds requests and replies to a file that replay:FILE reads")
      ->type_name("FILE");
  command.add_flag("--stream", arguments.stream, "Asks for streams, and writes the text of replies as it comes");
  return model;
}

void declare_agent_snapshot(CLI::App& command, std::string& file) {
  command.add_option("--snapshot", file, "The file that keeps the run, without a store; JSON when it ends with .json")
      ->type_name("FILE");
}

void declare_agent_tools(CLI::App& command, AgentArguments& arguments) {
  command
      .add_option("--tools", arguments.tools_files,
                  "A file of tools, JSON or EDN: names, signatures, commands, effects and more; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void declare_agent_run(CLI::App& command, AgentArguments& arguments) {
  declare_agent_tools(command, arguments);
  command.add_option("--tool", arguments.tools, "A command for a tool of the agent; repeatable")
      ->type_name("NAME=COMMAND")
      ->allow_extra_args(false);
  command.add_option("--tool-shell", arguments.shell_tools, "As --tool, but the command is given to sh -c")
      ->type_name("NAME=COMMAND")
      ->allow_extra_args(false);
  command.add_option("--rate", arguments.rate,
                     "At most so many requests a minute to each server, of all runs in the store together");
  command.add_option("--trace", arguments.trace, "Writes requests, calls and answers as lines of JSON")
      ->type_name("FILE");
  command.add_option("--output", arguments.output, "json, or text: the result also in lines of its own")
      ->check(CLI::IsMember({"json", "text"}));
  command.add_flag("--progress", arguments.progress,
                   "Says on standard error what the run does; a terminal is told without it");
  command.add_option("--prices", arguments.prices, "Prices of models for a million tokens, a file of JSON")
      ->type_name("FILE");
  command
      .add_option("--limit", arguments.limits, "The run may use at most so much: money, tokens, turns, …; repeatable")
      ->type_name("LIMIT=NUMBER")
      ->allow_extra_args(false);
}

std::optional<ToolCommands> tool_commands(const AgentArguments& arguments, std::string& message) {
  ToolCommands commands;
  const auto add = [&](const std::vector<std::string>& texts, bool with_shell) {
    for (const std::string& text : texts) {
      auto tool = parse_external_tool(text, with_shell, message);
      if (!tool) return false;
      commands.insert_or_assign(tool->name, std::move(*tool));
    }
    return true;
  };
  if (!add(arguments.tools, false) || !add(arguments.shell_tools, true)) return std::nullopt;
  return commands;
}

std::optional<std::string> agent_data(const AgentArguments& arguments, std::string& message) {
  if (arguments.data.empty()) return std::string("{}");
  auto text = read_file(arguments.data, message);
  const std::string problem = text ? json_problem(*text) : "";
  if (problem.empty()) return text;
  message = arguments.data + " is no JSON: " + problem;
  return std::nullopt;
}

namespace {

std::optional<loop::AgentDefinition> definition_in(const std::string& file, std::string& message) {
  const auto text = read_file(file, message);
  if (!text) return std::nullopt;
  auto definition = loop::read_agent_text(*text);
  if (definition) return *std::move(definition);
  const std::string problem = json_problem(*text);
  message = file + (problem.empty() ? ": " + definition.error().message : " is no JSON: " + problem);
  return std::nullopt;
}

}  // namespace

const std::vector<DeclaredTool>* AgentArguments::declared_tools(std::string& message) const {
  if (!declared_) declared_ = read_agent_tools(tools_files, message);
  return declared_ ? &*declared_ : nullptr;
}

std::optional<loop::AgentDefinition> agent_definition(const AgentArguments& arguments, std::string& message) {
  std::vector<std::string> files{arguments.file};
  files.insert(files.end(), arguments.then.begin(), arguments.then.end());
  std::vector<loop::AgentDefinition> steps;
  for (const std::string& file : files) {
    auto definition = definition_in(file, message);
    if (!definition) return std::nullopt;
    steps.push_back(*std::move(definition));
  }
  const auto* const tools = arguments.declared_tools(message);
  if (tools == nullptr) return std::nullopt;
  give_tools(steps, *tools);
  if (!arguments.planner.empty()) {
    auto planner = definition_in(arguments.planner, message);
    if (!planner) return std::nullopt;
    auto planned = loop::planned_agent(*std::move(planner), std::move(steps.front()));
    if (!planned) message = planned.error().message;
    if (!planned) return std::nullopt;
    steps.front() = *std::move(planned);
  }
  auto sequence = loop::agent_sequence(std::move(steps));
  if (sequence) return std::move(*sequence);
  message = sequence.error().message;
  return std::nullopt;
}

namespace {

bool asks_model(const loop::AgentDefinition& agent) { return agent.program.empty(); }

}  // namespace

void require_agent_model(const AgentArguments& arguments, const loop::AgentDefinition& definition) {
  if (!arguments.model.empty()) return;
  // The program of a sequence calls its steps, one after the other.
  const bool is_sequence = !arguments.then.empty() || !arguments.planner.empty();
  const bool has_asking_step = std::ranges::any_of(definition.children, [](const auto& child) {
    return child.second != nullptr && asks_model(*child.second);
  });
  if (asks_model(definition) || (is_sequence && has_asking_step)) throw CLI::RequiredError("--model");
}

}  // namespace ptcvm::cli
