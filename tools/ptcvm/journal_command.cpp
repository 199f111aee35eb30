// ptcvm journal: what the log of a run says, and what others say to it.
#include <iostream>

#include "runtime/engine/clock.h"
#include "runtime/log/fact_json.h"
#include "runtime/log/log_writer.h"
#include "runtime/text/mission_log.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/files.h"
#include "tools/ptcvm/journal_import.h"
#include "tools/ptcvm/journal_show.h"
#include "tools/ptcvm/store_options.h"
#include "tools/ptcvm/terminal.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kJournalExamples = R"(Examples:
  ptcvm journal show --store runs.db may
  ptcvm journal log --store runs.db may
  ptcvm journal put --store runs.db may manager_decision_bob_5000 '"approved"' --by manager
  ptcvm journal reset --store runs.db may pay_bob --reason 'refunded on the phone'
  ptcvm journal export --store runs.db may > may.jsonl
  ptcvm journal import --store other.db may may.jsonl

A value that is put stands under its id as if a task had come to it: (task id …) has it, and a program that waits for
the signal of that name, (await-signal id), goes on with it. The first value of an id stays; --instead-of replaces a
value that came from outside, if it is still that one.)";

enum class ShowForm { Table, Json, Edn, Facts };

struct JournalRequest {
  StoreOptions store;
  std::string task, value, reason, file;
  std::optional<std::string> instead_of;
  bool is_edn = false;
  ShowForm form = ShowForm::Table;
};

int export_facts(const JournalRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status) || !command.read_notable(status)) return status;
  const auto write = [](const ptc::Fact& fact) { std::cout << ptc::fact_json(fact) << '\n'; };
  const auto error = ptc::visit_facts(command.store(), request.store.id, 0, write);
  return error ? complain_of_store(*error) : kSuccess;
}

int show_log(const JournalRequest& request) {
  if (request.form == ShowForm::Facts) return export_facts(request);
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status) || !command.read_log(status)) return status;
  switch (request.form) {
    case ShowForm::Table: std::cout << show_journal(command.log(), ptc::system_millis()); break;
    case ShowForm::Json: std::cout << journal_json(request.store.id, command.log()) << '\n'; break;
    case ShowForm::Edn: std::cout << journal_edn(command.log()) << '\n'; break;
    case ShowForm::Facts: break;
  }
  return kSuccess;
}

int mission_log(const JournalRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status) || !command.read_log(status)) return status;
  const std::string text = ptc::render_mission_log(command.log().tasks());
  if (text.empty()) std::cerr << "nothing is completed yet\n";
  if (!text.empty()) std::cout << text << '\n';
  return kSuccess;
}

int put(const JournalRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  std::string message;
  auto value = value_argument(request.value, request.is_edn, message);
  if (!value) return refuse_input(message);
  std::optional<std::string> instead_of;
  if (request.instead_of && !(instead_of = value_argument(*request.instead_of, request.is_edn, message))) {
    return refuse_input("--instead-of: " + message);
  }
  if (!command.open(StoreUse::Create, status)) return status;
  auto result =
      ptc::put_external(command.store(), request.store.id, request.task, *value, instead_of, command.said());
  if (const auto* error = std::get_if<ptc::StoreError>(&result)) return complain_of_store(*error);
  const ptc::ExternalPut& done = std::get<ptc::ExternalPut>(result);
  if (done.is_written || (done.held && done.held->value_edn == *value)) return kSuccess;
  if (!done.held) return refuse_input(request.task + " has no value that could be replaced");
  return refuse_input(request.task + " is " + done.held->value_edn + " already, " +
                      (done.held->source.empty() ? "the program came to it" : "said by " + done.held->source));
}

int reset(const JournalRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status) || !command.read_notable(status)) return status;
  auto result =
      ptc::reset_task(command.store(), request.store.id, request.task, request.reason, command.said());
  if (const auto* error = std::get_if<ptc::StoreError>(&result)) return complain_of_store(*error);
  switch (std::get<ptc::TaskResetEnd>(result)) {
    case ptc::TaskResetEnd::Done: return kSuccess;
    case ptc::TaskResetEnd::NoTask: return refuse_input("there is no task " + request.task + " in " + request.store.id);
    case ptc::TaskResetEnd::NeedsReason:
      return refuse_input("the calls of " + request.task +
                          " had effects, which stay; say why it has to be done again: --reason TEXT");
    case ptc::TaskResetEnd::Busy: break;
  }
  complain(request.store.id + " is being executed");
  return kBusy;
}

int import_facts(const JournalRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  std::string message;
  const auto text = read_file(request.file, message);
  if (!text) return refuse_input(message);
  const auto facts = read_facts(*text, message);
  if (!facts) return refuse_input(request.file + ": " + message);
  if (!command.open(StoreUse::Create, status)) return status;
  return import_log(command.store(), request.store.id, *facts);
}

}  // namespace

void add_journal_command(CLI::App& app, int& status) {
  auto* journal = app.add_subcommand("journal", "What the log of a run says, and what others say to it");
  journal->require_subcommand(1);
  journal->footer(kJournalExamples);
  auto request = std::make_shared<JournalRequest>();
  const auto add = [&](const char* name, const char* what, int (*action)(const JournalRequest&)) {
    auto* command = journal->add_subcommand(name, what);
    declare_default_store(*command, request->store);
    declare_run_id(*command, request->store);
    command->footer(kJournalExamples);
    command->callback([request, action, &status] { status = action(*request); });
    return command;
  };

  auto* shown = add("show", "Tasks, calls with effects and operations", show_log);
  auto* forms = shown->add_option_group("form");
  forms->add_flag_callback("--json", [request] { request->form = ShowForm::Json; }, "As one JSON object");
  forms->add_flag_callback("--edn", [request] { request->form = ShowForm::Edn; }, "The journal alone, {\"id\" value}");
  forms->add_flag_callback("--facts", [request] { request->form = ShowForm::Facts; }, "Every fact, a line of JSON");
  forms->require_option(0, 1);

  auto* putting = add("put", "Put a value under an id, from outside", put);
  putting->add_option("NAME", request->task, "The id: of a task or a signal")->required();
  putting->add_option("VALUE", request->value, "JSON, or @ and a file of it")->required();
  putting->add_option("--instead-of", request->instead_of, "Only if that is the value now: it is replaced")
      ->type_name("VALUE");
  putting->add_flag("--edn", request->is_edn, "Values are EDN");
  declare_author(*putting, request->store);

  auto* resetting = add("reset", "Have a task done again; what it came to stays in the log", reset);
  resetting->add_option("TASK", request->task, "The id of the task")->required();
  resetting->add_option("--reason", request->reason, "Why; needed when its calls had effects")->type_name("TEXT");
  declare_author(*resetting, request->store);

  add("log", "The mission log: what is completed, for a model or a person", mission_log);
  add("export", "Write every fact as a line of JSON", export_facts);
  auto* importing = add("import", "Read what export wrote, as a run that is not there yet", import_facts);
  importing->add_option("FILE", request->file, "Lines of JSON; - is standard input")->required();
}

}  // namespace ptcvm::cli
