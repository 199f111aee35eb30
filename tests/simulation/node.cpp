#include "tests/simulation/node.h"

#include <utility>

namespace ptcvm::simulation {
namespace {

constexpr std::int64_t kPollMs = 400, kRescueMs = 1'000;

WorkerOptions worker_options(const std::string& name) {
  WorkerOptions out;
  out.name = name;
  out.queues = {{"q"}};
  out.threads = 2;
  out.lease = std::chrono::milliseconds(kLeaseMs);
  out.poll = std::chrono::milliseconds(0);               // nobody waits by a real clock
  out.slice_fuel = 300;
  out.turn_fuel = 2'000;
  out.first_retry = std::chrono::milliseconds(1'000);
  out.longest_retry = std::chrono::milliseconds(10'000);
  return out;
}

}  // namespace

Node::Node(Flows& flows, Server& server, Story& story, const Faults& faults, const Engine& engine, const Tools& tools,
           const std::string& name)
    : flows_(flows), story_(story) {
  process_.name = name;
  process_.wall_offset_ms = kStartMs + flows.below(120'000) - 60'000;   // a minute off, either way
  process_.boot_offset_ms = flows.below(1'000'000);
  auto network = std::make_unique<Network>(flows, server, story, faults, process_);
  std::vector<std::string> names;
  for (const ToolInfo& tool : tools.list()) names.push_back(tool.name);
  network->set_tools(std::move(names));
  queue_ = network->queue();
  const ptc::NodeTime time{[this] { return wall(); }, [this] { return flows_.now() + process_.boot_offset_ms; },
                           [this](std::int64_t ms) { flows_.sleep(ms); }};
  worker_ = std::make_unique<Worker::Impl>(engine, StoreAccess::made(std::move(network)), tools, worker_options(name),
                                           time);
  worker_->random.seed(flows.random()());
}

void Node::flow(std::function<void()> body) {
  flows_.spawn(std::move(body), [this] { return process_.is_dead ? 0 : process_.asleep_until_ms; });
}

void Node::start() {
  flow([this] { claim_until_over(); });
  flow([this] { beat_until_over(); });
}

void Node::kill() {
  story_.tell(flows_.now(), "", process_.name + " is killed");
  process_.is_dead = true;
  worker_->is_draining = true;                           // so that its flows end; nothing they do gets anywhere
}

void Node::drain() {
  story_.tell(flows_.now(), "", process_.name + " is told to stop");
  worker_->stop(false);
  worker_->park_all();
}

void Node::claim_until_over() {
  while (!process_.is_dead && worker_->join()) flows_.sleep(kPollMs);
  story_.tell(flows_.now(), "", process_.name + " has the number " + std::to_string(worker_->node));
  while (!process_.is_dead && !worker_->is_draining) {
    if (worker_->is_lost) {
      if (is_idle()) (void)worker_->join_again();
    } else {
      (void)worker_->claim();
      execute_ready();
    }
    flows_.sleep(kPollMs);
  }
  while (!process_.is_dead && !is_idle()) flows_.sleep(kPollMs);
  if (process_.is_dead) return;
  (void)queue_->leave(worker_->node, wall());
  process_.is_dead = true;
}

void Node::execute_ready() {
  while (!worker_->ready.empty()) {
    Worker::Impl::Taken taken = std::move(worker_->ready.front());
    worker_->ready.pop_front();
    ++worker_->busy;
    flow([this, taken = std::move(taken)] {
      worker_->execute(taken, nullptr);
      --worker_->busy;
      --worker_->running_of[taken.queue];
    });
  }
}

// Fires what is due of schedules: the first node that comes fires a moment.
void Node::fire() {
  const auto known = queue_->schedules();
  const auto* const rows = std::get_if<std::vector<ptc::ScheduleRow>>(&known);
  for (const ptc::ScheduleRow& row : rows == nullptr ? std::vector<ptc::ScheduleRow>() : *rows) {
    if (row.next_ms > flows_.now()) continue;
    ptc::Job job = row.job;
    job.log = row.name + "/" + std::to_string(row.next_ms);
    (void)queue_->fire(row.name, {row.next_ms, row.next_ms, row.next_ms + 10'000}, {&job, 1}, wall());
  }
}

void Node::beat_until_over() {
  for (std::int64_t looks = 1; !process_.is_dead; ++looks) {
    flows_.sleep(kRescueMs);
    if (process_.is_dead || worker_->node == 0) continue;
    if (looks % (kLeaseMs / 3 / kRescueMs) == 0) worker_->beat();
    if (!worker_->is_stopping()) worker_->rescue();
    if (looks % 5 == 0) fire();
  }
}

}  // namespace ptcvm::simulation
