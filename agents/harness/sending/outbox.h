// Gives drafts to the transport and takes in what comes back. An Outbox needs no memory of its own: what was being sent
// when a process died is in the journal, and the transport is asked whether it arrived.
//
// An Outbox belongs to the thread of its conversation.
#pragma once
#include <boost/json/object.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agents/harness/sending/attempts.h"
#include "agents/harness/sending/drafts.h"

namespace ptcvm::harness {

// Details of errors of Transport::send(). wrong_state and invalid_value without one of them mean that the other side
// refused the message, store_failed that it may have arrived, and the other errors that it did not.
inline constexpr std::string_view kMayBeSent = "may_be_sent";     // the message may have arrived: the answer was lost
inline constexpr std::string_view kNotReached = "not_reached";    // this attempt did not reach the other side
// The other side surely did not take this attempt, and another one at once would be the same. Says nothing of earlier
// attempts.
inline constexpr std::string_view kNotTaken = "not_taken";

// What carries messages to the other side. Drivers implement it.
class Transport {
 public:
  virtual ~Transport() = default;
  // Sends a message; the other side takes each messageId once. Must be over in kAttemptMostMs (attempts.h). Returns the
  // task as it is then. Errors: any; with the detail kMayBeSent the message stays in flight, because it may have
  // arrived.
  virtual Result<boost::json::object> send(const boost::json::object& message) = 0;
  // Returns the task, or nullopt when there is none.
  virtual Result<std::optional<boost::json::object>> task() = 0;
  // Returns whether a message of this id arrived, or nullopt when the transport cannot know.
  virtual Result<std::optional<bool>> arrived(std::string_view message_id) = 0;
  // Returns whether the other side is known to take each messageId once. Then a message that was in flight when a
  // process died is sent again under its id.
  virtual bool takes_each_id_once() const { return false; }
  // Returns where messages go, "" when the transport does not say. A message in flight to one place is not sent again
  // to another one: the log keeps the place of an attempt, so it must have no secret.
  virtual std::string place() const { return {}; }
};

// Says whether planners' drafts are sent without a person.
enum class SendMode : std::uint8_t { Approve, Auto };
std::string_view send_mode_name(SendMode mode);                       // "approve", "auto"
std::optional<SendMode> find_send_mode(std::string_view name);

// See the top of this file.
class Outbox {
 public:
  using Pause = std::function<void(std::int64_t ms)>;
  using NewNonce = std::function<std::string()>;
  using Clock = std::function<std::int64_t()>;
  // Everything must outlive the outbox. `transport` may be null: then every send fails with "no adapter". `pause`
  // waits between attempts. `new_nonce` gives random letters and digits for the id of a message (drafts.h); without
  // it ids are unique in one store. `clock` gives ms since 1970; without it the time is the one of the author.
  Outbox(Conversation& conversation, Transport* transport, Pause pause, NewNonce new_nonce = {}, Clock clock = {})
      : conversation_(conversation),
        transport_(transport),
        pause_(std::move(pause)),
        new_nonce_(std::move(new_nonce)),
        clock_(std::move(clock)) {}

  SenderTrace& trace() { return trace_; }   // what is stamped on messages; the mode is kept up to date
  SendMode mode() const { return mode_; }

  // Sends a draft, at most three times, under one message id, and once when it is refused. Returns the error of the
  // last attempt, which the draft keeps. After an attempt that may have arrived there is another one only when the
  // other side takes each id once.
  Result<void> send(std::string_view compose_id, const std::optional<std::string>& next_state, const Author& author);
  // Sends the drafts of a batch that was written, when the mode is Auto and the conversation has fewer facts than
  // `most_facts`. Errors stay with the drafts.
  Result<void> batch_written(std::span<const ProposedFact> batch, std::size_t most_facts, const Author& author);
  // Changes the mode. From Approve to Auto the newest draft that was not sent goes out.
  Result<void> set_mode(SendMode mode, const Author& author);

  // Takes in the task of the transport. A state that ends the task is final, whatever the other side says later.
  Result<void> tick(const Author& author);
  // Settles what was being sent when a process died: asks whether it arrived, and sends it again when the other side
  // takes each id once. A message of which the transport does not know stays in flight.
  Result<void> recover(const Author& author);

 private:
  // Sends a message that is in flight. `is_first`: no other process has tried to send it.
  Result<void> deliver(const Sending& sending, bool is_first, const Author& author);
  Result<void> settle(const Sending& sending, const Author& author);
  Author now(const Author& author) const { return {clock_ ? clock_() : author.now_ms, author.by}; }
  Result<void> look_for_earlier(std::string_view compose_id, const Author& author);
  // Looks whether this process may make an attempt now.
  Result<SendTurn> turn_of(const Sending& sending, const Author& author);
  std::vector<ProposedFact> heard_in(const boost::json::object& task) const;
  Result<void> say_refused(const std::vector<ProposedFact>& heard, const Author& author);

  Conversation& conversation_;
  Transport* transport_;
  Pause pause_;
  NewNonce new_nonce_;
  Clock clock_;
  SenderTrace trace_;
  SendMode mode_ = SendMode::Approve;
};

}  // namespace ptcvm::harness
