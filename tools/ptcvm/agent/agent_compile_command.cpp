// ptcvm agent compile: runs an agent once and keeps the program that worked, which needs no model afterwards.
#include <boost/json.hpp>
#include <fstream>
#include <iostream>

#include "agents/loop/program_text.h"
#include "tools/ptcvm/agent/agent_record.h"
#include "tools/ptcvm/agent/agent_report.h"
#include "tools/ptcvm/agent/agent_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr const char* kCompileExamples = R"(Examples:
  ptcvm agent compile orders.json --data sample.json --model chat:gpt-4.1 --out orders.ptc
  ptcvm agent run orders.json --data today.json --model program:orders.ptc

The run is made with the data, and its last program is kept when it gives the same result alone; when that program
needs what earlier programs defined, all programs of turns without faults are kept, one after the other. A run that
asks a model while its program runs, for a child or with llm-query, is refused with the reason llm_required; a run
whose programs do not give the result again, with not_compilable.)";

constexpr std::string_view kNotCompilable = "not_compilable";

// A program, or the reason why there is none.
struct Compiled {
  std::string program, reason, message;
};

std::string program_of(const loop::TurnView& turn) { return loop::read_program_text(turn.program).text; }

// Says what could be kept: the last program alone, and with the ones before it that ended without a fault.
std::vector<std::string> candidates(const loop::AgentRun& run) {
  std::string last, all;
  for (const loop::TurnView& turn : run.turns()) {
    if (turn.kind == "value" || turn.kind == "returned") all.append(program_of(turn)).append("\n");
    if (turn.kind == "returned") last = program_of(turn) + "\n";
  }
  if (all == last) return {last};
  return {last, all};
}

Compiled compile(const AgentRecord& record) {
  const std::string wanted = record.run().outcome().result_json;
  bool asks_model = false;
  for (const std::string& program : candidates(record.run())) {
    const auto tried = record.run_with({{1, program}});
    if (!tried) return {{}, std::string(kNotCompilable), tried.error().message};
    const loop::AgentUsage usage = tried->run.usage();
    const loop::AgentOutcome outcome = tried->run.outcome();
    const bool is_alone = usage.turns == 1 && usage.model_calls == 1;
    if (is_alone && outcome.is_ok && outcome.result_json == wanted) return {program, {}, {}};
    asks_model = asks_model || (usage.turns <= 1 && usage.model_calls > 1);
  }
  if (asks_model) return {{}, std::string(kModelRequired), "the program asks a model while it runs"};
  return {{}, std::string(kNotCompilable), "no program of the run gives its result without the other turns"};
}

std::string heading(const std::string& name, const std::string& model, const loop::AgentUsage& usage) {
  return ";; ptcvm agent compile: " + (name.empty() ? "agent" : name) + ", " + model + ", " +
         std::to_string(usage.turns) + " turns, " + std::to_string(usage.input + usage.output) + " tokens\n";
}

// Writes the program and adds it to the line, or puts the reason into the line.
int report(const loop::AgentRun& run, const Compiled& compiled, const std::string& head, const std::string& file) {
  AgentDriver::End end;
  end.kind = AgentDriver::End::Kind::Ended;
  if (!compiled.reason.empty()) end = {AgentDriver::End::Kind::ModelFailed, compiled.reason, compiled.message};
  std::string more;
  if (compiled.reason.empty()) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << head << compiled.program;
    if (!out.flush()) return refuse_input("cannot write " + file);
    more = json::serialize(json::object{{"program", file}});
  } else {
    complain(compiled.reason + ": " + compiled.message);
  }
  std::cout << agent_line(run, end, {.more = more}) << '\n';
  return agent_status(run, end);
}

int compile_agent(AgentArguments& arguments, const std::string& file) {
  std::string message;
  auto definition = agent_definition(arguments, message);
  const auto data = definition ? agent_data(arguments, message) : std::nullopt;
  if (!data) return refuse_input(message);
  if (!definition->program.empty()) {
    return refuse_input(arguments.file + ": the agent has a program, so no model writes one that could be kept; "
                        "compile the agents that it calls");
  }
  const std::string name = definition->name;
  AgentSession session(arguments);
  if (!session.open(*std::move(definition)) || !session.accepts(*data)) return refuse_input(session.message());
  const Store store = Store::in_memory();
  arguments.store.id = "compile";
  const KeptCommand command{arguments.model, arguments.stream, {}, session.choice(), session.child_models(),
                            arguments.rate.value_or(0), loop::default_program_limits(), session.prices()};
  if (auto kept = keep_command(store, arguments.store.id, command, now_millis()); !kept) {
    return refuse_error(kept.error());
  }
  if (auto opened = session.open_stored(store, *data, {}); !opened) return refuse_error(opened.error());
  const AgentDriver::End end = session.drive();
  if (end.kind != AgentDriver::End::Kind::Ended || !session.handle().run().outcome().is_ok) {
    complain("there is no program to keep, because the run did not return");
    return session.report(end);
  }
  const Engine engine;
  const auto record = AgentRecord::read(engine, store, arguments.store.id);
  if (!record) return refuse_error(record.error());
  const std::string head = heading(name, session.choice().name, record->run().usage());
  return report(record->run(), compile(*record), head, file);
}

}  // namespace

void add_agent_compile(CLI::App& agent, int& status) {
  struct Compile {
    AgentArguments arguments;
    std::string file;
  };
  auto* const command = agent.add_subcommand("compile", "Run an agent once and keep the program that worked");
  auto compile = std::make_shared<Compile>();
  declare_agent_file(*command, compile->arguments);
  declare_agent_model(*command, compile->arguments)->required();
  declare_agent_run(*command, compile->arguments);
  command->add_option("--out", compile->file, "Where the program is written")->type_name("FILE")->required();
  command->footer(kCompileExamples);
  command->callback([compile, &status] { status = compile_agent(compile->arguments, compile->file); });
}

}  // namespace ptcvm::cli
