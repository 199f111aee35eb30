// ptcvm journal: what the log of a run says, and what others say to it.
#include <algorithm>
#include <iostream>

#include "agents/chain/risk/confirmation.h"
#include "tools/ptcvm/chain/chain_job.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/bounded_file.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/runs/agent_journal.h"
#include "tools/ptcvm/store/agent_goes_on.h"
#include "tools/ptcvm/store/journal_show.h"
#include "tools/ptcvm/store/store_logs.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/store/waits_text.h"
#include "tools/ptcvm/text/json_problem.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kJournalExamples = R"(Examples:
  ptcvm journal show --store runs.db may
  ptcvm journal log --store runs.db may
  ptcvm journal put --store runs.db may manager_decision_bob_5000 '"approved"' --by manager
  ptcvm journal reset --store runs.db may pay_bob --reason 'refunded on the phone'
  ptcvm journal export --store runs.db may > may.jsonl
  ptcvm journal import --store other.db may may.jsonl

A value that is put is under its id as if a task had given it: (task id …) has it, and a program that waits for
the signal of that name, (await-signal id), goes on with it. The first value of an id stays; --instead-of replaces a
value that came from outside, if it is still that one.)";

enum class ShowForm { Table, Json, Edn, Facts };

struct JournalRequest {
  StoreOptions store;
  std::string task, value, reason, file;
  std::optional<std::string> instead_of;
  bool is_edn = false, force = false;
  ShowForm form = ShowForm::Table;
};

int export_facts(const JournalRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status) || !command.read(JournalExtent::Notable, status)) return status;
  const auto written =
      command.store().visit_log_json(request.store.id, [](std::string_view line) { std::cout << line << '\n'; });
  return written ? kSuccess : complain_of_store(written.error());
}

// Reads the whole journal, of a program or of an agent.
bool read_whole(StoreCommand& command, RunJournal& journal, int& status) {
  if (!command.open(StoreUse::Existing, status) || !command.read(JournalExtent::Whole, status)) return false;
  auto of_agent = agent_journal(command.store(), command.options().id);
  if (!of_agent) status = complain_of_store(of_agent.error());
  if (!of_agent) return false;
  journal = *of_agent ? **std::move(of_agent) : command.journal();
  return true;
}

int show_log(const JournalRequest& request) {
  if (request.form == ShowForm::Facts) return export_facts(request);
  StoreCommand command(request.store);
  int status = kSuccess;
  RunJournal journal;
  if (!read_whole(command, journal, status)) return status;
  switch (request.form) {
    case ShowForm::Table: std::cout << show_journal(journal, now_millis()); break;
    case ShowForm::Json: std::cout << journal_json(journal) << '\n'; break;
    case ShowForm::Edn: std::cout << journal_edn(journal) << '\n'; break;
    case ShowForm::Facts: break;
  }
  return kSuccess;
}

int show_mission_log(const JournalRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  RunJournal journal;
  if (!read_whole(command, journal, status)) return status;
  const std::string text = mission_log(journal);
  if (text.empty()) std::cerr << "nothing is completed yet\n";
  if (!text.empty()) std::cout << text << '\n';
  return kSuccess;
}

// Returns why nobody is likely to read a value that is put under that id; "" when somebody waits for it, or when the id
// has a value.
std::string reason_not_to_put(StoreCommand& command, const std::string& id) {
  const std::string& run = command.options().id;
  const auto journal = command.store().journal(run, JournalExtent::Whole);
  if (!journal) return "";                       // put() says what is wrong with the store
  const bool has_value = std::ranges::count(journal->tasks, id, &JournalTask::id) > 0;
  const JournalOperation* const signal = signal_operation(*journal, id);
  const bool is_answered = signal != nullptr && (signal->status == "ok" || signal->status == "error");
  if (has_value || is_answered || (signal != nullptr && !journal->is_over)) return "";
  if (const std::string agent = agent_goes_on(command.store(), command.options()); !agent.empty()) return agent;
  if (journal->turn == 0) return "there is no run " + run + " in " + command.options().path + " that waits for " + id;
  if (journal->is_over) return run + " has ended and waits for nothing: nobody waits for " + id;
  std::string names;
  for (const std::string& name : waiting_names(*journal)) names += (names.empty() ? "" : ", ") + name;
  return "nobody waits for " + id + ": " + run + " waits for " + (names.empty() ? "nothing now" : names);
}

// What is put, and what it shall replace, as EDN.
struct PutValues {
  std::string value;
  std::optional<std::string> instead_of;

  bool is_in_file(const JournalRequest& request) const {
    return request.value.starts_with('@') || (request.instead_of && request.instead_of->starts_with('@'));
  }
  bool read(const JournalRequest& request, const ValueBound& bound, std::string& message) {
    auto given = value_argument(request.value, request.is_edn, bound, message);
    if (!given) return false;
    value = *std::move(given);
    if (!request.instead_of) return true;
    instead_of = value_argument(*request.instead_of, request.is_edn, bound, message);
    if (!instead_of) message = "--instead-of: " + message;
    return instead_of.has_value();
  }
};

// A value that a signal waits for is an answer; another one becomes the value of a task.
ValueBound bound_of_put(StoreCommand& command, const std::string& id) {
  const std::string& run = command.options().id;
  const Limits limits = limits_of_run(command.store(), run);
  const auto journal = command.store().journal(run, JournalExtent::Notable);
  const JournalOperation* const signal = journal ? signal_operation(*journal, id) : nullptr;
  const bool is_awaited = signal != nullptr && signal->status.empty();
  return is_awaited ? ValueBound::of_answer(limits) : ValueBound::of_memory(limits);
}

int put(const JournalRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  std::string message;
  const std::string& run = request.store.id;
  PutValues values;
  const bool is_in_file = values.is_in_file(request);
  if (!is_in_file && !values.read(request, ValueBound::of_memory(Limits()), message)) return refuse_input(message);
  // A mistyped path makes no store.
  if (!command.open(request.force ? StoreUse::Create : StoreUse::Existing, status)) return status;
  if (is_in_file && !values.read(request, bound_of_put(command, request.task), message)) return refuse_input(message);
  if (refuses_answers(command.store(), request.store, run)) return kBadInput;
  if (chain::read_confirmation_id(request.task) && is_of_chain(command.store(), run)) return kBadInput;
  if (!request.force && !values.instead_of && !(message = reason_not_to_put(command, request.task)).empty()) {
    return refuse_input(message + "; --force puts the value all the same");
  }
  const auto done = command.store().put(run, request.task, value_of(values.value), command.by(), values.instead_of);
  if (done) return kSuccess;
  if (done.error().code != Errc::already_resolved) return complain_of_store(done.error());
  return refuse_input("already_resolved: " + done.error().message);
}

int reset(const JournalRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status) || !command.read(JournalExtent::Notable, status)) return status;
  const std::string& run = request.store.id;
  const auto done = command.store().reset_task(run, request.task, request.reason, command.by());
  if (done) return kSuccess;
  if (done.error().detail == "no_task") return refuse_input("there is no task " + request.task + " in " + run);
  if (done.error().detail == "needs_reason") {
    return refuse_input("the calls of " + request.task +
                        " had effects, which stay; say why it has to be done again: --reason TEXT");
  }
  if (done.error().code != Errc::busy) return complain_of_store(done.error());
  return complain_of_busy(run + " is being executed");
}

int import_facts(const JournalRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  std::string message;
  const auto text = read_file(request.file, message, {FileBound().most_bytes, "a log"});
  if (!text) return refuse_input(message);
  // First into a store that nobody sees: a file that is refused makes no store.
  const auto readable = Store::in_memory().import_log(request.store.id, *text);
  if (!readable && readable.error().code == Errc::invalid_value) {
    const std::string problem = json_lines_problem(*text);
    return refuse_input(request.file + (problem.empty() ? ": " + readable.error().message : " is no JSON: " + problem));
  }
  if (!command.open(StoreUse::Create, status)) return status;
  const auto done = command.store().import_log(request.store.id, *text);
  if (done) return kSuccess;
  return done.error().code == Errc::store_failed ? complain_of_store(done.error()) : refuse_input(done.error().message);
}

}  // namespace

void add_journal_command(CLI::App& app, int& status) {
  auto* journal = app.add_subcommand("journal", "What the log of a run says, and what others say to it");
  journal->require_subcommand(1);
  journal->footer(kJournalExamples);
  auto request = std::make_shared<JournalRequest>();
  const auto add = [&](const char* name, const char* what, int (*action)(const JournalRequest&)) {
    auto* command = journal->add_subcommand(name, what);
    declare_sealed_store(*command, request->store);
    declare_run_id(*command, request->store);
    command->footer(kJournalExamples);
    command->callback([request, action, &status] { status = action(*request); });
    return command;
  };

  auto* shown = add("show", "Tasks, calls with effects and operations", show_log);
  shown->add_flag_callback("--json", [request] { request->form = ShowForm::Json; }, "Print one JSON object");
  shown->add_flag_callback("--edn", [request] { request->form = ShowForm::Edn; }, "The journal alone, {\"id\" value}");
  shown->add_flag_callback("--facts", [request] { request->form = ShowForm::Facts; }, "Every fact, a line of JSON");

  auto* putting = add("put", "Put a value under an id, from outside", put);
  putting->add_option("NAME", request->task, "The id: of a task or a signal")->required();
  putting->add_option("VALUE", request->value, "JSON, or @ and a file of it")->required();
  putting->add_option("--instead-of", request->instead_of, "Only if that is the value now: it is replaced")
      ->type_name("VALUE");
  putting->add_flag("--edn", request->is_edn, "Values are EDN");
  putting->add_flag("--force", request->force, "Put the value although no run waits for it: it is there when one does");
  declare_author(*putting, request->store);

  auto* resetting = add("reset", "Have a task done again; its old value stays in the log", reset);
  resetting->add_option("TASK", request->task, "The id of the task")->required();
  resetting->add_option("--reason", request->reason, "Why; needed when its calls had effects")->type_name("TEXT");
  declare_author(*resetting, request->store);

  add("log", "The mission log: what is completed, for a model or a person", show_mission_log);
  add("export", "Write every fact as a line of JSON", export_facts);
  auto* importing = add("import", "Read what export wrote, as a run that is not there yet", import_facts);
  importing->add_option("FILE", request->file, "Lines of JSON; - is standard input")->required();
}

}  // namespace ptcvm::cli
