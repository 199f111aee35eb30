#include "runtime/durable/run_copy.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/durable/renamed_fact.h"
#include "runtime/log/log_writer.h"
#include "runtime/log/queue_protocol.h"
#include "runtime/log/run_move.h"
#include "runtime/log/run_tenant.h"
#include "runtime/log/store_rules.h"
#include "runtime/log/take_answer.h"

namespace ptc {
namespace {

constexpr int kMostLooks = 10;   // at a run that somebody executes

// A run at one moment.
struct Seen {
  RunInfo info;
  std::vector<Fact> facts;
  std::optional<Parked> parked;
};

bool is_same(const RunInfo& before, const RunInfo& after) {
  return before.head == after.head && before.state == after.state && before.owner == after.owner;
}

// Returns nullopt when the run was never the same for the time of a look.
StoreResult<std::optional<Seen>> look(FactStore& store, std::string_view run) {
  for (int i = 0; i < kMostLooks; ++i) {
    PTC_TAKE(before, store.info(run));
    if (!before) return std::optional(Seen());
    PTC_TAKE(facts, all_facts(store, run));
    PTC_TAKE(parked, store.parked(run));
    PTC_TAKE(after, store.info(run));
    if (after && is_same(*before, *after) && facts.size() == after->head) {
      return std::optional(Seen{*std::move(after), std::move(facts), std::move(parked)});
    }
  }
  return std::optional<Seen>();
}

StoreResult<CopyEnd> refusal(FactStore& store, std::string_view run, const Seen& seen,
                             const CopyOptions& options) {
  if (seen.facts.empty()) return CopyEnd::Missing;
  if (has_left(seen.info.state)) return CopyEnd::Left;
  RunLog log;
  for (const Fact& fact : seen.facts) log.add(fact);
  if (!log.last_start()) return CopyEnd::NotARun;
  if (log.is_copy() && options.is_marked) return CopyEnd::Copy;
  if (!options.tenant) return CopyEnd::Done;
  PTC_TAKE(tenant, tenant_of(store, run));
  if (tenant && *tenant != *options.tenant) return wrong_tenant(run);
  return CopyEnd::Done;
}

std::uint64_t newest_writer(const std::vector<Fact>& facts) {
  std::uint64_t out = 0;
  for (const Fact& fact : facts) out = std::max(out, fact.writer);
  return out;
}

// Looks at the run, and calls `make` with it when nothing speaks against that.
template <class Make>
StoreResult<CopyEnd> looked_at(FactStore& store, std::string_view run, const CopyOptions& options, Make make) {
  PTC_TAKE(seen, look(store, run));
  if (!seen) return CopyEnd::Changing;
  PTC_TAKE(refused, refusal(store, run, *seen, options));
  return refused == CopyEnd::Done ? make(*std::move(seen)) : StoreResult<CopyEnd>(refused);
}

Fact note(FactKind kind, const CopyOptions& options) {
  Fact out;
  out.kind = kind;
  out.author = FactAuthor::Person;
  out.time_ms = options.now_ms;
  out.source = options.by;
  out.text = options.place;
  return out;
}

StoreResult<CopyEnd> put_whole(FactStore& to, const Arrival& run, std::int64_t now_ms) {
  PTC_TAKE(arrived, to.arrive(run, now_ms));
  return arrived ? CopyEnd::Done : CopyEnd::Exists;
}

// The job of a copy is in another store. It says whose the copy is, and no worker gets it.
StoreResult<std::optional<JobRow>> job_of_copy(FactStore& from, FactStore& to, std::string_view run) {
  using Found = std::optional<JobRow>;
  if (to.queue() == nullptr) return Found();
  PTC_TAKE(tenant, tenant_of(from, run));
  Found own;
  if (from.queue() != nullptr) {
    PTC_TAKE(job, from.queue()->job(run));
    own = std::move(job);
  }
  JobRow out;
  out.log = run;
  out.queue = own ? own->queue : Job().queue;
  out.tenant = tenant.value_or("");
  out.state = JobState::Moved;
  out.most_attempts = Job().most_attempts;
  return Found(std::move(out));
}

}   // namespace

StoreResult<CopyEnd> copy_run(FactStore& from, FactStore& to, std::string_view run, const CopyOptions& options) {
  return looked_at(from, run, options, [&](Seen seen) -> StoreResult<CopyEnd> {
    Arrival copy;
    copy.log = run;
    copy.token = newest_writer(seen.facts);
    copy.facts = std::move(seen.facts);
    if (options.is_marked) {
      copy.facts.push_back(note(FactKind::RunCopied, options));
      PTC_TAKE(job, job_of_copy(from, to, run));
      copy.job = std::move(job);
    } else {
      std::erase_if(copy.facts, [](const Fact& fact) { return fact.kind == FactKind::RunCopied; });
    }
    copy.state = seen.info.state;
    copy.parked = std::move(seen.parked);
    return put_whole(to, copy, options.now_ms);
  });
}

StoreResult<CopyEnd> fork_run(FactStore& store, std::string_view run, std::uint64_t last, std::string_view new_run,
                              const CopyOptions& options) {
  return looked_at(store, run, options, [&](Seen seen) -> StoreResult<CopyEnd> {
    if (last == 0 || last > seen.facts.size()) return CopyEnd::NoFact;
    PTC_TAKE(checked, check_same_tenant(store, run, store, new_run));
    (void)checked;
    Arrival fork;
    fork.log = new_run;
    PTC_TAKE(tenant, tenant_of(store, new_run));
    fork.tenant = std::move(tenant);
    RunLog log;
    for (std::uint64_t i = 0; i < last; ++i) {
      fork.facts.push_back(renamed_fact(std::move(seen.facts[i]), run, new_run));
      log.add(fork.facts.back());
    }
    if (!log.last_start()) return CopyEnd::NoFact;
    fork.state = log.is_over() ? LogState::Ended : LogState::Running;
    fork.token = newest_writer(fork.facts);
    Fact forked = note(FactKind::RunForked, options);
    forked.id = run;
    forked.number = last;
    fork.facts.push_back(std::move(forked));
    return put_whole(store, fork, options.now_ms);
  });
}

}   // namespace ptc
