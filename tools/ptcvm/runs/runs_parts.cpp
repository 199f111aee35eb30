// ptcvm runs cancel and ptcvm runs retry: runs that a queue has.
#include <iostream>
#include <memory>

#include "agents/loop/stored_agent.h"
#include "ptcvm/queues.hpp"
#include "tools/ptcvm/chain/chain_job.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {
namespace {

constexpr char kFailedBefore[] = "dependency_failed";

struct RunOrder {
  StoreOptions store;
  std::string reason;
};

// What a command says when a store refuses what it was told.
int refuse(const RunOrder& order, const Error& error) {
  if (error.detail == "store_missing") {
    return refuse_input("no queue has a run " + order.store.id + "; `ptcvm runs` lists runs and their queues");
  }
  return complain_of_store(error);
}

int cancel(const RunOrder& order) {
  StoreCommand command(order.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status)) return status;
  const auto told = cancel_queued(command.store(), order.store.id, order.store.tenant, order.reason, command.by());
  if (!told) return refuse(order, told.error());
  const auto queued = queued_run(command.store(), order.store.id);
  const bool is_over = queued && *queued && (*queued)->state == "dead";
  const char* const done = is_over ? " is cancelled\n" : " is told to end\n";
  std::cout << order.store.id << (*told ? done : " is over, or was told before\n");
  return kSuccess;
}

// Says why nothing is retried.
int refuse_retry(const std::string& run, const QueuedRunStatus& queued) {
  const std::string none = "nothing is retried: " + run + " is " + queued.state;
  if (queued.state == kFailedBefore) return refuse_input(none + ", because " + queued.reason + "; retry that run");
  return refuse_input(none + "; what is dead, quarantined or on a timer can be retried");
}

int retry(const RunOrder& order) {
  StoreCommand command(order.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status)) return status;
  const std::string& run = order.store.id;
  const auto known = command.store().find(run);
  const auto agent = loop::StoredAgent::stored_definition(command.store(), run);
  if (agent && *agent && known && *known && (*known)->state == StoredState::Ended) {
    return refuse_input("the agent " + run + " has ended: `ptcvm agent fork` goes on from one of its turns");
  }
  if (known && *known && (*known)->state == StoredState::Ended && is_chain_job(command.store(), run)) {
    return refuse_input("the task " + run + " has ended: ptcvm chain report shows how; enqueue another one");
  }
  const auto told = retry_queued(command.store(), run, order.store.tenant);
  if (!told) return refuse(order, told.error());
  const auto queued = queued_run(command.store(), run);
  const QueuedRunStatus now = queued && *queued ? **queued : QueuedRunStatus();
  if (!*told) return refuse_retry(run, now);
  const bool has_blockers = now.state == "blocked" || now.state == kFailedBefore;
  std::cout << run << " is " << (has_blockers ? now.state : "ready") << " again\n";
  return kSuccess;
}

std::shared_ptr<RunOrder> declare_order(CLI::App& command) {
  auto order = std::make_shared<RunOrder>();
  declare_run_id(command, order->store);
  declare_sealed_store(command, order->store);
  return order;
}

}  // namespace

void add_runs_parts(CLI::App& runs, int& status) {
  CLI::App* const ends = runs.add_subcommand("cancel", "Tell a run of a queue to end");
  const auto cancelled = declare_order(*ends);
  ends->add_option("--reason", cancelled->reason, "Why, for the log")->required();
  declare_author(*ends, cancelled->store);
  ends->footer("Examples:\n  ptcvm runs cancel order-17 --reason 'the customer called' --store runs.db\n\n"
               "The log keeps the reason. A run that nobody executes is over at once, whatever tools it needs. A run "
               "that is\nexecuted hears of it with the next heartbeat of its worker, and ends with the fault "
               "\"cancelled\".");
  ends->callback([cancelled, &status] { status = cancel(*cancelled); });

  CLI::App* const again = runs.add_subcommand("retry", "Make a run of a queue ready that failed or was set aside");
  const auto retried = declare_order(*again);
  again->footer("Examples:\n  ptcvm runs retry order-17 --store runs.db\n\n"
                "For runs that are dead, quarantined, or to be tried again later. Attempts are counted anew. A run "
               "that comes\nafter runs that are not done is blocked again.");
  again->callback([retried, &status] { status = retry(*retried); });
}

}  // namespace ptcvm::cli
