#include "agents/harness/pass/evaluate.h"

#include <algorithm>
#include <cmath>

#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

std::uint64_t fired(std::uint64_t seq, std::uint64_t planned) { return seq > planned ? seq : 0; }

TriggerSeqs fired_triggers(const ConversationView& view, const TriggerSeqs& planned) {
  return {.status = view.status() == "input-required" ? fired(view.status_seq(), planned.status) : 0,
          .inbound = fired(view.inbound_seq(), planned.inbound),
          .outbound = fired(view.outbound_seq(), planned.outbound),
          .whisper = fired(view.whisper_seq(), planned.whisper),
          .answer = fired(view.answer_seq(), planned.answer)};
}

// Returns whether a trigger fired that had not fired then, besides answers.
bool has_news(const TriggerSeqs& now, const TriggerSeqs& then) {
  return now.status > then.status || now.inbound > then.inbound || now.outbound > then.outbound ||
         now.whisper > then.whisper;
}

// A fact that the parked pass waits for lets it go on, whatever else is in the way. A new trigger gives it up.
bool goes_on(const ConversationView& view, const TriggerSeqs& fired) {
  const std::optional<ParkedPass>& parked = view.parked_pass();
  return parked && !has_news(fired, parked->fired) && view.may_resume();
}

// Returns whether a person wrote the draft after the last word of a person: nothing outdates it.
bool is_last_word(const DraftState& draft, const TriggerSeqs& fired) {
  return draft.writer == 0 && draft.seq > std::max(fired.whisper, fired.answer);
}

PassDecision park(PassDecision decision, ParkReason reason) {
  decision.verdict = Verdict::Park;
  decision.reason = reason;
  return decision;
}

}  // namespace

std::size_t most_facts_of(std::span<const json::value> settings) {
  for (const json::value& setting : settings) {
    const auto number = number_of({{"setting", setting}}, "setting");
    if (number && std::isfinite(*number) && *number >= 1) return static_cast<std::size_t>(std::min(*number, 1e9));
  }
  return EvaluateRules{}.most_facts;
}

PassDecision evaluate(const ConversationView& view, const PlanCursor& cursor, const EvaluateRules& rules) {
  PassDecision decision;
  decision.is_kickoff = !rules.has_task && view.wants_kickoff();
  if (!decision.is_kickoff && view.counted() >= rules.most_facts) {
    decision.verdict = Verdict::Freeze;
    return decision;
  }
  const bool same_generation = cursor.generation == view.generation();
  decision.fired = fired_triggers(view, same_generation ? cursor.planned : TriggerSeqs{});
  if (goes_on(view, decision.fired)) {
    decision.verdict = Verdict::Run;
    decision.resumes = true;
    const std::uint64_t answer = decision.fired.answer;
    decision.fired = view.parked_pass()->fired;
    decision.fired.answer = std::max(decision.fired.answer, answer);
    return decision;
  }
  if (!decision.is_kickoff && decision.fired == TriggerSeqs{}) return decision;
  const bool before_any_message = view.status() == "submitted" && !view.has_public();
  if (!decision.is_kickoff && view.status() != "input-required" && !before_any_message) {
    return park(std::move(decision), ParkReason::Status);
  }
  const bool person_spoke = decision.fired.whisper != 0 || decision.fired.answer != 0;
  if (const DraftState* const draft = view.draft(view.unsent_draft())) {
    const bool stays = !person_spoke || is_last_word(*draft, decision.fired) || !draft->in_flight.empty();
    if (stays) return park(std::move(decision), ParkReason::Draft);
    decision.verdict = Verdict::Dismiss;
    decision.dismissed = view.unsent_draft();
    return decision;
  }
  const bool only_status = !person_spoke && decision.fired.inbound == 0 && decision.fired.outbound == 0;
  if (view.open_question() != nullptr && only_status && !decision.is_kickoff) {
    return park(std::move(decision), ParkReason::Question);
  }
  const std::optional<ParkedPass>& parked = view.parked_pass();
  if (parked && !has_news(decision.fired, parked->fired) && decision.fired.answer <= parked->fired.answer) {
    return park(std::move(decision), ParkReason::Wait);
  }
  decision.verdict = Verdict::Run;
  return decision;
}

}  // namespace ptcvm::harness
