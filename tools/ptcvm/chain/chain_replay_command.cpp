// ptcvm chain replay: runs a task again against its own log, as it was, or with another plan or another strategy.
#include <boost/json.hpp>
#include <cstdio>
#include <iostream>
#include <memory>

#include "agents/chain/memory/task_replay.h"
#include "tools/ptcvm/chain/chain_session.h"
#include "tools/ptcvm/chain/chain_setup.h"
#include "tools/ptcvm/chain/chain_stored_commands.h"
#include "tools/ptcvm/chain/chain_strategy.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/bounded_file.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr const char* kReplayExamples = R"(Examples:
  ptcvm chain replay --store tasks.db --id tidy
  ptcvm chain replay --store tasks.db --id tidy --plan other-plan.json
  ptcvm chain replay --store tasks.db --id tidy --strategy stricter.json

Nobody is asked and nothing is called: models, tools and people answer what the log of the task has. Each thing that the
replay wants and that the log does not have is a miss, which is named. The store stays as it is. Exit status: 0 when
there was no miss, and, without --plan and --strategy, the report came out the same; else 1.)";

struct ReplayArguments {
  ChainArguments chain;
  std::string plan, strategy;
};

json::object replay_json(const chain::TaskReplay& replay) {
  json::array misses, unused;
  for (const chain::ReplayMiss& miss : replay.misses) {
    misses.push_back(json::object{{"what", miss.what}, {"step", miss.step}, {"detail", miss.detail}});
  }
  for (const std::string& task : replay.unused) unused.emplace_back(task);
  return {{"same", replay.is_same},
          {"misses", std::move(misses)},
          {"unused", std::move(unused)},
          {"score", chain::replay_score(replay)},
          {"report", replay.report}};
}

void show_replay(const chain::TaskReplay& replay) {
  std::cout << (replay.is_same ? "the same report as in the log" : "another report than in the log") << '\n';
  std::cout << "  " << std::string(replay.report.at("summary").as_string()) << '\n';
  for (const chain::ReplayMiss& miss : replay.misses) {
    std::cout << "miss: " << miss.what << (miss.step.empty() ? "" : " at " + miss.step) << ": " << miss.detail << '\n';
  }
  for (const std::string& task : replay.unused) std::cout << "not made: " << task << '\n';
  char score[16];
  std::snprintf(score, sizeof score, "%.2f", chain::replay_score(replay));
  std::cout << "score " << score << '\n';
}

// Returns nullopt after a message; `status` is then what the command ends with.
std::optional<ChainSetup> changed_setup(const Store& store, const ReplayArguments& arguments, int& status) {
  const std::string& id = arguments.chain.store.id;
  auto kept = kept_setup(store, id);
  if (!kept) status = complain_of_store(kept.error());
  if (!kept) return std::nullopt;
  if (!*kept) status = refuse_input("the store has no task " + id + "; see ptcvm chain list");
  if (!*kept) return std::nullopt;
  ChainSetup setup = **std::move(kept);
  if (arguments.strategy.empty()) return setup;
  std::string message;
  auto strategy = read_strategy(arguments.strategy, setup.tool_names(), message);
  if (!strategy) status = refuse_input(message);
  if (!strategy) return std::nullopt;
  setup.strategy = *std::move(strategy);
  return setup;
}

int replay_of(const ReplayArguments& arguments) {
  std::string message;
  int status = kSuccess;
  const auto store = open_store(arguments.chain.store, StoreUse::Existing, message, status);
  if (!store) complain(message);
  if (!store) return status;
  const auto setup = changed_setup(*store, arguments, status);
  if (!setup) return status;
  std::optional<std::string> plan = std::string();
  if (!arguments.plan.empty()) plan = read_file(arguments.plan, message, kPlanFile);
  auto options = plan ? setup->options(arguments.chain.store.id, message) : std::nullopt;
  if (!options) return refuse_input(message);
  options->policy.has_person = true;
  options->context = {};   // planners are not asked
  const auto approved = approved_signatures(*store, arguments.chain.store);
  if (!approved) return complain_of_store(approved.error());
  options->policy.approved_signatures = *approved;
  const Engine engine;
  const auto replay = chain::replay_task(engine, *store, *std::move(options), *plan);
  if (!replay) {
    return replay.error().code == Errc::wrong_state ? refuse_input(replay.error().message)
                                                    : complain_of_store(replay.error());
  }
  if (arguments.chain.output == "json") {
    std::cout << json::serialize(replay_json(*replay)) << '\n';
  } else {
    show_replay(*replay);
  }
  const bool is_changed = !arguments.plan.empty() || !arguments.strategy.empty();
  return replay->misses.empty() && (is_changed || replay->is_same) ? kSuccess : kProgramFailed;
}

}  // namespace

void add_chain_replay(CLI::App& chain, int& status) {
  auto* const command = chain.add_subcommand("replay", "Run a task that has ended again, against its own log");
  auto arguments = std::make_shared<ReplayArguments>();
  declare_chain_store(*command, arguments->chain);
  command->add_option("--plan", arguments->plan, "What the planner says in the first revision, a file")
      ->type_name("FILE");
  command->add_option("--strategy", arguments->strategy, "Another strategy, a file of JSON")->type_name("FILE");
  command->add_option("--output", arguments->chain.output, "text, or json")->check(CLI::IsMember({"text", "json"}));
  command->footer(kReplayExamples);
  command->callback([arguments, &status] { status = replay_of(*arguments); });
}

}  // namespace ptcvm::cli
