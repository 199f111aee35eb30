// Calls of a planner that may or may not have happened, as a conversation sees them. A rewind and the beginning of a
// call are in one log: the first of the two counts, whether an agent calls or a program.
#include <algorithm>

#include "agents/harness/conversation/conversation_view.h"

namespace ptcvm::harness {

namespace {

constexpr std::string_view kSettled = "settled/";   // begins the signal of a doubt that was settled

// Returns the id of the newest question about the call when nobody has answered it, or "".
std::string question_about(const ConversationView& view, std::string_view call) {
  std::string qid;
  for (const Fact& fact : view.facts()) {
    if (fact.type == FactType::agent_question && text_of(fact.body, "call") == call) qid = text_of(fact.body, "qid");
    if (fact.type == FactType::user_answer && text_of(fact.body, "qid") == qid) qid.clear();
  }
  return qid;
}

}  // namespace

std::string settled_signal(std::string_view key) { return std::string(kSettled).append(key); }

bool is_settled_signal(std::string_view signal) { return signal.starts_with(kSettled); }

std::vector<UnsettledCall> ConversationView::unsettled_calls() const {
  std::vector<UnsettledCall> calls;
  for (const auto& [program, waits] : program_waits_) {
    for (const ProgramWait& wait : waits) {
      const bool is_open = is_settled_signal(wait.signal) && is_waited_for(wait.signal) && !has_arrived(wait.signal);
      if (is_open) calls.push_back({program, wait.signal.substr(kSettled.size())});
    }
  }
  return calls;
}

void ConversationView::take_program_call(const HostFact& fact, const boost::json::object& body) {
  const bool begins = fact.name == kProgramCallBegun;
  if (!begins && fact.name != kProgramCallEnded) return;
  const UnsettledCall call{std::string(text_of(body, "program")), std::string(text_of(body, "key"))};
  std::erase(program_calls_, call);
  if (begins) program_calls_.push_back(call);
}

std::string ConversationView::question_about_call() const {
  const PlannerCall* const call = calls_.open();
  return call == nullptr ? std::string() : question_about(*this, call->key);
}

bool ConversationView::has_unknown_call(bool also_of_program) const {
  if (calls_.open() != nullptr) return true;
  return also_of_program && (!unsettled_calls().empty() || !program_calls_.empty());
}

std::string ConversationView::unknown_call() const {
  if (const PlannerCall* const call = calls_.open()) {
    const std::string qid = question_about_call();
    const std::string what = "nobody knows yet what became of the call of " + call->tool + " with " + call->args_json;
    if (qid.empty()) return what + ": let the planner go on, which asks about the call when it is in doubt";
    return what + ": answer the question " + qid + ", and let the planner go on";
  }
  const std::vector<UnsettledCall> calls = unsettled_calls();
  if (calls.empty() && !program_calls_.empty()) {
    return "the call " + program_calls_.front().key +
           " of the planner is being made: wait until it is done, and let the planner go on";
  }
  if (calls.empty()) return {};
  return "the call " + calls.front().key +
         " of the planner is in doubt: settle it (`ptcvm doubt list` shows how), and let the planner go on";
}

}  // namespace ptcvm::harness
