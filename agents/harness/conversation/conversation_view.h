// What a journal says at one moment, as a fold: the facts that count, the state of the task, the last public message,
// the open question, the draft that was not sent. A ConversationView takes one fact after another and never looks back,
// except when the journal was rewound.
//
// A rewind removes nothing from the log. It says which facts count no longer, and begins a new generation: positions
// that a planner had reached in an older generation mean nothing.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agents/harness/facts/fact.h"
#include "agents/harness/facts/planner_calls.h"

namespace ptcvm::harness {

// The cursor is a member of this name of the last decision of its batch. A batch without facts has a note of the name,
// and older logs have a note behind each batch.
inline constexpr std::string_view kPlanCursor = "plan_cursor";
// The name of the note that keeps what somebody set up (ConversationView::setup).
inline constexpr std::string_view kSetupNote = "planner_setup";
// The name of the note that keeps the id of the task on the server of the other side.
inline constexpr std::string_view kTaskNote = "task_known";
// The name of the note that keeps the address of the server to which messages go.
inline constexpr std::string_view kRemoteNote = "remote_known";
// The first fact of a conversation that is a job of a queue begins with this name.
inline constexpr std::string_view kConversationJob = "job/conversation";
// A letter says to the workers of such a conversation that there is something new. Its keys are numbered without gaps.
inline constexpr std::string_view kLetterNote = "letter", kLetterKey = "mail/";
// The names of what is written when another process goes on with a message in flight, and when a process does not send
// it any more although it may not have arrived.
inline constexpr std::string_view kSendResumed = "send_resumed", kSendStopped = "send_stopped";
// The names of what ends an attempt: it failed, or a person said that it arrived; the message is in the log then, or it
// follows. Both have one key, so that the first one counts.
inline constexpr std::string_view kSendFailed = "send_failed", kSendArrived = "send_arrived";
// The name of the note that the person wants to begin.
inline constexpr std::string_view kKickoffNote = "kickoff_armed";
// The name of the note that a call in doubt of a waiting planner was settled.
inline constexpr std::string_view kSettledNote = "planner_settled";
// The names of the notes that a program calls a tool now whose effect must not be repeated, and that the call is over.
inline constexpr std::string_view kProgramCallBegun = "program_call_begun", kProgramCallEnded = "program_call_ended";
// How often a planner may fail for the same triggers.
inline constexpr std::uint32_t kMostAttempts = 3;
// Such a conversation is over: nothing is written any more.
inline constexpr std::string_view kEndNote = "conversation_ended";

// The triggers of planning, each with the number of the fact that fired it; 0 when there was none. In a cursor the
// numbers are the last ones that were planned.
struct TriggerSeqs {
  std::uint64_t status = 0, inbound = 0, outbound = 0, whisper = 0, answer = 0;
  friend bool operator==(const TriggerSeqs&, const TriggerSeqs&) = default;
};

// The planner of a pass, as messages name it.
struct PlannerName {
  std::string type = {};              // its id; "" when the log does not say
  boost::json::value seed = {};       // its dehydrated configuration, or null
};

// How far planning has come. The log has the cursor in the transaction of the decisions.
struct PlanCursor {
  std::uint64_t generation = 0;
  TriggerSeqs planned;
  TriggerSeqs failing;            // the triggers with which the planner failed last
  std::uint32_t attempts = 0;     // how often it failed with them
  PlannerName planner = {};       // who planned; set when the pass has a draft
};
// Return what differs from an empty one.
boost::json::object cursor_json(const PlanCursor& cursor);
boost::json::object seqs_json(const TriggerSeqs& seqs);
// Returns the positions in that member of the body.
TriggerSeqs read_seqs(const boost::json::object& body, std::string_view member);
// Takes the cursor out of the body of a decision. Returns nullopt when the decision has none.
std::optional<boost::json::object> cursor_in(const HostFact& fact, boost::json::object& body);

// A pass that waits for a fact.
struct ParkedPass {
  TriggerSeqs fired;                 // what made the pass run
  std::vector<std::string> waits;    // "type/key" of each fact
};

// What a program waits for.
struct ProgramWait {
  std::string signal;             // "type/key" of a fact, or the id of an operation
  std::int64_t deadline_ms = 0;   // when the program stops waiting, ms since 1970; 0 means never
};

// Returns what a program waits for that has this call in doubt.
std::string settled_signal(std::string_view key);
bool is_settled_signal(std::string_view signal);
// A call of a program that may or may not have happened.
struct UnsettledCall {
  std::string program, key;       // the run, and the name of the call there
  friend bool operator==(const UnsettledCall&, const UnsettledCall&) = default;
};

// Returns the name of the timer of a wait with a deadline, as timer_fired has it.
std::string timer_of(std::string_view program, std::string_view signal);
// Returns the signal of a timer.
std::string timer_signal(std::string_view timer);

// A draft and what became of it.
struct DraftState {
  std::uint64_t seq = 0;             // the newest fact with this draft
  std::uint64_t writer = 0;          // the claim under which it was written; 0 for a draft by hand
  std::uint64_t send_seq = 0;        // where its sending began last; 0 before
  bool is_dismissed = false;         // before its sending began
  bool is_approved = false;          // sent, or being sent, since the last rewind
  bool is_sent = false;              // a message with this draft arrived
  std::uint64_t sent_seq = 0;        // where the log says so
  std::string in_flight;             // the id of the message that is being sent, or ""
  std::string next_state;            // what that message asks for
  std::string place;                 // where that message goes (Transport::place()), or ""; older logs do not say
  std::string sender;                // the process that sends that message, or ""; older logs do not say
  std::int64_t sends_until_ms = 0;   // when the sender has stopped at the latest, by the clock of the store
  std::uint32_t resumed = 0;         // how often another process went on with that message
  std::uint32_t rounds = 0;          // how often sending began
  std::string send_error;            // why the last round failed, or ""
  std::string replaced_by;           // the id of the draft that a person put in its place, or ""

  // Returns whether the draft is being sent, or was sent. An earlier draft of the same id does not matter.
  bool is_under_way() const { return send_seq > seq && (is_sent || !in_flight.empty()); }
};

// A message under which a draft was given to the transport, whatever became of it.
struct SendAttempt {
  std::string compose_id;
  std::uint64_t draft_seq = 0;   // the draft of that id that was sent: later ones of the id are other drafts
};

// See the top of this file.
class ConversationView {
 public:
  // Takes the next fact of the log. Facts must come in order.
  void apply(const HostFact& fact);

  std::uint64_t log_seq() const { return log_seq_; }              // the last fact of the log that was taken
  std::int64_t newest_ms() const { return newest_ms_; }           // the latest time of a fact that was taken; 0 before
  std::uint64_t generation() const { return generation_; }        // grows with each rewind that counts
  std::uint64_t rewinds() const { return rewinds_; }              // all of them, also those that do not count
  std::uint64_t epoch() const { return epoch_; }                  // grows with each rewind that forgets messages
  const std::vector<Fact>& facts() const { return facts_; }       // the facts that count
  std::size_t counted() const { return counted_; }                // observations and decisions among them
  const PlanCursor& cursor() const { return cursor_; }
  bool is_kickoff_armed() const { return kickoff_seq_ != 0; }
  // Returns whether nobody said or decided anything. What tasks did, and that the planner failed, begins nothing.
  bool is_unbegun() const;
  // Returns whether the person's wish to begin holds now: an unbegun conversation, whose planner did not give up since.
  bool wants_kickoff() const;
  // Returns the planner, its mode and its configuration that somebody set up last ({} before), as the host wrote them.
  const boost::json::object& setup() const { return setup_; }
  // Returns the id of the task on the server of the other side, or "".
  const std::string& task_id() const { return task_id_; }
  // Returns the address of the server to which the last message went, or "": no message has gone to a server.
  const std::string& remote() const { return remote_; }
  const std::optional<ParkedPass>& parked_pass() const { return parked_pass_; }
  std::size_t cancelled_passes() const { return cancelled_passes_; }   // counts parked passes that were given up
  // Returns what the program of that id waited for when it was parked last.
  std::vector<ProgramWait> program_waits(std::string_view program) const;
  // Returns the names of deadlines of the parked pass that are over at that time, although no fact says so yet.
  std::vector<std::string> due_timers(std::int64_t now_ms) const;
  // Returns the earliest deadline of the parked pass of which no fact says that it is over, in ms since 1970.
  std::optional<std::int64_t> next_timer() const;
  // Returns the calls that the parked pass has in doubt, as far as the conversation knows.
  std::vector<UnsettledCall> unsettled_calls() const;
  // Returns the calls that programs make now, or were making when their process died.
  const std::vector<UnsettledCall>& program_calls() const { return program_calls_; }
  // Returns whether a fact came that the parked pass waits for, or a fact that says that the deadline is over.
  bool may_resume() const;
  // Returns whether a fact "type/key" arrived: an answer, a result of a tool, a timer, a message of a draft.
  bool has_arrived(std::string_view signal) const { return arrived_.contains(signal); }

  std::string_view status() const { return status_; }             // "" when there is no state yet
  std::uint64_t status_seq() const { return status_seq_; }
  bool has_public() const { return last_public_ != 0; }
  std::uint64_t inbound_seq() const { return last_public_is_inbound_ ? last_public_ : 0; }
  std::uint64_t outbound_seq() const { return last_public_is_inbound_ ? 0 : last_public_; }
  std::uint64_t whisper_seq() const { return whisper_seq_; }
  std::uint64_t answer_seq() const { return answer_seq_; }
  std::uint64_t boundary_seq() const { return boundary_seq_; }    // the last public fact or change of state
  // Returns the newest question when nobody answered it, or nullptr. The pointer is valid until the next apply().
  const Fact* open_question() const;
  // Returns the open question, or else the newest unanswered one that the parked pass waits for, or nullptr: what is
  // shown to people. The gate looks at the newest question alone. The pointer is valid until the next apply().
  const Fact* question_to_answer() const;
  // Returns the id of the newest draft that was neither sent nor dismissed, or "".
  std::string_view unsent_draft() const { return unsent_.empty() ? std::string_view{} : unsent_.back(); }
  const std::vector<std::string>& unsent_drafts() const { return unsent_; }   // oldest first

  bool knows_message(std::string_view id) const { return messages_.contains(id); }
  // Returns whether the journal says that another message came under this id.
  bool has_refused(std::string_view message_id) const;
  // Returns the first fact with an attachment of this name, or nullptr. Valid until the next apply().
  const Fact* attachment(std::string_view name) const;
  // Returns the id of the draft that went out, or was given to the transport, under this id of a message; "" when none.
  std::string_view draft_of_message(std::string_view message_id) const;
  // Returns the attempt to send under this id of a message, or nullptr. Valid until the next apply().
  const SendAttempt* attempt(std::string_view message_id) const;
  // Returns the newest draft with this id, or nullptr. Valid until the next apply().
  const DraftState* draft(std::string_view compose_id) const;
  const Fact* fact_at(std::uint64_t seq) const;                   // nullptr: there is no such fact that counts
  const std::map<std::string, DraftState, std::less<>>& drafts() const { return drafts_; }
  bool is_job() const { return is_job_; }                         // workers plan, and nobody else
  bool has_ended() const { return has_ended_; }                   // a job that is over
  std::uint64_t letters() const { return letters_; }
  // Returns whether somebody without a claim said something, and no letter is behind it.
  bool wants_letter() const { return is_job_ && !has_ended_ && letter_seq_ < news_seq_; }
  // Returns the last fact that makes a pass another one: effects and notes about passes do not.
  std::uint64_t pass_seq() const { return pass_seq_; }
  // Returns the planner that proposed the draft, or nullptr when a person wrote it, or the log is an old one.
  const PlannerName* planner_of(const DraftState& draft) const;
  const PlannerCalls& calls() const { return calls_; }            // calls of planners that are agents
  // Returns why planning cannot begin anew, and what to do first, or "": nobody knows what became of a call.
  std::string unknown_call() const;
  // Returns whether there is such a call: one of an agent, or also one that a program has in doubt.
  bool has_unknown_call(bool also_of_program) const;
  // Returns the qid of the open question about that call, or "": nobody was asked, or the question is answered.
  std::string question_about_call() const;
  // Returns what counted() would be after regenerating.
  std::size_t counted_after_regenerating() const;
  // Returns the planner_error with which the last pass failed, or nullptr: it did not fail, or something came after it.
  // Valid until the next apply().
  const Fact* last_failure() const;
  // Returns the planner_error with which the planner gave up, or nullptr. Valid until the next apply().
  const Fact* given_up() const;
  // Returns how many messages are being sent.
  std::size_t in_flight() const;
  // Returns the kept facts of the batch in which the draft was proposed: what is stamped on its message.
  std::vector<ProposedFact> batch_of(const DraftState& draft) const;

 private:
  void take_note(const HostFact& fact, const boost::json::object& body);
  void take_cursor(const HostFact& fact, const boost::json::object& body);
  void take_place(const HostFact& fact);
  bool is_of_failure(std::uint64_t cursor_seq) const;
  void take_program_call(const HostFact& fact, const boost::json::object& body);
  void take_waits(const boost::json::object& body);
  void take(Fact fact);
  void take_public(Fact& fact);
  void take_sent(Fact& fact);
  bool take_draft(const Fact& fact);
  void take_send(const HostFact& fact, const boost::json::object& body);
  void take_arrived(const HostFact& fact, const boost::json::object& body);
  void take_sender(const HostFact& fact, const boost::json::object& body);
  bool take_dismissal(const Fact& fact);
  bool yields(const boost::json::object& body) const;
  void rewind(const HostFact& fact, const boost::json::object& body);
  bool is_waited_for(std::string_view signal) const;
  template <class Visit>
  void each_timer(const Visit& visit) const;
  void forget_derived();

  std::uint64_t log_seq_ = 0, generation_ = 0, rewinds_ = 0, epoch_ = 0;
  std::int64_t newest_ms_ = 0;
  bool is_job_ = false, has_ended_ = false;
  std::uint64_t letters_ = 0, letter_seq_ = 0, news_seq_ = 0, pass_seq_ = 0;
  std::vector<Fact> facts_;
  std::map<std::uint64_t, std::uint64_t> writers_;      // seq -> claim, of facts that were written under one
  std::map<std::uint64_t, PlannerName> planners_;       // claim -> the planner of its pass
  PlanCursor cursor_;
  std::uint64_t cursor_seq_ = 0;                        // where the log has it; 0: nowhere
  bool has_failed_last_ = false;                        // the pass of the cursor failed
  std::uint64_t kickoff_seq_ = 0;                       // the person's wish to begin; 0: none, or it is used up
  boost::json::object setup_;
  std::string task_id_, remote_;
  std::optional<ParkedPass> parked_pass_;
  std::size_t cancelled_passes_ = 0;
  std::map<std::string, std::vector<ProgramWait>, std::less<>> program_waits_;
  PlannerCalls calls_;
  std::vector<UnsettledCall> program_calls_;

  std::size_t counted_ = 0;
  std::string status_;
  std::uint64_t status_seq_ = 0, last_public_ = 0, whisper_seq_ = 0, answer_seq_ = 0, boundary_seq_ = 0;
  bool last_public_is_inbound_ = false;
  std::optional<std::size_t> question_;                 // index of the newest question
  bool question_answered_ = false;
  std::vector<std::string> unsent_;
  std::set<std::string, std::less<>> dismissed_, messages_, arrived_;
  std::map<std::string, std::size_t, std::less<>> attachments_;   // name -> index of the fact
  std::map<std::string, DraftState, std::less<>> drafts_;
  std::map<std::string, SendAttempt, std::less<>> attempts_;      // id of a message -> its draft; rewinds keep them
};

}  // namespace ptcvm::harness
