// ptcvm agent: agents on the command line, one function for each subcommand.
#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <memory>

#include "agents/loop/document_text.h"
#include "agents/replay/request_text.h"
#include "tools/ptcvm/agent/agent_session.h"
#include "tools/ptcvm/agent/agent_snapshot.h"
#include "tools/ptcvm/agent/agent_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kAgentExamples = R"(Examples:
  ptcvm agent run orders.json --data orders-data.json --model scripted:replies.jsonl
  ptcvm agent resume --store runs.db --id may --resolve approve:pay=true
  ptcvm agent show --store runs.db --id may
  ptcvm agent cost --store runs.db --id may --prices prices.json
  ptcvm agent fork --store runs.db --id may --turns 2 --as may-again

The last line of standard output is {"status": "ok"|"error"|"suspended", "return", "fail", "pending", "turns",
"usage"}. Exit status: 0 returned, 1 failed, 75 suspended. docs/agents.md explains agents.)";

constexpr const char* kAgentRunExamples = R"(Examples:
  ptcvm agent run orders.json --data orders-data.json --model scripted:replies.jsonl
  ptcvm agent run orders.json --data orders-data.json --model chat:gpt-4.1 --record orders.jsonl
  ptcvm agent run orders.json --data orders-data.json --model replay:orders.jsonl
  ptcvm agent run orders.json --data orders-data.json --model messages:claude-sonnet-4-5 --stream
  ptcvm agent run orders.json --data orders-data.json --model chat:llama3@http://localhost:11434/v1
  ptcvm agent run orders.json --data orders-data.json --model program:orders.ptc
  ptcvm agent run orders.json --data orders-data.json --model chat:gpt-4.1 --tools tools.json
  ptcvm agent run pay.json --model chat:gpt-4.1 may --store runs.db --progress --prices prices.json

Keys come from OPENAI_API_KEY, ANTHROPIC_API_KEY or PTCVM_MODEL_KEY, and are written nowhere. The last line of standard
output is {"status": "ok"|"error"|"suspended", "return", "fail", "pending", "turns", "usage"}. Exit status: 0 returned,
1 failed, 75 suspended.)";

constexpr const char* kPromptExamples = R"(Examples:
  ptcvm agent prompt orders.json --data orders-data.json
  ptcvm agent prompt orders.json --data orders-data.json --output json | jq .messages)";

constexpr const char* kChatExamples = R"(Examples:
  ptcvm agent chat help.json --model chat:gpt-4.1 --stream
  ptcvm agent chat help.json --model mailbox:letters

The first line of standard input is data/message when the prompt has {{message}}; each further line goes on with the
conversation. The chat ends with the input, and its last line of output is the line of the last run.)";

int run_agent(AgentArguments& arguments) {
  const bool is_file = !arguments.snapshot.empty();   // also where the environment names a store
  if (!is_file && !arguments.store.path.empty()) return run_agent_in_store(arguments);
  std::string message;
  if (is_file && !can_write_agent_snapshot(arguments.store, message)) return refuse_input(message);
  auto definition = agent_definition(arguments, message);
  const auto data = definition ? agent_data(arguments, message) : std::nullopt;
  if (!data) return refuse_input(message);
  require_agent_model(arguments, *definition);
  AgentSession session(arguments);
  if (!session.open(*std::move(definition)) || !session.start(*data)) return refuse_input(session.message());
  const AgentDriver::End end = session.drive();
  const bool waits = end.kind == AgentDriver::End::Kind::Suspended || end.kind == AgentDriver::End::Kind::Interrupted;
  if (waits && !is_file) {
    complain("the run waits and is not kept; run it with --store and --id, or --snapshot, to go on later");
  }
  return session.report(end);
}

// Shows the first request, without calling anybody.
int show_prompt(const AgentArguments& arguments) {
  std::string message;
  auto definition = agent_definition(arguments, message);
  const auto data = definition ? agent_data(arguments, message) : std::nullopt;
  if (!data) return refuse_input(message);
  const Engine engine;
  const auto agent = loop::Agent::make(engine, *std::move(definition));
  if (!agent) return refuse_input(arguments.file + ": " + agent.error().message);
  loop::AgentStart start;
  start.data_json = *data;
  auto run = loop::AgentRun::start(*agent, start);
  if (!run) return refuse_input(run.error().message);
  run->step();
  const std::vector<loop::Operation> operations = run->operations();
  const auto is_request = [](const auto& operation) { return operation.kind == loop::OperationKind::Model; };
  if (std::ranges::none_of(operations, is_request)) {
    return refuse_input(arguments.file + " has a program of its own, which asks no model here: there is no request");
  }
  for (const loop::Operation& operation : operations) {
    if (!is_request(operation)) continue;
    const auto text = replay::RequestText::read(operation.model.protocol, operation.body);
    if (arguments.output == "json" || !text) {
      std::cout << operation.body << '\n';
    } else {
      std::cout << "--- static\n" << text->static_text() << "--- newest\n" << text->newest();
    }
  }
  return kSuccess;
}

// Adds the first message of a chat to the data; data that is no object is refused when the run starts.
void add_message(std::string& data, const std::string& message) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(data, error);
  if (error || !value.is_object()) return;
  value.get_object()["message"] = message;
  data = boost::json::serialize(value);
}

void write_answer(const loop::AgentRun& run) {
  const loop::AgentOutcome outcome = run.outcome();
  if (!outcome.is_ok) {
    std::cout << outcome.reason << ": " << outcome.message << '\n';
    return;
  }
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(outcome.result_json, error);
  std::cout << (!error && value.is_string() ? std::string(value.get_string()) : outcome.result_json) << std::endl;
}

int chat(const AgentArguments& arguments) {
  std::string message;
  auto definition = agent_definition(arguments, message);
  auto data = definition ? agent_data(arguments, message) : std::nullopt;
  if (!data) return refuse_input(message);
  require_agent_model(arguments, *definition);
  const std::string prompt = definition->prompt;
  AgentSession session(arguments);
  if (!session.open(*std::move(definition))) return refuse_input(session.message());
  std::string line;
  if (prompt.find("{{message}}") != std::string::npos) {
    if (!std::getline(std::cin, line)) return refuse_input("a chat needs a line of standard input to begin with");
    loop::mend_text(line);
    add_message(*data, line);
  }
  if (!session.start(*data)) return refuse_input(session.message());
  AgentDriver::End end = session.drive();
  while (end.kind == AgentDriver::End::Kind::Ended) {
    write_answer(session.handle().run());
    if (!std::getline(std::cin, line)) break;
    loop::mend_text(line);   // what is no UTF-8 is said as the replacement character
    if (const auto said = session.handle().input(line); !said) return refuse_input(said.error().message);
    end = session.drive();
  }
  return session.report(end);
}

}  // namespace

void add_agent_command(CLI::App& app, int& status) {
  auto* const agent = app.add_subcommand("agent", "Agents: a model writes programs, turn by turn");
  agent->require_subcommand(1);
  agent->footer(kAgentExamples);
  const auto add = [&](const char* name, const char* what) {
    auto* const command = agent->add_subcommand(name, what);
    auto arguments = std::make_shared<AgentArguments>();
    declare_agent_file(*command, *arguments);
    declare_agent_sequence(*command, *arguments);
    return std::pair(command, arguments);
  };
  const auto [run, run_arguments] = add("run", "Run an agent until it returns, fails or waits");
  declare_agent_model(*run, *run_arguments);
  declare_agent_run(*run, *run_arguments);
  declare_sealed_store(*run, run_arguments->store);
  declare_new_run_id(*run, run_arguments->store);
  declare_agent_snapshot(*run, run_arguments->snapshot);
  add_agent_resume(*agent, status);
  add_agent_show(*agent, status);
  add_agent_fork(*agent, status);
  add_agent_cost(*agent, status);
  add_agent_replay(*agent, status);
  add_agent_compile(*agent, status);
  run->footer(kAgentRunExamples);
  run->callback([arguments = run_arguments, &status] { status = run_agent(*arguments); });

  const auto [prompt, prompt_arguments] = add("prompt", "Show the first request, and ask nobody");
  prompt_arguments->output = "text";
  declare_agent_tools(*prompt, *prompt_arguments);
  prompt->add_option("--output", prompt_arguments->output, "text, or json: the body of the request")
      ->check(CLI::IsMember({"json", "text"}));
  prompt->footer(kPromptExamples);
  prompt->callback([arguments = prompt_arguments, &status] { status = show_prompt(*arguments); });

  const auto [talk, chat_arguments] = add("chat", "Say each line of standard input to an agent");
  declare_agent_model(*talk, *chat_arguments);
  declare_agent_run(*talk, *chat_arguments);
  talk->footer(kChatExamples);
  talk->callback([arguments = chat_arguments, &status] { status = chat(*arguments); });
}

}  // namespace ptcvm::cli
