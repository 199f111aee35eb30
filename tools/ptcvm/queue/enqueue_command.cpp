// ptcvm enqueue: puts programs into queues, for workers to execute.
#include <chrono>
#include <fstream>
#include <iostream>

#include "agents/chain/run/chain_run.h"
#include "agents/harness/sending/peer_transport.h"
#include "runtime/text/json_text.h"
#include "tools/ptcvm/agent/agent_job.h"
#include "tools/ptcvm/agent/agent_session.h"
#include "tools/ptcvm/calls/tool_errors.h"
#include "tools/ptcvm/chain/chain_job.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/harness/conversation_job.h"
#include "tools/ptcvm/harness/harness_session.h"
#include "tools/ptcvm/process/bounded_file.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/queue/bulk_jobs.h"
#include "tools/ptcvm/queue/job_options.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/text_table.h"
#include "tools/ptcvm/text/time_spans.h"

namespace ptcvm::cli {
namespace {

constexpr FileBound kTaskFile{std::size_t{1} << 20, "the text of a task"};

constexpr const char* kEnqueueExamples = R"(Examples:
  ptcvm enqueue order.ptc --store runs.db --id order-17 --data order.json
  ptcvm enqueue order.ptc --store runs.db --id order-18 --queue orders --tenant acme --prio -1 --in 5m
  ptcvm enqueue bill.ptc --store runs.db --id bill-18 --after order-18
  ptcvm enqueue order.ptc --store runs.db --bulk orders.jsonl
  ptcvm enqueue --agent clerk.json --data mail.json --store runs.db --id mail-7 --idle 30m
  ptcvm enqueue --chain task.txt --tools tools.json --strategy strict.json --store runs.db --id tidy
  ptcvm enqueue --conversation answer.ptc --store runs.db --id clinic

The id of a job is the id of its run: an id that is there already is left as it is. Workers (ptcvm worker) that lack a
tool of the program leave the job alone. --bulk takes a line of JSON for each job, for instance
{"id":"order-19","data":{"n":19}}; what a line leaves out, the command line says. Members: id, file, source, name,
queue, tenant, priority, in, at, attempts, after, needs, data, signature, limits. 500 lines are written at once, all or
none; a line that is refused ends the command with status 65, and the message says how many jobs are in. Lines that are
enqueued a second time are there already, so the command may be given again.
An agent is executed by a worker with --model and with commands for those tools that have one in the agent file; the
commands of the file stay here. ptcvm agent resume tells it what people say. A task (--chain) is executed by a worker
with --model and with a command for each of its tools; ptcvm chain answer tells it what people say, and ptcvm chain show
and report tell what became of it. A conversation (--conversation) is empty at first: ptcvm harness say, whisper, answer
and approve, or harness serve, tell it what others say, and a worker that has the tools of its planner plans; --model is
needed for planners that ask one.)";

constexpr std::size_t kBatch = 500, kMostNamed = 10;
constexpr auto kProgressPause = std::chrono::seconds(2);

struct EnqueueRequest {
  StoreOptions store;
  JobArguments arguments;
  std::chrono::milliseconds delay{0};
  std::string bulk, agent, chain;
  HarnessArguments conversation;               // planner: --conversation
  ChainArguments task;                         // with --chain
  std::optional<std::chrono::milliseconds> idle;
  bool json = false;
};

// What became of the jobs so far, and how that is told.
class EnqueueReport {
 public:
  explicit EnqueueReport(bool json) : json_(json) {}

  void add(const std::string& id, std::size_t line, bool is_new) {
    ++(is_new ? new_ : there_);
    if (json_) {
      std::string out = "{";
      ptc::append_json_member(out, "id", id);
      if (line != 0) out += ",\"line\":" + std::to_string(line);
      std::cout << out << ",\"is_new\":" << (is_new ? "true" : "false") << "}\n";
    } else if (!is_new && there_ <= kMostNamed) {
      names_.append(names_.empty() ? "" : ", ").append(id);
    }
  }
  void show_progress() {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < kProgressPause) return;
    shown_ = now;
    complain(std::to_string(new_) + " jobs are enqueued, " + std::to_string(there_) + " were there");
  }
  std::string summary() const {
    std::string out = "enqueued " + std::to_string(new_);
    if (there_ != 0) {
      out += ", there already " + std::to_string(there_) + ": " + names_;
      if (there_ > kMostNamed) out += " and " + std::to_string(there_ - kMostNamed) + " more";
    }
    return out;
  }
  void end() const {
    if (json_) {
      std::cout << "{\"enqueued\":" << new_ << ",\"there\":" << there_ << "}\n";
    } else {
      std::cout << summary() << '\n';
    }
  }

 private:
  const bool json_;
  std::uint64_t new_ = 0, there_ = 0;
  std::string names_;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

class Enqueuing {
 public:
  Enqueuing(const EnqueueRequest& request, const Store& store)
      : request_(request), store_(store), report_(request.json) {}

  int one(const QueuedJob& job) {
    const auto made = enqueue(engine_, store_, job);
    if (!made) return refuse_job(made.error());
    const bool is_conversation = !request_.conversation.planner.empty();
    if (is_conversation && !*made) {
      const auto there = harness::Conversation::open(HostLog::of(store_, job.id));
      if (!there) return refuse_job(there.error());
      if (!there->view().is_job()) {
        return refuse_input(job.id + " is there already, and is no job of a conversation: no worker plans for it; " +
                            "plan with `ptcvm harness run`, or give another ID");
      }
    }
    if (request_.json) {
      report_.add(job.id, 0, *made);
    } else {
      std::cout << harmless_text(one_line(job.id)) << (*made ? " is enqueued\n" : " is there already\n");
    }
    return kSuccess;
  }

  int all(std::istream& lines, const std::string& place, const QueuedJob& usual) {
    BulkJobs jobs(usual);
    std::string line, message;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      auto job = jobs.read(line, message);
      if (!job) return refuse_line(place, number, message);
      jobs_.push_back(*std::move(job));
      numbers_.push_back(number);
      if (jobs_.size() < kBatch) continue;
      if (const int status = write(place); status != kSuccess) return status;
    }
    if (lines.bad()) return refuse_input(place + ": cannot be read");
    if (const int status = write(place); status != kSuccess) return status;
    report_.end();
    return kSuccess;
  }

 private:
  int refuse_line(const std::string& place, std::size_t number, const std::string& message) {
    if (const int status = write(place); status != kSuccess) return status;
    return refuse_input(place + ": line " + std::to_string(number) + ' ' + message + " (" + report_.summary() + ')');
  }

  // Writes the lines of a batch. A batch that is refused is written job by job, to say which line it is.
  int write(const std::string& place) {
    const std::vector<QueuedJob> jobs = std::exchange(jobs_, {});
    const std::vector<std::size_t> numbers = std::exchange(numbers_, {});
    if (jobs.empty()) return kSuccess;
    const auto made = enqueue(engine_, store_, jobs);
    if (!made) return refuse_batch(place, jobs, numbers, made.error());
    for (std::size_t i = 0; i < jobs.size(); ++i) report_.add(jobs[i].id, numbers[i], (*made)[i]);
    report_.show_progress();
    return kSuccess;
  }
  int refuse_batch(const std::string& place, const std::vector<QueuedJob>& jobs,
                   const std::vector<std::size_t>& numbers, const Error& error) {
    const bool may_be_a_line = error.code != Errc::store_failed || error.detail == "store_wrong_tenant" ||
                               error.detail == "store_missing" || error.detail == "store_misuse" ||
                               error.detail == "run_moved" || error.detail == "run_is_copy";
    for (std::size_t i = 0; may_be_a_line && i < jobs.size(); ++i) {
      const auto made = enqueue(engine_, store_, jobs[i]);
      if (made) {
        report_.add(jobs[i].id, numbers[i], *made);
        continue;
      }
      complain(place + ": line " + std::to_string(numbers[i]) + " is refused (" + report_.summary() + ')');
      return refuse_job(made.error());
    }
    return refuse_job(error);
  }

  const EnqueueRequest& request_;
  const Store& store_;
  const Engine engine_;
  EnqueueReport report_;
  std::vector<QueuedJob> jobs_;
  std::vector<std::size_t> numbers_;           // the line of each job
};

// Makes a job of an agent: its definition without commands, and its data.
bool take_agent(const EnqueueRequest& request, QueuedJob& job, std::string& message) {
  AgentArguments arguments;
  arguments.file = request.agent;
  const auto& data = request.arguments.program.data;
  if (data.size() > 1) return message = "the data of an agent is one file", false;
  if (!data.empty()) arguments.data = data.front();
  if (!request.arguments.program.limits.is_empty()) {
    return message = "the limits of an agent are in its file", false;
  }
  auto definition = agent_definition(arguments, message);
  const auto text = definition ? agent_data(arguments, message) : std::nullopt;
  if (!text) return false;
  AgentJob made{*std::move(definition), *text, {}};
  if (request.idle) made.idle_ms = request.idle->count();
  for (std::string& tool : take_commands(made.agent)) job.needs.push_back(std::move(tool));
  const auto agent = loop::Agent::make(Engine(), made.agent, {});
  if (!agent) return message = request.agent + ": " + agent.error().message, false;
  const auto run = loop::AgentRun::start(*agent, {job.id, *text});
  if (!run) return message = run.error().message, false;
  job.kind = kAgentKind;
  job.source = write_agent_job(made);
  return true;
}

// Makes a job of a task: its setup without commands.
bool take_chain(const EnqueueRequest& request, QueuedJob& job, std::string& message) {
  if (!request.arguments.program.limits.is_empty()) return message = "the limits of a task are those of workers", false;
  auto text = read_file(request.chain, message, kTaskFile);
  if (!text) return false;
  text->erase(text->find_last_not_of(" \t\r\n") + 1);
  if (text->empty()) return message = request.chain + ": the text of the task is empty", false;
  ChainArguments arguments = request.task;
  arguments.input = *std::move(text);
  auto setup = ChainSetup::of(arguments, message);
  if (!setup) return false;
  std::vector<std::string> needs = take_commands(*setup);
  auto options = setup->options(job.id, message);
  if (!options) return false;
  const auto run = chain::ChainRun::start(Engine(), Store::in_memory(), *std::move(options));
  if (!run) return message = run.error().message, false;
  job.needs.insert(job.needs.end(), needs.begin(), needs.end());
  job.kind = kChainKind;
  job.source = write_setup(*setup);
  return true;
}

// Makes a job of a conversation: its planner without commands, and how it sends.
bool take_conversation(const EnqueueRequest& request, QueuedJob& job, std::string& message) {
  if (!request.arguments.program.limits.is_empty()) return message = "workers have the limits of planners", false;
  if (const auto is_free = check_new_conversation(job.id); !is_free) return message = is_free.error().message, false;
  auto made = conversation_job(request.conversation, message);
  if (!made) return false;
  if (made->peer == job.id) return message = harness::error_of_own_peer(job.id).message, false;
  if (request.idle) made->idle_ms = request.idle->count();
  const auto needs = take_commands(*made, message);
  if (!needs) return message = request.conversation.planner + ": " + message, false;
  job.needs.insert(job.needs.end(), needs->begin(), needs->end());
  job.kind = made->kind();
  job.source = write_conversation_job(*made);
  return true;
}

bool is_host_job(const EnqueueRequest& request) {
  return !request.agent.empty() || !request.chain.empty() || !request.conversation.planner.empty();
}

bool take_host_job(const EnqueueRequest& request, QueuedJob& job, std::string& message) {
  if (!request.agent.empty()) return take_agent(request, job, message);
  if (!request.chain.empty()) return take_chain(request, job, message);
  return take_conversation(request, job, message);
}

constexpr const char* kWhichRun = "which run? Give its name as the argument ID, or with --id ID";

// Enqueues an agent, a task or a conversation.
int enqueue_host_job(const EnqueueRequest& request) {
  QueuedJob job = request.arguments.job;
  std::string message;
  if (job.id.empty()) return refuse_input(kWhichRun);
  if (!take_host_job(request, job, message)) return refuse_input(message);
  job.delay_ms = request.delay.count();
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Create, status)) return status;
  return Enqueuing(request, command.store()).one(job);
}

int enqueue_all(const EnqueueRequest& request) {
  if (is_host_job(request)) return enqueue_host_job(request);
  const bool has_program = !request.arguments.file.empty();
  if (request.bulk.empty() && !has_program) return refuse_input("which program? Give FILE or --bulk FILE");
  if (request.bulk.empty() && request.arguments.job.id.empty()) return refuse_input(kWhichRun);
  if (!request.bulk.empty() && !request.arguments.job.id.empty()) {
    return refuse_input("--bulk has the names of its runs in its lines: leave " + request.arguments.job.id + " out");
  }
  std::string message;
  auto job = read_job(request.arguments, message);
  if (!job) return refuse_input(message);
  job->delay_ms = request.delay.count();
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Create, status)) return status;
  Enqueuing enqueuing(request, command.store());
  if (request.bulk.empty()) return enqueuing.one(*job);
  if (request.bulk == "-") return enqueuing.all(std::cin, "standard input", *job);
  std::ifstream lines(request.bulk);
  if (!lines) return refuse_input("cannot read " + request.bulk);
  return enqueuing.all(lines, request.bulk, *job);
}

void declare_conversation_options(CLI::App& command, HarnessArguments& arguments) {
  command
      .add_option("--conversation", arguments.planner,
                  "A conversation instead of a program, with this planner: simple-demo, llm-drafter, scenario-v0.3, "
                  "agent:FILE, or the file of a program (ptcvm harness)")
      ->type_name("PLANNER");
  command.add_option("--config", arguments.config, "The configuration of the planner, a file of JSON")
      ->type_name("FILE");
  command.add_option("--scenario", arguments.scenario, "The scenario of scenario-v0.3, a file of JSON")
      ->type_name("FILE");
  command.add_option("--mode", arguments.mode, "approve: a person approves drafts; auto: workers send them")
      ->check(CLI::IsMember({"approve", "auto"}));
  command.add_option("--peer", arguments.peer, "The conversation of the other side, in the same store");
  command.add_flag("--begin", arguments.begins, "Begin the empty conversation");
}

}  // namespace

void add_enqueue_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("enqueue", "Put programs into a queue, for workers to execute");
  auto request = std::make_shared<EnqueueRequest>();
  QueuedJob& job = request->arguments.job;
  declare_job(*command, request->arguments);
  declare_queue_store(*command, request->store);
  command->add_option("ID", job.id, "Names the run; without FILE it is the only argument");
  command->add_option("--id", job.id, "Names the run, instead of the argument")->type_name("ID");
  command->add_option("--bulk", request->bulk, "Jobs as lines of JSON; - is standard input")->type_name("JSONL");
  add_span(*command, "--in", request->delay, "Not before that much time has passed: 250ms, 15s, 5m, 2h, 3d");
  add_moment(*command, "--at", job.at_ms, "Not before that moment: 2026-12-01T08:00:00Z");
  command->add_option("--after", job.after, "A run that has to end well before; repeatable")
      ->type_name("RUN")
      ->allow_extra_args(false);
  command->add_option("--agent", request->agent, "An agent instead of a program: an agent file (ptcvm agent)")
      ->type_name("FILE");
  command
      ->add_option_function<std::string>(
          "--idle",
          [request](const std::string& text) { request->idle = read_span(text); },
          "The agent is a session: when it has answered, it waits so long for what is said next. A conversation is "
          "over when nobody said anything for so long")
      ->check([](const std::string& text) { return read_span(text) ? std::string() : "must be a span like 30m or 2h"; })
      ->type_name("TIME");
  command->add_option("--chain", request->chain, "A task instead of a program: a file with what you want (ptcvm chain)")
      ->type_name("FILE");
  declare_chain_options(*command, request->task);
  declare_conversation_options(*command, request->conversation);
  command->add_flag("--json", request->json, "A line of JSON for each job");
  command->footer(kEnqueueExamples);
  command->callback([request, &status] { status = enqueue_all(*request); });
}

}  // namespace ptcvm::cli
