// ptcvm progress: the checklist of a run's plan.
#include <iostream>
#include <utility>
#include <vector>

#include "ptcvm/host_log.hpp"
#include "ptcvm/snapshot_view.hpp"
#include "runtime/text/json_text.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kProgressExamples = R"(Examples:
  ptcvm run order.ptc --store runs.db --id may --plan plan.edn
  ptcvm progress --store runs.db may

The plan is an EDN vector: ["Charge card" "Ship item"], with the ids 1, 2 …, or [["charge" "Charge card"] …]. Steps are
done when a turn that called (step-done id summary) has ended well; the steps of a turn that waits are shown below.)";

struct ProgressRequest {
  StoreOptions store;
  bool json = false;
};

void append_pair(std::string& out, std::string_view id, std::string_view name, std::string_view text) {
  out += "{\"id\":";
  ptc::append_json_string(out, id);
  out.append(",\"").append(name).append("\":");
  ptc::append_json_string(out, text);
  out += '}';
}

using Steps = std::vector<std::pair<std::string, std::string>>;

// Returns the steps that a turn has reported that is parked: they count when the turn has ended well.
Steps steps_of_parked_turn(const Store& store, const std::string& run) {
  const auto parked = HostLog::of(store, run).parked();
  if (!parked || !*parked || (*parked)->snapshot.empty()) return {};
  const Engine engine;
  const auto view = SnapshotView::open(engine, (*parked)->snapshot);
  return view ? view->summaries() : Steps();
}

std::string progress_json(const RunJournal& journal, const Steps& reported) {
  std::string out = "{\"plan\":[";
  for (const JournalStep& step : journal.plan) {
    if (&step != &journal.plan.front()) out += ',';
    append_pair(out, step.id, "description", step.description);
  }
  out += "],\"summaries\":[";
  for (const auto& one : journal.summaries) {
    if (&one != &journal.summaries.front()) out += ',';
    append_pair(out, one.first, "summary", one.second);
  }
  out += "],\"reported\":[";
  for (const auto& one : reported) {
    if (&one != &reported.front()) out += ',';
    append_pair(out, one.first, "summary", one.second);
  }
  return out + "]}";
}

int show_plan(const ProgressRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status) || !command.read(JournalExtent::Notable, status)) return status;
  const RunJournal& journal = command.journal();
  const Steps reported = steps_of_parked_turn(command.store(), request.store.id);
  if (request.json) {
    std::cout << progress_json(journal, reported) << '\n';
    return kSuccess;
  }
  if (journal.plan.empty()) {
    std::cerr << "the run has no plan\n";
    for (const auto& [id, summary] : journal.summaries) std::cout << "- [x] " << id << ": " << summary << '\n';
  } else {
    std::cout << checklist(journal) << '\n';
  }
  if (reported.empty()) return kSuccess;
  std::cout << "\n### Reported by the Turn That Waits (done when the turn has ended well)\n";
  for (const auto& [id, summary] : reported) std::cout << "- [~] " << id << ": " << summary << '\n';
  return kSuccess;
}

}  // namespace

void add_progress_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("progress", "Show the plan of a run in a store as a checklist");
  auto request = std::make_shared<ProgressRequest>();
  declare_sealed_store(*command, request->store);
  declare_run_id(*command, request->store);
  command->add_flag("--json", request->json, "Print JSON");
  command->footer(kProgressExamples);
  command->callback([request, &status] { status = show_plan(*request); });
}

}  // namespace ptcvm::cli
