// Random calls on two stores: what one answers, the other one answers.
#include <random>
#include <sstream>

#include "runtime/log/run_queue.h"
#include "tests/store/queue_conformance.h"
#include "tests/store/store_facts.h"

namespace ptc {
namespace {

template <class T>
std::string shown(const StoreResult<T>& result, const auto& show) {
  if (const auto* error = std::get_if<StoreError>(&result)) return std::string(store_error_name(error->kind));
  return show(std::get<T>(result));
}

std::string shown(const JobRow& job) {
  std::ostringstream out;
  out << job.log << ' ' << job.queue << ' ' << job.tenant << ' ' << job_state_name(job.state) << " p" << job.priority
      << " f" << job.format << " c" << job.crashes << " a" << job.attempts << '/' << job.most_attempts << " pass"
      << job.pass << " at" << job.at_ms << " n" << job.node << " t" << job.token << " h" << job.crash_head << ' '
      << job.reason << (job.is_cancelled ? " cancelled" : "") << " b" << job.blockers;
  for (const std::string& need : job.needs) out << " +" << need;
  return out.str();
}

std::string shown(const std::vector<ClaimedRun>& runs) {
  std::string out;
  for (const ClaimedRun& run : runs) {
    out += run.log + ':' + std::to_string(run.token) + ':' + std::to_string(run.attempts) +
           (run.wake_ms ? 'w' + std::to_string(*run.wake_ms) : "") + (run.is_cancelled ? "c " : " ");
  }
  return out;
}

std::string shown(const Opening& opening) {
  std::ostringstream out;
  out << opening.head << " notable";
  for (const Fact& fact : opening.notable) out << ' ' << fact.seq << '/' << fact_name(fact.kind);
  for (const Fact& fact : opening.open_calls) out << " open " << fact.seq << '/' << fact.idempotency_key;
  for (const Fact& fact : opening.later) out << " later " << fact.seq;
  if (!opening.parked) return out.str() + '\n';
  out << ' ' << opening.parked->continuation << ' ' << opening.parked->snapshot.size();
  for (const std::string& key : opening.parked->wait_keys) out << ' ' << key;
  out << " observed " << opening.parked->observed_seq << " until " << opening.parked->deadline_ms.value_or(-1);
  return out.str() + '\n';
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

// The same random walk on any store.
class Walk {
 public:
  Walk(FactStore& store, unsigned seed) : store_(store), random_(seed) {}

  std::string step() {
    now_ += below(3'000);
    switch (below(18)) {
      case 0: return join();
      case 1: return "beat " + beat();
      case 2: return "enqueue " + enqueue();
      case 3: return "enqueue " + enqueue();
      case 4: return "limit " + limit();
      case 5: return "rescue " + shown<std::vector<std::string>>(queue().rescue(1 + below(3), now_), joined);
      case 6: return "cancel " + shown<bool>(queue().cancel(log(), tenant(), "why", "who", now_), yes_or_no);
      case 7: return "retry " + shown<bool>(queue().retry(log(), tenant(), now_), yes_or_no);
      case 8: return "put " + put();
      case 9: return "leave " + leave();
      case 10: return "finish " + finish();
      case 11: return "finish " + finish();
      case 12: return "prune " + shown<std::vector<std::string>>(
                   queue().prune(below(60'000), below(2) == 0, 1 + below(3), now_), joined);
      case 13: return "fire " + fire();
      case 14: return "end elsewhere " + end_elsewhere();
      default: return "claim " + claim();
    }
  }
  // Everything that the store says about jobs and queues.
  std::string all() {
    std::string out = std::exchange(openings_, {});
    for (int state = 0; state <= static_cast<int>(JobState::DependencyFailed); ++state) {
      for (const JobRow& job : taken(queue().jobs(static_cast<JobState>(state), 0, 1'000))) out += shown(job) + '\n';
    }
    for (const QueueRow& row : taken(queue().queues())) {
      out += row.name + ' ' + std::to_string(row.tokens) + ' ' + std::to_string(row.filled_ms) + ' ' +
             std::to_string(row.pass) + '\n';
    }
    for (const QueueDepth& depth : taken(queue().depths())) {
      out += depth.queue + ' ' + std::string(job_state_name(depth.state)) + ' ' + std::to_string(depth.count) + ' ' +
             std::to_string(depth.oldest_ms) + '\n';
    }
    for (const ScheduleRow& row : taken(queue().schedules())) {
      out += row.name + ' ' + std::to_string(row.next_ms) + ' ' + std::to_string(row.last_ms) + ' ' +
             std::to_string(row.fired) + '\n';
    }
    for (const NodeRow& node : taken(queue().nodes())) {
      out += std::to_string(node.id) + ' ' + std::to_string(node.until_ms) + (node.has_left ? " gone\n" : "\n");
    }
    return out;
  }

 private:
  RunQueue& queue() { return *store_.queue(); }
  unsigned below(unsigned most) { return static_cast<unsigned>(random_() % most); }
  std::string log() {
    const std::string run = "run" + std::to_string(below(30));
    return below(5) == 0 ? run + '/' + std::to_string(below(2)) : run;
  }
  std::string tenant() { return below(3) == 0 ? "t1" : below(2) == 0 ? "t2" : ""; }
  std::string name() { return below(3) == 0 ? "q2" : "q1"; }
  std::uint64_t node() { return 1 + below(nodes_ + 1); }
  static std::string joined(const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& text : texts) out += text + ' ';
    return out;
  }

  std::string join() {
    NodeInfo node;
    node.name = node.owner = "node";
    node.format = static_cast<std::int32_t>(1 + below(3));
    node.lease_ms = 5'000 + below(20'000);
    ++nodes_;
    return "join " + shown<NodeRow>(queue().join(node, now_),
                                    [](const NodeRow& row) { return std::to_string(row.id); });
  }
  std::string beat() {
    return shown<Heartbeat>(queue().beat(node(), now_), [](const Heartbeat& told) {
      return yes_or_no(told.is_alive) + yes_or_no(told.is_draining) + joined(told.cancelled);
    });
  }
  std::string leave() {
    const std::uint64_t id = node();
    return below(4) == 0 ? shown<bool>(queue().leave(id, now_), yes_or_no) : "no";
  }
  std::string enqueue() {
    std::vector<Job> jobs(1 + below(4));
    for (Job& job : jobs) {
      job.log = log();
      job.queue = name();
      job.tenant = tenant();
      job.priority = static_cast<std::int32_t>(below(3)) - 1;
      if (below(3) == 0) job.needs = {"mail"};
      if (below(3) == 0) job.delay_ms = below(10'000);
      job.most_attempts = static_cast<std::int32_t>(1 + below(3));
      if (below(6) == 0) job.after = {log()};
      job.start = start_fact();
    }
    return shown<std::vector<Enqueued>>(queue().enqueue(jobs, now_), [](const std::vector<Enqueued>& all) {
      std::string out;
      for (const Enqueued& one : all) out += one.is_new ? '+' : '-';
      return out;
    });
  }
  std::string fire() {
    ScheduleRow row;
    row.name = "s" + std::to_string(below(2));
    row.next_ms = kStoreNow + below(3);
    row.job.tenant = tenant();
    row.job.start = start_fact();
    if (below(3) == 0) {
      return shown<std::monostate>(queue().set_schedule(row), [](std::monostate) { return "set"; });
    }
    if (below(6) == 0) return shown<bool>(queue().remove_schedule(row.name, row.job.tenant), yes_or_no);
    Job job = row.job;
    job.log = log();
    const Firing moments{row.next_ms, kStoreNow + below(9), kStoreNow + below(3)};
    return shown<bool>(queue().fire(row.name, moments, {&job, 1}, now_), yes_or_no);
  }
  std::string limit() {
    QueueLimits limits;
    limits.name = name();
    limits.is_paused = below(6) == 0;
    if (below(2) == 0) limits.slots = below(6);
    if (below(2) == 0) limits.tenant_slots = 1 + below(3);
    if (below(3) == 0) limits.starts_per_hour = 360 + below(7'200);
    limits.burst = 1 + below(5);
    return shown<std::monostate>(queue().set_queue(limits), [](std::monostate) { return "done"; });
  }
  std::string claim() {
    const std::vector<std::string> tools(below(2) == 0 ? 1 : 0, "mail");
    const std::uint64_t id = node();
    auto answer = queue().claim_next(id, name(), tools, 1 + below(4), now_);
    const std::string out = shown<std::vector<ClaimedRun>>(answer, [](const auto& runs) { return shown(runs); });
    if (const auto* runs = std::get_if<std::vector<ClaimedRun>>(&answer)) {
      for (const ClaimedRun& run : *runs) {
        const std::string opening = shown(taken(store_.opening(run.log)));
        EXPECT_EQ(run.opening ? shown(*run.opening) : opening, opening);
        openings_ += opening;
      }
      held_.insert(held_.end(), runs->begin(), runs->end());
    }
    return out;
  }
  std::string put() {
    const Fact fact = outside_fact("k" + std::to_string(below(2)));
    return shown<Written>(store_.put(log(), Cut::blind(), {&fact, 1}),
                          [](const Written& told) { return std::to_string(told.head); });
  }
  // Does something with a run that was claimed once, and gives it back; the claim may be lost.
  std::string finish() {
    if (held_.empty()) return "nothing";
    const std::size_t at = below(static_cast<unsigned>(held_.size()));
    const ClaimedRun run = held_[at];
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at));
    std::string out;
    switch (below(6)) {
      case 5: return end_job(run);
      case 0: {
        const Fact end = fact_of(FactKind::TurnEnded, "");
        out = error_of(store_.ended(run.log, Cut::blind(run.token), {&end, 1}));
        break;
      }
      case 1:
      case 2: {
        Parked parked = waiting_for({"k0"}, 0);
        if (below(2) == 0) parked.deadline_ms = now_ + below(5'000);
        out = error_of(store_.park(run.log, {run.token, 0}, {}, parked));
        break;
      }
      case 3: {
        Fact fact = task_fact("task/" + std::to_string(below(9)));
        if (below(2) == 0) {
          fact.kind = FactKind::Intent;
          fact.key = "intent/" + std::to_string(below(9));
          fact.idempotency_key = fact.key;
          fact.number = 1;
        }
        out = error_of(store_.put(run.log, Cut::blind(run.token), {&fact, 1}));
        break;
      }
      default: break;
    }
    const Finish how{static_cast<Finish::Kind>(below(3) == 0 ? 1 + below(3) : 0), below(4'000), "how", below(5)};
    return out + ' ' + shown<bool>(queue().finish(run.log, run.token, how, now_), yes_or_no);
  }
  // Claims a run without a queue, and ends it.
  std::string end_elsewhere() {
    const std::string id = log();
    const Claim claim = taken(store_.claim(id, "elsewhere", now_, 1'000 + below(5'000)));
    if (!claim.granted) return "held";
    Fact end = fact_of(FactKind::TurnEnded, "");
    end.status = below(3) == 0 ? "error" : "ok";
    end.time_ms = now_;
    const std::string out = error_of(store_.ended(id, Cut::blind(claim.token), {&end, 1}));
    if (below(3) != 0) taken(store_.release(id, claim.token));
    return out;
  }
  std::string end_job(const ClaimedRun& run) {
    const Cut cut{run.token, static_cast<std::uint64_t>(below(4))};
    return shown<std::optional<Written>>(
        store_.end_job(run.log, cut, fact_of(FactKind::TurnEnded, ""), now_),
        [](const std::optional<Written>& told) { return told ? std::to_string(told->head) : "not at once"; });
  }

  FactStore& store_;
  std::mt19937 random_;
  std::int64_t now_ = kStoreNow;
  unsigned nodes_ = 0;
  std::vector<ClaimedRun> held_;
  std::string openings_;   // what opening the claimed runs would have read
};

}   // namespace

void compare_queues(FactStore& one, FactStore& other, unsigned seed, int calls) {
  Walk first(one, seed), second(other, seed);
  for (int i = 0; i < calls; ++i) {
    const std::string said = first.step();
    ASSERT_EQ(said, second.step()) << "seed " << seed << ", call " << i;
    if (i % 10 != 0 && i + 1 != calls) continue;
    ASSERT_EQ(first.all(), second.all()) << "seed " << seed << ", call " << i << ' ' << said;
  }
}

}   // namespace ptc
