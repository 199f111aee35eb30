// How a process takes over what the log of a run has.
#include <algorithm>
#include <utility>

#include "agents/loop/doubt_names.h"
#include "agents/loop/stored_agent.h"
#include "agents/loop/stored_facts.h"
#include "agents/loop/stored_intents.h"

namespace ptcvm::loop {

namespace {

constexpr std::size_t kPageOfFacts = 1'000;

}  // namespace

Agent StoredAgent::agent_at(std::uint64_t seq) const {
  const auto found = options_.agent_at ? options_.agent_at(seq) : std::nullopt;
  return found.value_or(*agent_);
}

// What the run does before a fact is done with the models that answered then.
Result<void> StoredAgent::ask_as_at(const HostFact& fact) {
  if (!options_.agent_at || !fact.is_of_host) return {};
  run_->step();
  return run_->go_on_as(agent_at(fact.seq));
}

// Tells the run what the log has after the last fact that the run knows.
Result<void> StoredAgent::catch_up() {
  auto facts = read_page(seen_);
  while (facts && !facts->empty()) {
    // What hooks said is behind the fact after which they were asked, at the latest in the next page.
    Result<std::vector<HostFact>> next = std::vector<HostFact>();
    if (facts->size() == kPageOfFacts) next = read_page(facts->back().seq);
    if (!next) return next.error();
    for (const HostFact& fact : *facts) {
      seen_ = fact.seq;
      if (auto answered = ask_as_at(fact); !answered) return answered;
      // A fact that the run refuses, as it refused it before, changes nothing.
      static_cast<void>(apply(fact));
    }
    facts = std::move(next);
  }
  if (!facts) return facts.error();
  run_->step();
  if (auto answered = run_->go_on_as(*agent_); !answered) return answered;
  recorded_turns_ = std::max(recorded_turns_, run_->usage().turns);
  return {};
}

// Reads facts after a place, and tells the run what hooks said in them.
Result<std::vector<HostFact>> StoredAgent::read_page(std::uint64_t after) {
  auto facts = log_.read(after, kPageOfFacts);
  if (!facts) return facts.error();
  for (const HostFact& fact : *facts) recall_verdicts(*run_, fact.name, fact.body);
  return facts;
}

bool StoredAgent::waits_for(const std::string& path) const {
  const std::vector<std::string> pending = run_->pending();
  return std::ranges::find(pending, path) != pending.end();
}

Result<void> StoredAgent::apply(const HostFact& fact) {
  if (!fact.is_of_host) return {};
  if (fact.name == kIntent) {
    intents_.insert(first_intent_key(fact.key));
    return {};
  }
  if (fact.name == kTurnTaken || fact.name == kStarted || fact.name == kHooksSaid) return {};
  if (fact.key.starts_with(kMail) || fact.name == kInputGiven) idle_until_.reset();
  run_->step();
  // The same word about a doubt once more changes nothing: the call may be under way again.
  const bool ends_doubt = fact.name == kRejected && waits_for(answered_path(fact.body));
  run_->advance(fact.time_ms);
  is_closed_ = is_closed_ || fact.name == kSessionEnded;
  if (fact.name == kSessionEnded) return {};
  auto applied = apply_fact(*run_, fact.name, fact.body);
  if (applied && ends_doubt) {
    forget_intent(fact.body, intents_);
    taken_.erase("intent/" + doubted_call(answered_path(fact.body)));   // the host makes the call again
  }
  return applied;
}

// A run that was left in the middle of a call has the call in its document and not what the log says of it. The log is
// read again when there is such a call.
Result<void> StoredAgent::recall_intents() {
  if (std::ranges::none_of(run_->operations(), is_order)) return {};
  std::set<std::string> doubted;          // calls: a word about a doubt counts when there was one
  for (std::uint64_t after = 0; after < seen_;) {
    const auto facts = log_.read(after, kPageOfFacts);
    if (!facts) return facts.error();
    if (facts->empty()) return {};
    for (const HostFact& fact : *facts) {
      after = fact.seq;
      if (fact.seq > seen_) return {};
      if (!fact.is_of_host) continue;
      if (fact.name == kIntent) intents_.insert(first_intent_key(fact.key));
      if (fact.name == kToolInDoubt) doubted.insert(answered_path(fact.body));
      const bool is_word = fact.name == kRejected && doubted.erase(doubted_call(answered_path(fact.body))) > 0;
      if (is_word) forget_intent(fact.body, intents_);
    }
  }
  return {};
}

}  // namespace ptcvm::loop
