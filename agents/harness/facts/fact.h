// Facts of a conversation. Everything that happened is a fact: what was said, what the planner proposed, what the
// person wants. The table facts.def has the types. A fact has a body, a JSON object whose members depend on the type:
//
//   status_changed     a2a
//   message_received   messageId, text, attachments?
//   message_sent       messageId, text, attachments?, composeId?
//   message_refused    messageId, text (of the message that was not taken)
//   attachment_added   name, mimeType, bytes (base64), origin (inbound, user, synthesized), producedBy?
//   tool_call          callId, name, args           tool_result      callId, ok, result?, error?
//   agent_question     qid, prompt, required?, placeholder?, choices?
//   user_answer        qid, text                    user_guidance    gid, text
//   compose_intent     composeId, text, attachments?, nextStateHint?, replaces? (the draft that a person edited)
//   compose_dismissed  composeId, replacedBy?       sleep            reason?
//   planner_error      code, message, detail?, stage, attempts, announce?, relatesTo?
//   timer_fired        timer
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/host_log.hpp"

namespace ptcvm::harness {

enum class FactType : std::uint8_t {
#define FACT(name, fact_class, planner, boundary, regenerate, meaning) name,
#include "agents/harness/facts/facts.def"
#undef FACT
};

// Says what regenerating does with facts after the boundary.
enum class OnRegenerate : std::uint8_t { Keep, Drop, DropDecided };

// A row of facts.def.
struct FactInfo {
  FactType type;
  std::string_view name;
  HostFactClass fact_class;   // the class that the fact has when no pass and no task wrote it
  bool planner_may_propose;
  bool is_boundary;
  OnRegenerate on_regenerate;
};

std::span<const FactInfo> fact_infos();
const FactInfo& fact_info(FactType type);
std::optional<FactType> find_fact_type(std::string_view name);

// A fact before the journal has stamped it.
struct ProposedFact {
  FactType type{};
  boost::json::object body;
};

// A fact of the journal.
struct Fact {
  std::uint64_t seq = 0;        // the place in the log, from 1, growing; other things of the log have numbers, too
  std::int64_t time_ms = 0;     // ms since 1970
  HostFactClass fact_class{};   // how it was written
  std::string by;               // who wrote it; "" for the harness
  FactType type{};
  boost::json::object body;
};

// Returns the text of that member of the body, or "" when there is no such text. The view is valid as long as the body.
std::string_view text_of(const boost::json::object& body, std::string_view member);

// Returns whether `status` is a state of a task: "working", "input-required" and so on.
bool is_task_status(std::string_view status);
// Returns what is said of another text: it names the states.
std::string no_task_status(std::string_view status);
// Returns whether a sender may ask for this state: the states of a task except submitted, initializing and unknown.
bool is_next_state(std::string_view status);
// Returns whether nothing follows this state.
bool is_terminal_status(std::string_view status);

// Returns why the body is no body of a fact of this type, or nullopt when it is one.
std::optional<std::string> wrong_body(const ProposedFact& fact);

// A type of facts whose arrival a program can wait for.
struct WaitedFact {
  FactType type;
  std::string_view key, value;   // the member that names the fact, and the member that the program gets
};
std::span<const WaitedFact> waited_facts();

// Returns whether the fact is a message of either side.
bool is_message(FactType type);
// Returns whether the fact is a draft, a question or a sleep: what a batch of a planner ends with.
bool ends_batch(FactType type);

// Takes out of the body what only the journal says of a fact: its number, its time, who wrote it and how.
void remove_stamp(boost::json::object& body);

// Returns the text without spaces, tabs and line feeds at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace ptcvm::harness
