// ptcvm chain: tasks that a model plans and tools carry out, one function for each subcommand.
#include <boost/json/serialize.hpp>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>

#include "tools/ptcvm/calls/tool_errors.h"
#include "tools/ptcvm/chain/chain_job.h"
#include "tools/ptcvm/chain/chain_session.h"
#include "tools/ptcvm/chain/chain_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr const char* kChainExamples = R"(Examples:
  ptcvm chain plan 'Tidy this folder' --tools tools.json --model chat:gpt-4.1
  ptcvm chain run 'Tidy this folder' --tools tools.json --model scripted:replies.jsonl
  ptcvm chain run 'Tidy this folder' --tools tools.json --model chat:gpt-4.1 --store tasks.db --id tidy
  ptcvm chain answer --store tasks.db --id tidy move yes
  ptcvm chain show --store tasks.db --id tidy
  ptcvm chain report --store tasks.db --id tidy --output html > report.html
  ptcvm chain feedback --store tasks.db --id tidy 'rating=positive; comment=quick'
  ptcvm chain replan --store tasks.db --id tidy 'leave the notes where they are'
  ptcvm chain facts --store tasks.db 'The user prefers pnpm'
  ptcvm chain replay --store tasks.db --id tidy
  ptcvm chain export --store tasks.db --out tasks.jsonl
  ptcvm chain approvals --store tasks.db --revoke fs_write:/home/ann/Documents

Standard output has the report. Exit status: 0 the task succeeded, 1 it did not, 75 it waits for a person. Standard
error then says how to answer.)";

int run_task(const ChainArguments& arguments) {
  std::string message;
  auto setup = ChainSetup::of(arguments, message);
  if (!setup) return refuse_input(message);
  if (!setup->options("task", message)) return refuse_input(message);
  const bool is_kept = !arguments.store.path.empty();
  int status = kSuccess;
  auto store = is_kept ? open_store(arguments.store, StoreUse::Create, message, status)
                       : std::optional(Store::in_memory());
  if (!store) complain(message);
  if (!store) return status;
  const std::string id = is_kept ? arguments.store.id : "task";
  const auto job = chain_job(*store, id);
  if (!job) return complain_of_store(job.error());
  if (*job) return refuse_input("the task " + id + " is a job of a queue: workers execute it; see ptcvm chain show");
  const auto kept = kept_setup(*store, id);
  if (!kept) return complain_of_store(kept.error());
  if (*kept && (*kept)->input != setup->input) {
    return refuse_input("the store has a task " + id + " with another text: " + (*kept)->input);
  }
  if (*kept && !arguments.limits.empty() && (*kept)->money.most != setup->money.most) {
    return refuse_input("the task " + id + " was begun with another limit of money; " +
                        "ptcvm chain replan --raise adds to it");
  }
  if (!*kept) {
    if (auto written = keep_setup(*store, id, *setup); !written) return complain_of_store(written.error());
  }
  ChainSession session(arguments, *store);
  if (const int opened = session.open(*kept ? **kept : *setup, is_kept); opened != kSuccess) return opened;
  return session.report(session.drive());
}

std::string dependencies_of(const json::object& step) {
  std::string text;
  for (const json::value& on : step.at("dependsOn").as_array()) {
    text += (text.empty() ? " after " : ", ") + std::string(on.as_string());
  }
  return text;
}

void show_plan(const json::array& plan) {
  std::ostringstream out;
  for (const json::value& value : plan) {
    const json::object& step = value.as_object();
    out << std::string(step.at("id").as_string()) << dependencies_of(step) << ": "
              << std::string(step.at("description").as_string());
    if (const json::value* const tool = step.if_contains("tool")) {
      const json::value* const args = step.if_contains("args");
      out << "\n    " << std::string(tool->as_string()) << ' '
                << (args == nullptr ? "{}" : json::serialize(*args));
    }
    out << "\n    risk " << std::string(step.at("riskLevel").as_string())
              << (step.at("requiresConfirmation").as_bool() ? ", asks first" : "") << '\n';
  }
  std::cout << harmless_text(out.str());
}

// Asks the model for the plan, and begins no step.
int plan_task(const ChainArguments& arguments) {
  std::string message;
  const auto setup = ChainSetup::of(arguments, message);
  if (!setup) return refuse_input(message);
  const Store store = Store::in_memory();
  ChainSession session(arguments, store);
  if (const int opened = session.open(*setup, false); opened != kSuccess) return opened;
  const auto end = session.drive([&] { return !session.run().plan_program().empty(); });
  const json::array plan = session.run().plan();
  if (plan.empty()) return session.report(end);
  if (arguments.program) {
    std::cout << session.run().plan_program();
  } else if (arguments.output == "json") {
    std::cout << json::serialize(json::object{{"steps", plan}}) << '\n';
  } else {
    show_plan(plan);
  }
  return kSuccess;
}

}  // namespace

void add_chain_command(CLI::App& app, int& status) {
  auto* const chain = app.add_subcommand("chain", "Tasks: a model plans, tools carry out, people confirm");
  chain->require_subcommand(1);
  chain->footer(kChainExamples);

  auto* const run = chain->add_subcommand("run", "Plan a task and carry it out");
  auto run_arguments = std::make_shared<ChainArguments>();
  declare_chain_task(*run, *run_arguments);
  declare_chain_model(*run, *run_arguments)->required();
  declare_sealed_store(*run, run_arguments->store);
  declare_new_run_id(*run, run_arguments->store, "The name of the task");
  declare_chain_progress(*run, *run_arguments);
  declare_chain_output(*run, *run_arguments);
  run->callback([run_arguments, &status] { status = run_task(*run_arguments); });

  auto* const plan = chain->add_subcommand("plan", "Show the plan of a task, and begin nothing");
  auto plan_arguments = std::make_shared<ChainArguments>();
  declare_chain_task(*plan, *plan_arguments);
  declare_chain_model(*plan, *plan_arguments)->required();
  plan->add_option("--output", plan_arguments->output, "text, or json: the plan as a planner writes it")
      ->check(CLI::IsMember({"text", "json"}));
  plan->add_flag("--program", plan_arguments->program, "Shows the program that the plan becomes");
  plan->callback([plan_arguments, &status] { status = plan_task(*plan_arguments); });

  add_chain_answer(*chain, status);
  add_chain_show(*chain, status);
  add_chain_report(*chain, status);
  add_chain_cost(*chain, status);
  add_chain_feedback(*chain, status);
  add_chain_replan(*chain, status);
  add_chain_list(*chain, status);
  add_chain_replay(*chain, status);
  add_chain_export(*chain, status);
  add_chain_import(*chain, status);
  add_chain_approvals(*chain, status);
  add_chain_facts(*chain, status);
}

}  // namespace ptcvm::cli
