// ptcvm worker: executes runs of queues, until somebody stops it.
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <set>
#include <thread>

#include "tools/ptcvm/agent/agent_job.h"
#include "tools/ptcvm/agent/agent_session.h"
#include "tools/ptcvm/calls/run_options.h"
#include "tools/ptcvm/chain/chain_job.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/harness/conversation_job.h"
#include "tools/ptcvm/process/complaints.h"
#include "tools/ptcvm/process/stop_signals.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/queue/cron_schedule.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/time_spans.h"
#include "tools/ptcvm/worker/worker_agents.h"
#include "tools/ptcvm/worker/worker_chains.h"
#include "tools/ptcvm/worker/worker_conversations.h"
#include "tools/ptcvm/worker/worker_health.h"
#include "tools/ptcvm/worker/worker_log.h"
#include "tools/ptcvm/worker/worker_tools.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kWorkerExamples = R"(Examples:
  ptcvm worker --store runs.db --tools tools.json --until-empty
  ptcvm worker --store postgresql://worker@db/runs --queue orders:8 --queue mail:2 --slots 10 --tools tools.json
  ptcvm worker --store runs.db --tool pay='python3 pay.py' --tool-effect pay=keyed --health 127.0.0.1:9100
  ptcvm worker --store runs.db --tools tools.json --model messages:claude-sonnet-4-5 --rate 50

Claims runs of its queues (ptcvm enqueue) and executes them, any number of workers over one store. A run goes to one
worker. SIGINT or SIGTERM drains: nothing more is claimed, running programs are parked in the middle of an expression,
and another worker goes on there; calls of tools are waited for, up to --drain. A second signal waits for no call.
When a worker dies, the others take its runs when its lease is over. A tool that takes longer than the lease keeps its
run. Each event is one line on standard output. GET /health answers 200 while the worker has its lease, else 503; GET
/metrics has numbers for Prometheus. Tools find a number in PTCVM_FENCING_TOKEN that grows with each claim of a run.)";

constexpr auto kSamplePause = std::chrono::seconds(2);
constexpr auto kShortestTick = std::chrono::milliseconds(100);

struct WorkerRequest {
  StoreOptions store;
  RunArguments options;                        // tools and limits
  std::string prices;                          // the file of --prices
  WorkerOptions worker;
  std::vector<std::string> queues;             // NAME or NAME:N
  std::string health;
  AgentWork agents;                            // without a model the worker executes nothing that asks one
  bool json = false;
};

// Reads NAME, or NAME:N: at most N runs of the queue at once.
std::optional<WorkerQueue> queue_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  WorkerQueue out{text};
  if (colon == std::string::npos) return text.empty() ? std::nullopt : std::optional(out);
  const std::string digits = text.substr(colon + 1);
  const bool is_number = !digits.empty() && digits.size() < 7 &&
                         digits.find_first_not_of("0123456789") == std::string::npos;
  out.name = text.substr(0, colon);
  if (!is_number || out.name.empty()) return std::nullopt;
  out.most = std::stoul(digits);
  return out.most == 0 ? std::nullopt : std::optional(out);
}

std::string queue_problem(const std::string& text) {
  return queue_of(text) ? "" : "must be NAME or NAME:N, with N from 1 to 999999; found " + text;
}

std::string health_problem(const std::string& text) {
  return read_health_place(text) ? "" : "must be PORT, ADDRESS:PORT or [ADDRESS]:PORT; found " + text;
}

// Each text has passed queue_problem().
void take_queues(WorkerRequest& request) {
  if (request.queues.empty()) return;
  request.worker.queues.clear();
  for (const std::string& text : request.queues) request.worker.queues.push_back(*queue_of(text));
}

// Asks the store about the queues now and then, so that the server of the worker never waits for the store.
class QueueSampler {
 public:
  explicit QueueSampler(const Store& store) : store_(store), thread_([this](std::stop_token over) { look(over); }) {}

  // Says in a sample what the store answered last.
  void tell(WorkerSample& sample) const {
    const std::lock_guard lock(mutex_);
    sample.queues = queues_;
    sample.upkeep = upkeep_;
  }

 private:
  void look(const std::stop_token& over) {
    std::unique_lock own(wait_);
    do {
      auto found = queues(store_);
      auto upkeep = store_upkeep(store_);
      const std::lock_guard lock(mutex_);
      queues_.reset();
      if (found) queues_ = *std::move(found);
      upkeep_ = upkeep ? *std::move(upkeep) : std::nullopt;
    } while (!ended_.wait_for(own, over, kSamplePause, [&over] { return over.stop_requested(); }));
  }

  const Store store_;
  mutable std::mutex mutex_;
  std::optional<std::vector<QueueStatus>> queues_;   // these two under mutex_
  std::optional<StoreUpkeep> upkeep_;
  std::mutex wait_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

// Fires the schedules of the store that are due: at once, and again and again.
class ScheduleTicker {
 public:
  ScheduleTicker(const Store& store, WorkerLog& log, std::chrono::milliseconds pause)
      : store_(store), log_(log), pause_(pause) {
    thread_ = std::jthread([this, wait = fire()](std::stop_token over) mutable {
      std::unique_lock own(wait_);
      while (!ended_.wait_for(own, over, wait, [&over] { return over.stop_requested(); })) wait = fire();
    });
  }

 private:
  // Returns how long to wait: until the next moment, or until it is time to look for new schedules.
  std::chrono::milliseconds fire() {
    const auto fired = fire_due_schedules(store_);
    if (!fired) log_.note("store_failed", fired.error().message);
    if (!fired) return pause_;
    for (const std::string& run : fired->runs) log_.note("scheduled", run);
    for (const std::string& run : fired->failed) log_.note("schedule_failed", run);
    for (const std::string& schedule : fired->refused) {
      if (!refused_.contains(schedule)) log_.note("seal_refused", schedule);
    }
    refused_ = {fired->refused.begin(), fired->refused.end()};
    return std::clamp(fired->until_next.value_or(pause_), std::chrono::milliseconds(1), pause_);
  }

  const Store store_;
  WorkerLog& log_;
  const std::chrono::milliseconds pause_;
  std::set<std::string> refused_;              // by the last call
  std::mutex wait_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

// A worker of this process, with its log, its signals and its server.
class WorkerProcess {
 public:
  // Each thread makes commands of its own of `declared`, which are the tools.
  WorkerProcess(const WorkerRequest& request, const Store& store, const Tools& tools,
                std::vector<DeclaredTool> declared)
      : request_(request), store_(store), declared_(std::move(declared)), log_(request.json),
        worker_(engine_, store, tools, options_of()) {}

  int run() {
    const StopSignals signals([this](int count) { stop(count); });   // before anything is said
    std::optional<QueueSampler> sampler;
    std::optional<WorkerHealth> health;
    if (!request_.health.empty()) {
      sampler.emplace(store_);
      health.emplace([this, &sampler] { return sample(*sampler); });
      const auto place = read_health_place(request_.health);
      if (const auto failed = health->listen(*place)) return refuse_input(*failed);
      log_.note("health", health->url());
    }
    std::optional<ScheduleTicker> ticker;
    if (has_schedules()) ticker.emplace(store_, log_, std::max(request_.worker.poll, kShortestTick));
    const auto done = work();
    ticker.reset();
    health.reset();
    if (done) return kSuccess;
    return done.error().code == Errc::invalid_value ? refuse_input(done.error().message)
                                                    : complain_of_store(done.error());
  }

 private:
  WorkerOptions options_of() {
    WorkerOptions out = request_.worker;
    out.most_limits = request_.options.limits.bounds();
    out.parallel_calls = request_.options.parallel_tools;
    out.on_event = [this](const WorkerEvent& event) { log_.write(event); };
    out.observer = &log_;
    out.kinds[kConversationKind] = conversation_hosts(store_, request_.agents);
    if (!request_.agents.model.empty()) {
      out.kinds[kModelConversationKind] = conversation_hosts(store_, request_.agents);
      out.kinds[kAgentKind] = agent_hosts(engine_, store_, request_.agents);
      out.kinds[kChainKind] = chain_hosts(engine_, store_, request_.agents, request_.store);
    }
    out.calls = [this]() -> std::unique_ptr<WorkerCalls> {
      std::string message;
      CommandTools tools;
      if (!add_tools(tools, declared_, message)) complain(message);   // serve() has added the same tools before
      return std::make_unique<WorkerCommands>(std::move(tools), request_.options.parallel_tools);
    };
    return out;
  }

  // What is said meanwhile beside the events, of a model server that is down for instance, belongs to them.
  Result<void> work() {
    const ComplaintsTo log([this](std::string_view message) { log_.note("warning", message); });
    return worker_.run();
  }

  void stop(int count) {
    if (count == 1) worker_.drain();
    if (count == 2) worker_.abandon();
    if (count > 2) std::_Exit(kProgramFailed);   // the store does not answer
  }

  WorkerSample sample(const QueueSampler& sampler) const {
    WorkerSample out;
    sampler.tell(out);
    out.name = request_.worker.name;
    out.stats = worker_.stats();
    out.lease = request_.worker.lease;
    out.now_ms = now_millis();
    return out;
  }

  const WorkerRequest& request_;
  const Store store_;
  const std::vector<DeclaredTool> declared_;
  const Engine engine_;
  WorkerLog log_;
  Worker worker_;
};

// Gives agents and planners the commands of the worker, and looks whether its model can be opened.
bool take_agents(WorkerRequest& request, const std::vector<DeclaredTool>& declared, std::string& message) {
  request.agents.tools = declared;
  request.agents.most_limits = request.options.limits.bounds();
  request.agents.commands = commands_of(declared);
  if (!request.prices.empty()) {
    auto prices = prices_of_file(request.prices, message);
    if (!prices) return false;
    request.agents.prices = *std::move(prices);
  }
  if (request.agents.model.empty()) return true;
  return open_model(request.agents.model, request.agents.stream, {}, message).has_value() &&
         can_open_child_models(request.agents.child_models, request.agents.stream, message);
}

int serve(WorkerRequest& request) {
  take_queues(request);
  std::string message;
  auto declared = declared_tools(request.options, message);
  if (!declared) return refuse_input(message);
  Tools tools;
  if (!add_contracts(tools, *declared, message)) return refuse_input(message);
  if (!take_agents(request, *declared, message)) return refuse_input(message);
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Create, status)) return status;
  return WorkerProcess(request, command.store(), tools, *std::move(declared)).run();
}

}  // namespace

void add_worker_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("worker", "Execute runs of queues");
  auto request = std::make_shared<WorkerRequest>();
  WorkerOptions& worker = request->worker;
  worker.threads = 4;
  worker.drain = std::chrono::seconds(25);
  declare_queue_store(*command, request->store);
  declare_durability(*command, request->store);
  command->add_option("--queue", request->queues, "A queue, and how many of its runs at once; repeatable (default)")
      ->type_name("NAME[:N]")
      ->check(CLI::Validator(queue_problem, ""))
      ->allow_extra_args(false);
  command->add_option("--slots", worker.threads, "Runs at once")->capture_default_str();
  declare_tools(*command, request->options);
  command->add_option("--node", worker.name, "The name of this worker in lists, for people")->capture_default_str();
  add_span(*command, "--lease", worker.lease, "How long the others wait when this worker has died (15s)");
  add_span(*command, "--poll", worker.poll, "How often an idle worker looks for runs (1s)");
  command->add_flag("--listen,!--no-listen", worker.listen,
                    "In PostgreSQL: look as soon as a run is ready, told by a connection of its own (the default)");
  add_span(*command, "--drain", worker.drain, "How long a stop waits for calls of tools (25s)");
  command->add_option("--health", request->health, "Answer GET /health and GET /metrics there; 127.0.0.1 is meant")
      ->type_name("[ADDRESS:]PORT")
      ->check(CLI::Validator(health_problem, ""));
  command->add_flag("--once", worker.once, "End after the first runs that were claimed");
  command->add_flag("--until-empty", worker.until_empty, "End when there is nothing to claim");
  command->add_flag("--strict-resets", worker.resets_need_reasons,
                    "(task-reset id) of a task whose calls had effects needs a reason: (task-reset id \"why\")");
  command
      ->add_option_function<std::string>(
          "--log", [request](const std::string& form) { request->json = form == "json"; },
          "How each event is written: text or json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->type_name("FORM");
  command->add_option("--model", request->agents.model,
                      "Also execute agents, tasks and conversations (enqueue --agent, --chain, --conversation) that "
                      "ask this model; named as for agent run");
  command->add_option("--child-model", request->agents.child_models,
                      "Another model for a child and what is below it, by its path: broker/desk=chat:NAME; repeatable")
      ->type_name("PATH=MODEL")
      ->allow_extra_args(false);
  command->add_flag("--stream", request->agents.stream, "Ask models for streams");
  command->add_option("--rate", request->agents.rate,
                      "At most so many requests a minute to each server, of all workers of the store together");
  command->add_option("--prices", request->prices, "Prices of models for a million tokens, a file of JSON, for agents")
      ->type_name("FILE");
  request->options.limits.declare(*command);
  command->footer(kWorkerExamples);
  command->callback([request, &status] { status = serve(*request); });
}

}  // namespace ptcvm::cli
