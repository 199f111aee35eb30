#include "tests/simulation/checker.h"

#include <algorithm>

namespace ptcvm::simulation {
namespace {

template <class T>
T good(ptc::StoreResult<T> answer) {   // the store in memory has no failures of its own
  return std::get<T>(std::move(answer));
}

bool is_progress(const ptc::Fact& fact) { return !fact.key.empty() && !fact.key.starts_with("intent/"); }

std::string text(std::uint64_t number) { return std::to_string(number); }

}  // namespace

void Checker::expect_run(const std::string& run, std::vector<std::string> needs) {
  runs_[run].needs = std::move(needs);
}

void Checker::joined(const ptc::NodeRow& node, std::int64_t now_ms, std::vector<std::string> tools) {
  if (nodes_.contains(node.id)) fail("I3", "", "the number of node " + text(node.id) + " was used before");
  nodes_[node.id] = {now_ms + node.lease_ms, node.lease_ms, std::move(tools)};
}

void Checker::beaten(std::uint64_t node, std::int64_t now_ms) {
  nodes_[node].until_ms = now_ms + nodes_[node].lease_ms;
}

bool Checker::has_lease(std::uint64_t node, std::int64_t now_ms) const {
  const auto at = nodes_.find(node);
  return at != nodes_.end() && at->second.until_ms > now_ms;
}

void Checker::claimed(const std::string& run, std::uint64_t node, std::uint64_t token, std::uint64_t nonce) {
  Known& known = runs_[run];
  if (token <= known.token) fail("I1", run, "the claim of " + run + " has a token that is not newer");
  const auto& tools = nodes_[node].tools;
  for (const std::string& tool : known.needs) {
    if (std::ranges::find(tools, tool) != tools.end()) continue;
    fail("I8", run, "node " + text(node) + " got " + run + " and has no tool " + tool);
  }
  known.token = token;
  known.nonce = nonce;
  known.node = node;
}

void Checker::rescued(const std::vector<std::string>& runs, std::int64_t now_ms, ptc::FactStore& store) {
  for (const std::string& run : runs) {
    Known& known = runs_[run];
    if (has_lease(known.node, now_ms)) {
      fail("I3", run, run + " was taken from node " + text(known.node) + ", whose lease lasts another " +
                          text(static_cast<std::uint64_t>(nodes_[known.node].until_ms - now_ms)) + " ms");
    }
    ++known.rescues;
    const auto job = good(store.queue()->job(run));
    const bool is_aside = job && job->state == ptc::JobState::Quarantined;
    // A run that is told to end is dead when its worker dies.
    const bool is_over = job && job->state == ptc::JobState::Dead && job->is_cancelled;
    if (known.rescues >= 3 && !is_aside && !is_over && good(store.info(run))->state != ptc::LogState::Ended) {
      fail("I11", run, run + " was rescued three times without progress, and goes on");
    }
    if (known.rescues < 3 && is_aside) {
      fail("I11", run, run + " was set aside after " + std::to_string(known.rescues) + " rescues");
    }
  }
}

void Checker::add(const std::string& run, Known& known, const ptc::Fact& fact) {
  if (fact.seq != known.head + 1) fail("I9", run, "the log of " + run + " has a gap");
  if (fact.writer != 0 && fact.writer != known.token) {
    fail("I1", run, "a fact of claim " + text(fact.writer) + " of " + run + " after claim " + text(known.token));
  }
  if (fact.writer != 0 && (!writer_ || writer_->run != run || writer_->nonce != known.nonce)) {
    fail("I4", run, "a fact of " + run + " by somebody who has token " + text(fact.writer) +
                        " of a claim that another copy of the store gave");
  }
  if (!fact.key.empty() && !known.keys.emplace(fact.key, fact.seq).second) {
    fail("I10", run, "the key " + fact.key + " is twice in the log of " + run);
  }
  if (is_progress(fact)) known.rescues = 0;
  known.head = fact.seq;
}

void Checker::look_at_wait(ptc::FactStore& store, const std::string& run, const Known& known) {
  const auto parked = good(store.parked(run));
  if (!parked) return fail("I5", run, run + " waits, and nothing is parked");
  for (const std::string& key : parked->wait_keys) {
    const auto there = known.keys.find(key);
    if (there == known.keys.end() || there->second <= parked->observed_seq) continue;
    fail("I6", run, run + " waits for " + key + ", which is fact " + text(there->second) + " of its log");
  }
}

void Checker::look_at_job(ptc::FactStore& store, const std::string& run, const Known& known, const ptc::RunInfo& info,
                          std::int64_t now_ms) {
  using State = ptc::JobState;
  const auto job = good(store.queue()->job(run));
  if (!job) return;
  const bool is_held = job->state == State::Held;
  if (job->state == State::Done && info.state != ptc::LogState::Ended) {
    fail("I5", run, run + " is done, and its log goes on");
  }
  if (is_held && job->token != known.token) fail("I5", run, run + " is held under a claim that is not the newest");
  if (is_held && info.owner.empty()) fail("I5", run, run + " is held, and nobody has a claim");
  if (!is_held && !info.owner.empty()) fail("I5", run, run + " is not held, and somebody has a claim");
  if (job->state == State::Timer && job->at_ms > now_ms + kLongestTimerMs) {
    fail("T", run, run + " is to wake in " + text(static_cast<std::uint64_t>(job->at_ms - now_ms)) +
                       " ms, and nobody asked for such a pause");
  }
  if (job->state != State::Waiting) return;
  if (info.state != ptc::LogState::Parked) return fail("I5", run, run + " waits, and is not parked");
  look_at_wait(store, run, known);
}

void Checker::look_at_run(ptc::FactStore& store, const std::string& run, Known& known, std::int64_t now_ms) {
  const auto info = good(store.info(run));
  const std::uint64_t head = info ? info->head : 0;
  if (head < known.head) fail("I9", run, "the log of " + run + " has lost facts");
  if (head < known.acknowledged && !has_lost_) fail("I9", run, "an acknowledged fact of " + run + " is gone");
  if (head != known.head) {
    for (const ptc::Fact& fact : good(store.read(run, known.head, SIZE_MAX))) add(run, known, fact);
  }
  if (info) look_at_job(store, run, known, *info, now_ms);
}

void Checker::look_at_slots(ptc::FactStore& store) {
  std::int64_t held = 0;
  for (const auto& [run, known] : runs_) {
    const auto job = good(store.queue()->job(run));
    if (job && job->state == ptc::JobState::Held) ++held;
  }
  if (slots_ && held > *slots_) {
    fail("I7", "", std::to_string(held) + " runs are held, and there are " + std::to_string(*slots_) + " slots");
  }
}

void Checker::look(ptc::FactStore& store, const std::string& run, std::int64_t now_ms) {
  if (const auto known = runs_.find(run); known != runs_.end()) look_at_run(store, run, known->second, now_ms);
}

void Checker::look_at_all(ptc::FactStore& store, std::int64_t now_ms) {
  for (auto& [name, known] : runs_) look_at_run(store, name, known, now_ms);
  look_at_slots(store);
}

void Checker::acknowledged(const std::string& run, std::uint64_t head) {
  Known& known = runs_[run];
  known.acknowledged = std::max(known.acknowledged, head);
}

void Checker::forgets() {
  has_lost_ = true;
  nodes_.clear();
  moments_.clear();
  for (auto& [run, known] : runs_) {
    Known anew;
    anew.needs = std::move(known.needs);
    known = std::move(anew);
  }
}

void Checker::fired(const std::string& moment) {
  if (!moments_.insert(moment).second) fail("I12", "", "the moment " + moment + " was fired twice");
}

void Checker::begins_call(std::uint64_t node, const std::string& run, const std::string& key, std::int64_t now_ms) {
  if (has_lost_ || has_lease(node, now_ms)) return;
  fail("I2", run, "node " + text(node) + " begins the call " + key + ", and its lease is over");
}

void Checker::called(ptc::FactStore& store, const std::string& run, const std::string& key, bool is_unsafe,
                     bool has_lease) {
  const std::size_t before = calls_[key]++;
  if (has_lost_) return;   // the log may lack what the node knows
  bool is_intended = false, is_settled = false;
  for (const ptc::Fact& fact : good(store.read(run, 0, SIZE_MAX))) {
    if (fact.idempotency_key != key) continue;
    is_intended = is_intended || fact.kind == ptc::FactKind::Intent;
    is_settled = is_settled || (fact.kind == ptc::FactKind::EffectSettled && fact.status == "committed");
  }
  if (!is_intended) fail("I2", run, "the call " + key + " is made, and no intent of it is in the log");
  // A process that was stopped between its last check and the call is late: nothing can be done about it.
  if (is_settled && before != 0 && has_lease) fail("E", run, "the call " + key + " is made again after its answer");
  if (is_unsafe && before != 0) fail("E", run, "the unsafe call " + key + " is made twice");
}

std::size_t Checker::calls_of(const std::string& key) const {
  const auto at = calls_.find(key);
  return at == calls_.end() ? 0 : at->second;
}

}  // namespace ptcvm::simulation
