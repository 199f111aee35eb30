#include "tools/ptcvm/chain/chain_stored_commands.h"

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <memory>
#include <utility>

#include "agents/chain/run/asked_replan.h"
#include "agents/chain/run/chain_log.h"
#include "agents/chain/run/feedback.h"
#include "agents/chain/run/question_log.h"
#include "tools/ptcvm/calls/tool_errors.h"
#include "tools/ptcvm/chain/chain_agent_doubts.h"
#include "tools/ptcvm/chain/chain_job.h"
#include "tools/ptcvm/chain/chain_job_log.h"
#include "tools/ptcvm/chain/chain_memory.h"
#include "tools/ptcvm/chain/chain_session.h"
#include "tools/ptcvm/chain/chain_tell.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/store_logs.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;
using chain::ChainOperation;
using chain::OperationKind;

// A store that is there, and the setup of the task in it.
struct KnownTask {
  std::optional<Store> store;
  ChainSetup setup;
};

// Returns nullopt after a message; `status` is then what the command ends with.
std::optional<KnownTask> known_task(const ChainArguments& arguments, int& status) {
  std::string message;
  KnownTask task;
  task.store = open_store(arguments.store, StoreUse::Existing, message, status);
  if (!task.store) complain(message);
  if (!task.store) return std::nullopt;
  auto setup = known_setup(*task.store, arguments.store.id);
  if (!setup) status = complain_of_store(setup.error());
  if (!setup) return std::nullopt;
  if (!*setup) status = refuse_input("the store has no task " + arguments.store.id + "; see ptcvm chain list");
  if (!*setup) return std::nullopt;
  task.setup = **std::move(setup);
  return task;
}

std::optional<chain::ChainLog> log_of(const Store& store, const std::string& id, int& status) {
  auto log = chain::read_chain_log(store, id);
  if (!log) status = complain_of_store(log.error());
  return log ? std::optional(*std::move(log)) : std::nullopt;
}

struct AnswerArguments : ChainAnswer {
  ChainArguments chain;
};

// Gives the answer to the operation that the question is about. The agent of a step hears an answer when its step goes
// on; one that is given up must have been opened before.
Result<void> say(ChainSession& session, const Store& store, const chain::LoggedQuestion& question,
                 const std::string& text, std::optional<SaidDoubt>& doubt) {
  if (is_of_agent(question) && doubt->answer != DoubtAnswer::GiveUp) {
    return tell_agent_of(store, question, doubt->answer, doubt->output);
  }
  if (is_of_agent(question)) session.drive();
  chain::ChainRun& run = session.run();
  for (const ChainOperation& operation : run.operations()) {
    if (operation.key != question.key) continue;
    if (doubt && operation.kind == OperationKind::Doubt && operation.attempt == question.attempt) {
      return run.settle(operation.id, doubt->answer, std::move(doubt->output));
    }
    if (!doubt && operation.kind == OperationKind::Question) return run.answer(operation.id, json::value(text));
  }
  return Error{Errc::wrong_state, "stale answer: nobody asks " + question.name + " any more", std::nullopt, {}};
}

int answer_task(const AnswerArguments& arguments) {
  int status = kSuccess;
  const auto task = known_task(arguments.chain, status);
  if (!task) return status;
  if (refuses_answers(*task->store, arguments.chain.store, arguments.chain.store.id)) return kBadInput;
  if (task->setup.is_job) {
    Store store = *task->store;
    return tell_chain(StoreCommand(arguments.chain.store), store, task->setup, arguments);
  }
  const auto question = chosen_question(arguments.chain.store, *task->store, arguments, status);
  if (!question) return status;
  std::optional<SaidDoubt> doubt;
  if (question->kind == chain::LoggedQuestion::Kind::Doubt && !(doubt = read_doubt(arguments))) return kBadInput;
  const std::string fault = doubt ? doubt_fault(task->setup, arguments.chain.store.id, *question, *doubt) : "";
  if (!fault.empty()) return refuse_input(fault);
  ChainSession session(arguments.chain, *task->store);
  if (const int opened = session.open(task->setup, true); opened != kSuccess) return opened;
  if (const auto stepped = session.run().step(); !stepped) {
    if (stepped.error().code == Errc::store_failed) return complain_of_store(stepped.error());
    complain(stepped.error().message);
    return stepped.error().code == Errc::busy ? kBusy : kBadInput;
  }
  auto said = Result<void>();
  if (!question->is_answered) said = say(session, *task->store, *question, arguments.text, doubt);
  if (!said && said.error().code != Errc::wrong_state) return refuse_input(said.error().message);
  if (!said) complain(said.error().message);
  const int ended = session.report(session.drive());   // also then: the step may have begun calls
  return said ? ended : kBadInput;
}

std::string state_of(const chain::ChainLog& log) {
  if (!log.report || log.is_replanned) return log.is_begun ? "under way" : "not begun";
  return log.report->at("success").as_bool() ? "succeeded" : "without success";
}

// Returns what people have to say before the task goes on, or "".
std::string waits_of(const std::vector<chain::LoggedQuestion>& questions) {
  using Kind = chain::LoggedQuestion::Kind;
  const auto waits_for = [&questions](Kind kind) {
    return std::ranges::any_of(questions, [kind](const chain::LoggedQuestion& question) {
      return question.kind == kind && !question.is_answered;
    });
  };
  if (waits_for(Kind::Doubt)) return "a call in doubt";
  return waits_for(Kind::Confirm) ? "an answer" : "";
}

int show_task(const ChainArguments& arguments) {
  int status = kSuccess;
  const auto task = known_task(arguments, status);
  const auto log = task ? log_of(*task->store, arguments.store.id, status) : std::nullopt;
  if (!log) return status;
  const auto questions = task_questions(*task->store, arguments.store.id, AgentQuestions::Open);
  if (!questions) return complain_of_store(questions.error());
  const std::string waits = waits_of(*questions);
  const auto lost = task->setup.is_job ? ChainJobLog::lost_requests(*task->store, arguments.store.id)
                                       : Result<std::size_t>(std::size_t{0});
  if (!lost) return complain_of_store(lost.error());
  std::cout << harmless_text(task->setup.input) << "\n" << state_of(*log) << ", revision " << log->revision
            << (waits.empty() ? "" : ", waits for " + waits) << '\n';
  if (*lost != 0) std::cout << "requests whose workers died before the reply: " << *lost << ", sent again\n";
  for (const chain::LoggedStep& step : log->steps) {
    if (step.status == "skipped" && step.revision < log->revision) continue;   // its turn comes again
    const char* const mark = step.status == "completed" ? "[x] " : step.status == "failed" ? "[!] " : "[ ] ";
    std::cout << mark << step.id << ' ' << step.status << " ("
              << duration_text(static_cast<std::uint64_t>(step.duration_ms) * 1'000) << ')';
    if (!step.error.empty()) std::cout << ": " << harmless_text(cut_text(step.error));
    std::cout << '\n';
  }
  for (const chain::LoggedQuestion& question : *questions) {
    if (!question.is_answered) std::cout << asked_lines(arguments.store, arguments.store.id, question);
  }
  return kSuccess;
}

int report_task(const ChainArguments& arguments) {
  int status = kSuccess;
  const auto task = known_task(arguments, status);
  const auto log = task ? log_of(*task->store, arguments.store.id, status) : std::nullopt;
  if (!log) return status;
  if (!log->report) return refuse_input("the task has no report yet; see ptcvm chain show");
  std::cout << shown_report(*log->report, arguments.output);
  return kSuccess;
}

int take_feedback(const ChainArguments& arguments) {
  int status = kSuccess;
  const auto task = known_task(arguments, status);
  const auto log = task ? log_of(*task->store, arguments.store.id, status) : std::nullopt;
  if (!log) return status;
  if (arguments.input.empty()) {
    std::cout << (log->feedback ? json::serialize(*log->feedback) : "null") << '\n';
    return kSuccess;
  }
  if (!log->report) return refuse_input("the task has no report yet; see ptcvm chain show");
  if (const std::string fault = chain::feedback_fault(arguments.input); !fault.empty()) return refuse_input(fault);
  std::string message;
  auto options = task->setup.options(arguments.store.id, message);
  if (!options) return refuse_input(message);
  options->policy.has_person = true;
  auto run = chain::ChainRun::start(Engine(), *task->store, *std::move(options));
  const auto stepped = run ? run->step() : Result<chain::ChainState>(run.error());
  if (!stepped) return complain_of_store(stepped.error());
  for (const ChainOperation& operation : run->operations()) {
    if (operation.purpose != "feedback") continue;
    const auto said = run->answer(operation.id, json::value(arguments.input));
    const auto kept = said ? run->step() : Result<chain::ChainState>(said.error());
    if (!kept) return complain_of_store(kept.error());
    const auto archive = open_archive(*task->store, arguments.store);   // corrections become facts
    return archive ? kSuccess : complain_of_store(archive.error());
  }
  return refuse_input(log->feedback ? "the task has its feedback already" : "the task asks for no feedback");
}

Result<std::vector<std::string>> row_of(const Store& store, const std::string& id) {
  const auto setup = known_setup(store, id);
  if (!setup) return setup.error();
  const auto log = chain::read_chain_log(store, id);
  if (!log) return log.error();
  const auto questions = task_questions(store, id, AgentQuestions::Open);
  if (!questions) return questions.error();
  return std::vector{id, state_of(*log), std::to_string(log->revision), waits_of(*questions)};
}

int list_tasks(const ChainArguments& arguments) {
  std::string message;
  int status = kSuccess;
  const auto store = open_store(arguments.store, StoreUse::Existing, message, status);
  if (!store) complain(message);
  if (!store) return status;
  const auto ids = task_ids(*store);
  if (!ids) return complain_of_store(ids.error());
  status = kSuccess;
  std::vector<std::vector<std::string>> rows{{"ID", "STATE", "REVISION", "WAITS FOR"}};
  for (const std::string& id : *ids) {
    const auto row = row_of(*store, id);
    if (row) rows.push_back(*row);
    if (row || is_of_other_tenant(row.error())) continue;
    status = complain_of_store(row.error());
    if (row.error().code != Errc::seal_refused) return status;
    rows.push_back({id, refused_state(row.error()), "", ""});
  }
  std::cout << text_table(rows);
  return status;
}

struct ReplanArguments {
  ChainArguments chain;
  std::vector<std::string> raised;
};

// Reads by how much --raise raises the limit of money. Returns nullopt when it cannot be raised so.
std::optional<std::uint64_t> raised_by(const ReplanArguments& request, const ChainSetup& setup, std::string& message) {
  std::uint64_t sum = 0;
  for (const std::string& words : request.raised) {
    const auto by = read_chain_limit(words, message);
    if (!by) return std::nullopt;
    sum += std::min(*by, UINT64_MAX - sum);
  }
  if (sum == 0 || setup.money.most != 0) return sum;
  message = "the task has no limit of money";
  return std::nullopt;
}

// Plans a task that has ended again, or goes on with that.
int replan_task(const ReplanArguments& request) {
  const ChainArguments& arguments = request.chain;
  int status = kSuccess;
  const auto task = known_task(arguments, status);
  const auto log = task ? log_of(*task->store, arguments.store.id, status) : std::nullopt;
  if (!log) return status;
  if (task->setup.is_job) {
    return refuse_input("the task " + arguments.store.id +
                        " is a job of a queue, which ends once: enqueue another one (ptcvm enqueue --chain)");
  }
  std::string message;
  const auto raised = raised_by(request, task->setup, message);
  if (!raised) return refuse_input(message);
  if (!log->is_replanned || !arguments.input.empty()) {
    const auto asked = chain::ask_replan(*task->store, arguments.store.id, arguments.input,
                                         StoreCommand(arguments.store).by(), now_millis());
    if (!asked && asked.error().code == Errc::wrong_state) return refuse_input(asked.error().message);
    if (!asked) return complain_of_store(asked.error());
  }
  const auto kept = *raised == 0 ? Result<void>() : raise_money(*task->store, arguments.store.id, *raised);
  if (!kept) return complain_of_store(kept.error());
  ChainSession session(arguments, *task->store);
  if (const int opened = session.open(task->setup, true); opened != kSuccess) return opened;
  return session.report(session.drive());
}

struct ApprovalArguments {
  StoreOptions store;
  std::string revoked;
};

int show_approvals(const ApprovalArguments& arguments) {
  std::string message;
  int status = kSuccess;
  const auto store = open_store(arguments.store, StoreUse::Existing, message, status);
  if (!store) complain(message);
  if (!store) return status;
  const auto approved = approved_signatures(*store, arguments.store);
  if (!approved) return complain_of_store(approved.error());
  if (arguments.revoked.empty()) {
    for (const std::string& signature : *approved) std::cout << signature << '\n';
    return kSuccess;
  }
  if (std::find(approved->begin(), approved->end(), arguments.revoked) == approved->end()) {
    return refuse_input("nobody has approved " + arguments.revoked);
  }
  const auto revoked = approve_signature(*store, arguments.store, arguments.revoked, false,
                                         StoreCommand(arguments.store).by());
  return revoked ? kSuccess : complain_of_store(revoked.error());
}

}  // namespace

void add_chain_answer(CLI::App& chain, int& status) {
  auto* const command = chain.add_subcommand("answer", "Answer a question of a task, and go on with the task");
  command->footer("A task of a queue (ptcvm enqueue --chain) is told the answer, and a worker goes on with it.");
  auto arguments = std::make_shared<AnswerArguments>();
  declare_chain_store(*command, arguments->chain);
  command
      ->add_option("STEP", arguments->step,
                   "The step that asks, or its question as chain show names it: STEP@… or STEP/doubt:TOOL")
      ->required();
  command->add_option("ANSWER", arguments->text, "yes, always (also for other tasks), or no");
  command->add_option("--happened", arguments->happened, "The call in doubt happened, and this was its answer")
      ->type_name("JSON");
  command->add_flag("--did-not", arguments->did_not, "The call in doubt did not happen, and is made again");
  command->add_flag("--give-up", arguments->give_up, "Nobody knows; the step fails");
  declare_chain_model(*command, arguments->chain);
  declare_chain_progress(*command, arguments->chain);
  declare_chain_output(*command, arguments->chain);
  command->callback([arguments, &status] { status = answer_task(*arguments); });
}

void add_chain_show(CLI::App& chain, int& status) {
  auto* const command = chain.add_subcommand("show", "Show how far a task is");
  auto arguments = std::make_shared<ChainArguments>();
  declare_chain_store(*command, *arguments);
  command->callback([arguments, &status] { status = show_task(*arguments); });
}

void add_chain_report(CLI::App& chain, int& status) {
  auto* const command = chain.add_subcommand("report", "Show the report of a task that has ended");
  auto arguments = std::make_shared<ChainArguments>();
  declare_chain_store(*command, *arguments);
  declare_chain_output(*command, *arguments);
  command->callback([arguments, &status] { status = report_task(*arguments); });
}

void add_chain_feedback(CLI::App& chain, int& status) {
  auto* const command = chain.add_subcommand("feedback", "Say how a task was, or show what was said");
  auto arguments = std::make_shared<ChainArguments>();
  declare_chain_store(*command, *arguments);
  command->add_option("TEXT", arguments->input, "rating=positive, neutral or negative; comment=…; correction=…");
  command->callback([arguments, &status] { status = take_feedback(*arguments); });
}

void add_chain_replan(CLI::App& chain, int& status) {
  auto* const command = chain.add_subcommand("replan", "Plan a task that has ended again; what is completed stays");
  auto request = std::make_shared<ReplanArguments>();
  ChainArguments& arguments = request->chain;
  declare_chain_store(*command, arguments);
  declare_author(*command, arguments.store);
  command->add_option("TEXT", arguments.input, "What should be different, for the planner");
  declare_chain_model(*command, arguments);
  command->add_option("--raise", request->raised, "money=NUMBER: adds to the limit of money; repeatable")
      ->type_name("LIMIT=NUMBER")
      ->allow_extra_args(false);
  declare_chain_progress(*command, arguments);
  declare_chain_output(*command, arguments);
  command->callback([request, &status] { status = replan_task(*request); });
}

void add_chain_list(CLI::App& chain, int& status) {
  auto* const command = chain.add_subcommand("list", "List the tasks of a store");
  auto arguments = std::make_shared<ChainArguments>();
  declare_sealed_store(*command, arguments->store);
  command->callback([arguments, &status] { status = list_tasks(*arguments); });
}

void add_chain_approvals(CLI::App& chain, int& status) {
  auto* const command = chain.add_subcommand("approvals", "List what people have approved for good, or revoke it");
  auto arguments = std::make_shared<ApprovalArguments>();
  declare_sealed_store(*command, arguments->store);
  declare_author(*command, arguments->store);
  command->add_option("--revoke", arguments->revoked, "The signature of the approval to take back");
  command->callback([arguments, &status] { status = show_approvals(*arguments); });
}

}  // namespace ptcvm::cli
