// ptcvm run and ptcvm eval: one turn of one session. The value alone goes to standard output.
#include <iostream>

#include "tools/ptcvm/calls/command_calls.h"
#include "tools/ptcvm/calls/run_options.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/interrupt.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/program/durable_command.h"
#include "tools/ptcvm/program/journal_file.h"
#include "tools/ptcvm/program/report.h"
#include "tools/ptcvm/program/suspension.h"
#include "tools/ptcvm/source/missing_data.h"
#include "tools/ptcvm/text/loading.h"
#include "tools/ptcvm/trace/trace.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kRunExamples = R"(Examples:
  ptcvm run report.ptc --data orders.json
  ptcvm run report.ptc --data orders=orders.json --data rates=rates.edn --output pretty
  echo '(+ 1 2)' | ptcvm run -
  ptcvm run agent.ptc --tool search='python3 search.py' --tool-shell now='date +%s' --timeout-ms 5000
  ptcvm run report.ptcp --fuel 1000000 --trace events.jsonl --stats
  ptcvm run approval.ptc --async-tool ask_manager --async-tool call='python3 call.py'
  ptcvm run payments.ptc may --store runs.db --tool pay='python3 pay.py' --tool-effect pay=keyed

The value goes to standard output, prints and errors go to standard error. A program that waits for operations ends
with status 75; its last line on standard output then lists them:
{"status":"suspended","pending":[{"op","tool","args","since","deadline"}, …]}

A tool finds the key of its call in PTCVM_IDEMPOTENCY_KEY: the same when the call is made again for the same intent.
Give the run an --id of its own, so that its keys differ from those of other runs. Without --store, the key
of a call in a task names the task and no run.

With --store every task, call and answer is in the store before the program goes on. The same command again goes on with
the run of that id, or finishes it, whatever became of the last process; a run that has ended well gives its value. When
nobody knows whether a call happened, and its effect class does not say that it may be made again, the run waits for the
word of a person (ptcvm doubt) with status 75 and the line {"status":"in_doubt","doubts":[…]}.)";

constexpr const char* kEvalExamples = R"(Examples:
  ptcvm eval '(map inc [1 2 3])'
  ptcvm eval '(count data/rows)' --data rows.json --output json)";

struct RunRequest {
  std::string file, expression;
  RunArguments options;
  ParkOptions park;
  DurableRequest durable;
};

// The options of runs that a store keeps. What the store keeps itself is not taken from files.
void declare_store_options(CLI::App& command, const std::shared_ptr<RunRequest>& request) {
  declare_durable_options(command, request->durable);
  // The parser reads variables for every command, also for this one when another one is given: apply_default_store()
  // gives the variable to a run that has a name.
  CLI::Option& store = *command.get_option("--store");
  store.envname("");
  store.description(store.get_description() + "; with --id also from PTCVM_STORE");
  command.add_option("--plan", request->durable.plan, "With --store: the plan, an EDN vector of texts or [id text]")
      ->type_name("FILE");
  command.add_flag("--again", request->durable.again, "With --store: a new turn, also when the run has ended well");
}

// Takes the turn of the session to its end or its next suspension.
TurnEnd turn(Session& session, const LoadedProgram& loaded, OutputForm form, CommandCalls& commands,
             const InterruptFlag& interrupted) {
  const auto begun = loaded.program ? session.begin(*loaded.program) : session.begin(loaded.source);
  if (!begun) return {outcome_of(begun.error()), {}};
  interrupted.cancels(session.run());
  run_with_commands(session.run(), commands);
  return end_of_turn(session.run(), form);
}

int refuse(const std::string& message) {
  complain(message);
  return kBadInput;
}

// Looks at the names of a stored run, whose session is made in another place. What else is wrong is said there.
bool data_fits(const Engine& engine, const LoadedProgram& loaded, const std::string& name, const RunRequest& request) {
  if (loaded.source.find("data/") == std::string::npos) return true;
  RunArguments options;
  options.data = request.options.data;
  options.limits = request.options.limits;
  std::string message;
  const Tools none;
  const MadeSession made = make_session(engine, options, {none}, name, message);
  return !made.session || tell_of_missing_data(*made.session, loaded.source, request.options.strict_data);
}

int run_program(const Engine& engine, const LoadedProgram& loaded, const std::string& name, RunRequest& request) {
  const RunArguments& options = request.options;
  if (!request.durable.store.path.empty()) {
    if (!data_fits(engine, loaded, name, request)) return kProgramFailed;
    request.durable.store.id = options.run_id;
    request.durable.take_seal(request.park.seal);
    return run_in_store(engine, loaded, name, options, request.durable);
  }
  std::string message;
  if (!request.park.snapshot.empty() && !can_seal(request.park.seal, message)) return refuse(message);
  std::unique_ptr<TraceFile> trace;
  if (!options.trace.empty() &&
      !(trace = TraceFile::open(options.trace, TraceFile::Mode::Anew, options.run_id, message))) {
    return refuse(message);
  }
  const auto tools = command_tools(options, message);
  if (!tools) return refuse(message);
  RunReporter reporter(stderr);
  reporter.set_trace(trace.get());
  MadeSession made = make_session(engine, options, {tools->tools, &reporter}, name, message);
  if (!made.session && !made.refusal) return refuse(message);
  const InterruptFlag interrupted;
  CommandCalls commands(*tools, options.parallel_tools, interrupted.flag());
  if (made.session && !tell_of_missing_data(*made.session, loaded.source, options.strict_data)) return kProgramFailed;
  if (trace != nullptr) trace->start(name);
  TurnEnd end;
  end.outcome.diagnostic = made.refusal;
  if (made.session) end = turn(*made.session, loaded, options.output, commands, interrupted);
  const Outcome& outcome = end.outcome;
  if (trace != nullptr && outcome.state != RunState::Suspended) {
    trace->end(outcome, made.session ? made.session->run().result() : ValueView());
  }
  if (!made.session) return report_text(outcome, {}, options.output, options.stats);
  Run& run = made.session->run();
  if (trace != nullptr && outcome.state == RunState::Suspended) {
    trace->suspend(outcome, waiting_ids(operations_of(run.pending())));
  }
  if (!keep_journal(run, options.journal, message)) {
    complain(message);
    (void)report(run, end, options, request.park);
    return kStoreFailed;
  }
  return report(run, end, options, request.park);
}

int run_file(RunRequest& request) {
  std::string message;
  const Engine engine;
  const auto loaded = load_program(engine, request.file, message);
  if (!loaded) return refuse(message);
  return run_program(engine, *loaded, request.file == "-" ? "<stdin>" : request.file, request);
}

}  // namespace

void add_run_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("run", "Run a program: source text or a compiled file");
  auto request = std::make_shared<RunRequest>();
  command->add_option("FILE", request->file, "The program; - is standard input")->required();
  declare_run_argument(*command, request->options);
  declare_run_options(*command, request->options);
  declare_park_options(*command, request->park);
  declare_store_options(*command, request);
  command->footer(kRunExamples);
  command->callback([request, &status] { status = run_file(*request); });
}

void add_eval_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("eval", "Run a program given on the command line");
  auto request = std::make_shared<RunRequest>();
  command->add_option("EXPR", request->expression, "The program text")->required();
  declare_run_argument(*command, request->options);
  declare_run_options(*command, request->options);
  declare_park_options(*command, request->park);
  declare_store_options(*command, request);
  command->footer(kEvalExamples);
  command->callback([request, &status] {
    status = run_program(Engine(), {request->expression, std::nullopt}, "<eval>", *request);
  });
}

}  // namespace ptcvm::cli
