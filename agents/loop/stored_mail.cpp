// How a stored agent is left, and what others tell it meanwhile.
#include <algorithm>
#include <utility>

#include "agents/loop/document_text.h"
#include "agents/loop/letters.h"
#include "agents/loop/stored_agent.h"
#include "agents/loop/stored_facts.h"

namespace ptcvm::loop {

namespace {

constexpr std::size_t kFactsAtOnce = 1'000;
// A document that is much smaller than the log goes into the store, so that the next process need not run the programs
// again; a larger one would make the store grow with each wait.
constexpr std::size_t kAlwaysParkedBytes = 8u << 10, kLogBytesPerParkedByte = 20;

}  // namespace

// Hears what was told before a process began the run.
Result<void> StoredAgent::hear_early_mail(std::uint64_t started) {
  for (std::uint64_t number = 1;; ++number) {
    const auto letter = log_.find(mail_key(number));
    if (!letter) return letter.error();
    if (!*letter || (*letter)->seq > started) return {};
    static_cast<void>(apply(**letter));   // what the run refuses changes nothing
  }
}

// A session that was idle is over only when nothing came: its end shows what came before it, and the session goes on
// with that.
Result<AgentLeft> StoredAgent::park(const AgentParking& how) {
  const bool is_over = run_->step() == AgentState::Ended;
  const bool is_session = how.idle_ms && !is_closed_ && !(idle_until_ && now() >= *idle_until_);
  if (!is_over || is_session) return park_waiting(how, is_over);
  const bool hears_more = how.idle_ms && !is_closed_;
  const auto ended = log_.ended(hears_more ? HostCut{token_, seen_} : HostCut::blind(token_), {});
  if (!ended) return ended.error();
  if (!ended->others.empty()) {
    const auto heard = catch_up();
    return heard ? Result<AgentLeft>(AgentLeft::Arrived) : heard.error();
  }
  if (auto released = log_.release(token_); !released) return released.error();
  return AgentLeft::Ended;
}

// Returns the number of the first letter after those that the run has heard: it may be in the log already.
Result<std::uint64_t> StoredAgent::first_unheard() const {
  auto number = next_mail(log_);
  while (number && *number > 1) {
    const auto before = log_.find(mail_key(*number - 1));
    if (!before) return before.error();
    if (*before && (*before)->seq <= seen_) break;
    number = *number - 1;
  }
  return number;
}

Result<AgentLeft> StoredAgent::park_waiting(const AgentParking& how, bool is_over) {
  HostParked parked;
  parked.continuation = is_over ? kSession : is_closed_ ? kClosing : kGoesOn;
  parked.observed_seq = seen_;
  parked.snapshot = run_->snapshot();
  std::size_t log_bytes = 0;
  const auto facts = log_.read(0, kFactsAtOnce);
  if (!facts) return facts.error();
  for (const HostFact& fact : *facts) log_bytes += fact.body.size();
  if (parked.snapshot.size() > kAlwaysParkedBytes + log_bytes / kLogBytesPerParkedByte) parked.snapshot.clear();
  const auto mail = first_unheard();
  if (!mail) return mail.error();
  parked.wait_keys.push_back(mail_key(*mail));
  if (is_over) parked.deadline_ms = idle_until_.value_or(now() + how.idle_ms.value_or(0));
  if (how.is_soon) parked.deadline_ms = now();
  for (const Operation& operation : run_->operations()) {
    parked.wait_keys.push_back("answer/" + operation.path);
    if (operation.due_ms == 0) continue;
    parked.deadline_ms = std::min(parked.deadline_ms.value_or(operation.due_ms), operation.due_ms);
  }
  const auto result = log_.park({token_, seen_}, {}, parked);
  if (!result) return result.error();
  if (result->is_parked) return AgentLeft::Parked;
  if (auto heard = catch_up(); !heard) return heard.error();
  return AgentLeft::Arrived;
}

Result<void> StoredAgent::tell(const Store& store, const std::string& id, const AgentMail& mail, std::int64_t now_ms) {
  constexpr std::string_view kNames[] = {kResolved, kRejected, kBudgetRaised, kInputGiven, kSessionEnded};
  HostLog log = HostLog::of(store, id);
  HostFact letter;
  letter.fact_class = HostFactClass::Observation;
  letter.name = kNames[static_cast<std::size_t>(mail.kind)];
  const bool is_number = mail.kind == AgentMail::Kind::Raise;
  letter.body = write_answer({mail.path, {}, is_number ? std::to_string(mail.by) : mail.text});
  letter.time_ms = now_ms;
  return put_letter(log, std::move(letter));
}

Result<void> put_letter(HostLog& log, HostFact letter) {
  mend_text(letter.body);
  for (;;) {
    const auto number = next_mail(log);
    if (!number) return number.error();
    letter.key = mail_key(*number);
    const auto written = log.put(HostCut::blind(), {&letter, 1});
    if (!written) return written.error();
    if (written->puts[0].is_mine) return {};   // else somebody else was faster
  }
}

}  // namespace ptcvm::loop
