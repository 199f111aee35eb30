// ptcvm work: goes on with every run of a store that can go on.
#include <csignal>
#include <iostream>

#include "runtime/text/json_text.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/program/durable_command.h"
#include "tools/ptcvm/worker/worker.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kWorkExamples = R"(Examples:
  ptcvm work --store runs.db --tools tools.json
  ptcvm work --store runs.db --tools tools.json --once
  ptcvm work --store runs.db --tools tools.json --jobs 4 --json

Goes on with the runs whose time has come (a sleep, a deadline), whose answer has come (woken), and whose process died
(interrupted), as `ptcvm resume --store` does it: the log has program, data and limits, and the tools are given here. A
line on standard output says what became of each run. Without --once the command waits for the next run. SIGINT or
SIGTERM ends it when the runs in its hands have ended or wait; a second signal stops their tools, too. A run that
another process executes is left to that process, a run of a queue to `ptcvm worker`, and logs of agents, chains and
conversations to their commands. For a task of a chain a note on standard error names the command that goes on. A log
that its seal refuses is named, and the exit status is 65 in the end.)";

std::atomic<bool> ending{false}, cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) { (ending.exchange(true) ? cancelled : ending).store(true); }

struct WorkRequest {
  StoreOptions store;
  WorkerSetup setup;
  bool json = false;
};

void write_worked(const WorkedRun& run, bool json) {
  if (!json) {
    std::cout << run.id << "  " << run.state << (run.what.empty() ? "" : "  ") << run.what << std::endl;
    return;
  }
  std::string line = "{";
  ptc::append_json_member(line, "id", run.id);
  ptc::append_json_member(line, "state", run.state);
  ptc::append_json_member(line, "what", run.what);
  std::cout << line << '}' << std::endl;
}

int work(const WorkRequest& request) {
  std::string message;
  auto tools = declared_tools(request.setup.options, message);
  if (!tools) return refuse_input(message);
  Tools tried;
  if (!add_contracts(tried, *tools, message)) return refuse_input(message);
  WorkerSetup setup = request.setup;
  setup.tools = *std::move(tools);
  setup.store_words = store_words(request.store);
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status)) return status;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::atomic<bool> is_refused = false;
  const auto report = [&request, &is_refused](const WorkedRun& run) {
    write_worked(run, request.json);
    if (run.is_refused_by_seal) is_refused = true;
  };
  const auto done = StoreWorker(command.store(), std::move(setup), report, ending, cancelled).work();
  if (!done) return complain_of_store(done.error());
  return is_refused ? kBadInput : kSuccess;
}

}  // namespace

void add_work_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("work", "Go on with every run of a store that can go on");
  auto request = std::make_shared<WorkRequest>();
  declare_sealed_store(*command, request->store);
  declare_durability(*command, request->store);
  declare_tools(*command, request->setup.options);
  request->setup.options.limits.declare(*command);
  command->add_flag("--once", request->setup.once, "End when no run can go on");
  command->add_option("--jobs", request->setup.jobs, "Runs at once")->capture_default_str();
  command->add_flag("--strict-resets", request->setup.strict_resets,
                    "(task-reset id) of a task whose calls had effects needs a reason: (task-reset id \"why\")");
  command->add_flag("--json", request->json, "A line of JSON for each run");
  command->footer(kWorkExamples);
  command->callback([request, &status] { status = work(*request); });
}

}  // namespace ptcvm::cli
