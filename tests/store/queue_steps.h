// What the tests of queues do again and again: jobs of the queue "q", nodes, claims.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/log/run_queue.h"
#include "tests/store/store_facts.h"

namespace ptc {

inline constexpr std::int64_t kLease = 15'000;
using Logs = std::vector<std::string>;

inline Job job_of(std::string log, std::string tenant = "") {
  Job job;
  job.log = std::move(log);
  job.tenant = std::move(tenant);
  job.queue = "q";
  job.start = start_fact();
  return job;
}
inline bool enqueued(FactStore& store, const Job& job, std::int64_t now = kStoreNow) {
  const auto out = taken(store.queue()->enqueue({&job, 1}, now));
  return out.size() == 1 && out[0].is_new;
}
inline std::uint64_t joined(FactStore& store, std::int64_t now = kStoreNow, std::string name = "n") {
  NodeInfo node;
  node.name = std::move(name);
  node.owner = "tester";
  node.build = "b";
  node.format = 3;
  node.lease_ms = kLease;
  return taken(store.queue()->join(node, now)).id;
}
inline std::vector<ClaimedRun> claims(FactStore& store, std::uint64_t node, std::size_t most = 100,
                               std::int64_t now = kStoreNow, Logs tools = {}) {
  return taken(store.queue()->claim_next(node, "q", tools, most, now));
}
inline Logs logs_of(const std::vector<ClaimedRun>& runs) {
  Logs out;
  for (const ClaimedRun& run : runs) out.push_back(run.log);
  return out;
}
inline JobRow row_of(FactStore& store, std::string_view log) {
  const auto row = taken(store.queue()->job(log));
  EXPECT_TRUE(row) << log;
  return row.value_or(JobRow());
}
inline std::string state_of(FactStore& store, std::string_view log) {
  return std::string(job_state_name(row_of(store, log).state));
}
inline QueueLimits limits_of_q() {
  QueueLimits out;
  out.name = "q";
  return out;
}
inline void limit(FactStore& store, const QueueLimits& limits) { taken(store.queue()->set_queue(limits)); }
inline bool finished(FactStore& store, const ClaimedRun& run, const Finish& how = {}, std::int64_t now = kStoreNow) {
  return taken(store.queue()->finish(run.log, run.token, how, now));
}
inline const Finish kOver{Finish::Kind::Over, 0, {}};
inline void end_run(FactStore& store, const ClaimedRun& run) {
  const Fact end = fact_of(FactKind::TurnEnded, "");
  taken(store.ended(run.log, Cut::blind(run.token), {&end, 1}));
}

}   // namespace ptc
