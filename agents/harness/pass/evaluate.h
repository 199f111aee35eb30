// Decides whether the planner runs now. One pure function has the gates in a fixed order; the harness does what the
// function says.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "agents/harness/conversation/conversation_view.h"

namespace ptcvm::harness {

// Says what happens next.
enum class Verdict : std::uint8_t {
  Run,       // call the planner
  Park,      // there is a trigger, and something is in the way: see ParkReason
  Dismiss,   // the person spoke, and the newest draft is no later one of a person: dismiss it, and evaluate again
  Freeze,    // the conversation has too many facts
  Idle,      // there is nothing to do
};

// Says what planning waits for.
enum class ParkReason : std::uint8_t {
  None,
  Status,     // the other side has the turn
  Draft,      // a draft waits for approval
  Question,   // a question waits for an answer
  Wait,       // a pass waits for a fact
};

// The rules of one conversation.
struct EvaluateRules {
  std::size_t most_facts = 200;   // at this number of observations and decisions planning freezes
  bool has_task = false;          // a task existed when the harness was made, so there is nothing to kick off
};

// Returns the first setting that is a positive number, or a text with one, without its fraction; 200 without one.
// The setting that counts most comes first. The result is for EvaluateRules::most_facts.
std::size_t most_facts_of(std::span<const boost::json::value> settings);

struct PassDecision {
  Verdict verdict = Verdict::Idle;
  ParkReason reason = ParkReason::None;   // set with Park
  std::string dismissed;                  // with Dismiss: the draft
  TriggerSeqs fired;                      // the triggers that fired; 0 for the others
  bool resumes = false;                   // with Run: the pass that was parked goes on
  bool is_kickoff = false;                // the conversation is empty, and the person wants to begin
};

// Returns what happens next, from the journal and the cursor alone.
PassDecision evaluate(const ConversationView& view, const PlanCursor& cursor, const EvaluateRules& rules);

}  // namespace ptcvm::harness
