// A conversation: the log of a host, and the view of it. Everybody who takes part has a Conversation of the same log:
// the transport and people observe, a harness decides under a claim. All processes see the same facts.
//
// Each natural key is used once: the id of a message, the name of an attachment, the id of a tool call, a state that
// follows a state. A fact that the journal has already is left out, and burns no number.
//
// A fact has the time of its author, and never an earlier one than the facts that its writer has seen: the author may
// have looked at the clock before a pass or a send that took long. The order of facts is the one of their numbers.
//
// A Conversation belongs to one thread at a time.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/harness/conversation/conversation_view.h"

namespace ptcvm::harness {

// Details of errors that say what somebody has to settle first: a message in flight, or what became of a call.
inline constexpr std::string_view kSendInFlight = "send_in_flight", kCallUnknown = "call_unknown";
// Returns the error of what comes after the end of the conversation: wrong_state.
Error error_of_end(const ConversationView& view);

// The clock and the name of a writer.
struct Author {
  std::int64_t now_ms = 0;   // ms since 1970
  std::string by = {};       // who writes; "" for the harness
};

// A fact that the log takes once under its key.
struct KeyedFact {
  ProposedFact fact;
  std::string key;
};

// Says what a rewind keeps of the facts after its boundary. Effects are kept always.
enum class RewindKeeps : std::uint8_t {
  Human,     // what was observed and what the person said; drafts and the planner's own facts go
  Nothing,   // every fact goes, messages too
};

// Says what is in the way of a rewind. The rewind does not count when such a fact is before it in the log.
enum class RewindYields : std::uint8_t {
  Sends,   // a message in flight
  Calls,   // that, and a call that is being made or may have happened
};

// See the top of this file. Movable, not copyable.
class Conversation {
 public:
  // Reads the log. Errors: store_failed.
  static Result<Conversation> open(HostLog log);

  const ConversationView& view() const { return view_; }
  const HostLog& log() const { return log_; }
  // Takes the facts that others wrote. Returns whether there were any.
  Result<bool> refresh();

  // Writes what was seen, whatever anybody decides meanwhile. Leaves out what the journal has, and gives files of
  // messages names of their own (message_files.h). invalid_value: the body
  // of a fact is wrong, and nothing was written. wrong_state: the conversation was a job that is over.
  Result<void> observe(std::vector<ProposedFact> facts, const Author& author) {
    return observe_with({}, std::move(facts), author);
  }
  // Does the same with a message that was sent, and with what it changed. Writes nothing when the journal has the
  // message: somebody else has written all of that, and the other side may have answered since.
  Result<void> observe_sent(std::string_view message_id, std::vector<ProposedFact> facts, const Author& author) {
    return observe_with(message_id, std::move(facts), author);
  }
  // Writes one such fact under a key of the caller, once. Returns the fact that the log has under the key.
  Result<HostPut> observe_once(const ProposedFact& fact, std::string key, const Author& author);
  // Does the same with several facts in one transaction: a process that dies leaves all of them, or none.
  Result<std::vector<HostPut>> observe_together(const std::vector<KeyedFact>& facts, const Author& author);
  // Says that the facts after `to` count no longer. Errors: wrong_state with the detail kSendInFlight, "Cannot rewind
  // while a send is in flight"; with kCallUnknown when the rewind yields to calls and a planner has such a call
  // (ConversationView::unknown_call). A rewind that keeps what people said yields to calls in any case. busy:
  // something was sent or called at the same moment, and is over already; try again.
  Result<void> rewind(std::uint64_t to, RewindKeeps keeps, const Author& author,
                      RewindYields yields = RewindYields::Sends);
  // Rewinds to the last public fact or change of state, and keeps what the person said.
  Result<void> regenerate(const Author& author) { return rewind_to({}, RewindKeeps::Human, author, {}); }
  // Returns why rewind() would be refused now, or no error.
  Result<void> may_rewind(RewindKeeps keeps, RewindYields yields = RewindYields::Sends) const;
  // Notes that a call of a waiting planner was settled, so that the pass goes on.
  Result<void> tell_settled(std::string_view key, const Author& author);
  // Writes a note, once for each key that is not "". A note outdates no decision.
  Result<void> note(std::string name, std::string key, const boost::json::object& body, const Author& author);
  // Notes that the person wants to begin, until a decision is written.
  Result<void> arm_kickoff(const Author& author);
  // Sees to it that the workers of a job hear what was said, also when a process died before its letter was there.
  Result<void> wake(const Author& author);

  // Claims the log for decisions and effects. nullopt: somebody else has it. In a job the lease is short, because its
  // queue leaves the log alone so long.
  Result<std::optional<std::uint64_t>> claim(std::int64_t now_ms, std::int64_t lease_ms);
  Result<void> release(std::uint64_t token);

  // Writes decisions with a cursor in one transaction, or nothing. `cut` is what the writer has seen. Returns false
  // when somebody else observed or decided something after the cut. Leaves out what the journal has.
  Result<bool> decide(std::uint64_t token, std::uint64_t cut, std::vector<ProposedFact> facts,
                      const std::optional<PlanCursor>& cursor, const Author& author);
  // Writes decisions under a claim of its own, at `cut`, or at what is there now. Returns false when `cut` was
  // outdated. busy: somebody else has the claim.
  Result<bool> append(std::vector<ProposedFact> facts, std::optional<std::uint64_t> cut, const Author& author);

  // Writes a fact that a task made, once for each key. Returns the fact of the key that the log has now.
  Result<HostPut> effect(std::uint64_t token, std::string key, std::string name, const boost::json::object& body,
                         const Author& author);

 private:
  explicit Conversation(HostLog log) : log_(std::move(log)) {}
  Result<void> observe_with(std::string_view message_id, std::vector<ProposedFact> facts, const Author& author);
  // Without `to` the last public fact or change of state is meant.
  Result<void> rewind_to(std::optional<std::uint64_t> to, RewindKeeps keeps, const Author& author, RewindYields yields);
  Result<HostWritten> put_news(std::vector<HostFact> facts, const Author& author);
  Result<HostWritten> put(std::uint64_t token, std::span<HostFact> facts);
  Result<void> take(const HostWritten& written);
  void keep_order(std::span<HostFact> facts) const;
  Result<bool> put_files(const std::vector<ProposedFact>& facts, const Author& author);
  std::vector<ProposedFact> without_known(std::vector<ProposedFact> facts) const;
  // Returns whether somebody else observed or decided something after the cut.
  Result<bool> is_outdated(std::uint64_t token, std::uint64_t cut) const;
  std::string natural_key(const ProposedFact& fact, std::size_t place) const;
  HostFact observation(const ProposedFact& fact, std::size_t place, const Author& author) const;

  HostLog log_;
  ConversationView view_;
};

// Returns the key under which the log has a message of that epoch (ConversationView::epoch).
std::string message_key(std::uint64_t epoch, std::string_view message_id);

// Returns the key of a letter; the numbers begin with 1.
std::string letter_key(std::uint64_t number);

// Returns the fact as the log keeps it.
HostFact host_fact(HostFactClass fact_class, std::string name, std::string key, const boost::json::object& body,
                   const Author& author);

}  // namespace ptcvm::harness
