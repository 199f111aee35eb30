// Calls of tools that a planner made, as the conversation knows them. One whose effect must not be repeated is in the
// log before it is made, and so is what became of it. Regenerating drops what a planner proposed and cannot take back
// what its tools did: such calls are given up, and the next pass gets their answers or asks a person.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::harness {

// The names of the facts about calls.
inline constexpr std::string_view kCallBegun = "call_begun", kCallEnded = "call_ended";

// What became of a call.
enum class CallEnd : std::uint8_t {
  Open,       // it is being made, or it is in doubt
  Returned,
  Failed,     // the tool said that it failed; it may have had an effect
  NotMade,    // it was in doubt, and a person says that it did not happen
};

struct PlannerCall {
  std::string key;               // names the call in the conversation: its run, and its path there
  std::string run;               // the run of the planner
  std::string tool, args_json;
  std::string answered_by = {};  // the key of the call whose answer this one got; "" when the tool was called
  CallEnd end = CallEnd::Open;
  std::string outcome = {};      // Returned: the answer as JSON. Failed: why
  std::uint32_t ends = 0;        // how often it ended: a call that did not happen is made again
  bool is_given_up = false;      // what its pass proposed was dropped
  std::uint64_t committed_seq = 0, committed_writer = 0;   // the cursor after its pass; 0 before
};

// See the top of this file.
class PlannerCalls {
 public:
  // Take the facts of the log, in order.
  void begun(const boost::json::object& body);
  void ended(const boost::json::object& body);
  // The passes up to here have used up their triggers; the cursor was written under that claim.
  void committed(std::uint64_t seq, std::uint64_t writer);
  void said(std::uint64_t seq);                  // a message went out: what was given up is over
  void rewound(std::uint64_t to);                // the conversation was rewound to that fact
  void dismissed(std::uint64_t writer);          // the draft of that claim was dismissed
  void forget();                                 // the conversation begins anew; what nobody knows stays

  const PlannerCall* find(std::string_view key) const;   // valid until the next fact
  // Returns the first call whose outcome nobody knows, or nullptr. Valid until the next fact.
  const PlannerCall* open() const;
  // Returns the calls of the tool that were made and given up, oldest first.
  std::vector<const PlannerCall*> given_up(std::string_view tool) const;
  // Returns whether a call of that run got the answer of this one.
  bool is_used(const PlannerCall& call, std::string_view run) const;

 private:
  std::vector<PlannerCall> calls_;
};

// Write the facts about calls.
boost::json::object begun_json(const PlannerCall& call);
boost::json::object ended_json(std::string_view key, CallEnd end, std::string_view outcome);

}  // namespace ptcvm::harness
