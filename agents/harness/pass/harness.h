// The harness decides when the planner runs and whether its output is written.
//
//   Harness harness(conversation, options);
//   harness.schedule();
//   while (harness.wants_pass()) {
//     auto pass = harness.begin(now_ms);                  // evaluates, under a claim
//     if (!pass || *pass != Verdict::Run) continue;
//     harness.finish(planner.plan(harness), now_ms);      // writes decisions and cursor in one transaction
//   }
//
// One pass is in flight at a time, in all processes together: a pass holds the claim of the log. A pass that was
// scheduled meanwhile runs afterwards, once. When somebody observed something while the planner thought, the output is
// dropped, the cursor stays, and the trigger is still there. What tasks did is kept.
//
// A Harness belongs to one thread at a time. begin() and finish() may be called in different threads.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "agents/harness/pass/evaluate.h"
#include "agents/harness/pass/planner.h"

namespace ptcvm::harness {

// The rules of a harness.
struct HarnessOptions {
  EvaluateRules rules = {};
  std::int64_t lease_ms = 600'000;          // how long a pass may take before another process takes over
  bool refuses_repeated_drafts = false;     // true: a draft with the text of a dismissed one counts as no output
  std::function<void(const std::optional<Hud>&)> on_hud = {};   // sees each change of the HUD
};

// What became of a pass.
enum class PassEnd : std::uint8_t {
  Committed,   // the facts are in the journal
  Consumed,    // there was nothing to write, and the trigger is used up
  Conflict,    // somebody else was quicker: nothing was written
  Waiting,     // the planner waits; the pass is parked
};

// See the top of this file.
class Harness final : public PlanContext {
 public:
  // `conversation` must outlive the harness.
  explicit Harness(Conversation& conversation, HarnessOptions options = {});
  ~Harness() override;
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  // Names the planner of the next passes. The log keeps the name with drafts, for their messages.
  void set_planner(PlannerName planner) { planner_ = std::move(planner); }
  // Asks for a pass. Calls during a pass ask for one pass after it.
  void schedule() { is_wanted_ = true; }
  bool wants_pass() const { return is_wanted_ && !pass_; }
  bool is_planning() const { return pass_.has_value(); }

  // Writes timer_fired for deadlines that are over, evaluates the journal, and begins a pass when the verdict is Run.
  // Dismisses the draft itself when it is Dismiss: last_end() says whether that was written.
  // busy: another process has a pass; the wish for a pass stays.
  Result<Verdict> begin(std::int64_t now_ms);
  // Ends the pass with what the planner gave. Error: wrong_state without a pass.
  Result<PassEnd> finish(PlanOutput output, std::int64_t now_ms);
  // Calls the planner and ends the pass.
  Result<PassEnd> finish(Planner& planner, std::int64_t now_ms);

  const PassDecision& last_decision() const { return decision_; }
  std::optional<PassEnd> last_end() const { return last_end_; }
  const std::optional<Hud>& current_hud() const { return hud_; }

  // PlanContext, for the planner of the pass.
  const ConversationView& view() const override { return conversation_.view(); }
  bool resumes() const override { return decision_.resumes; }
  boost::json::value task(std::string_view key, const Task& body) override;
  bool record(std::string_view key, const ProposedFact& fact) override;
  void call_begins(const PlannerCall& call) override;
  void call_ended(std::string_view key, CallEnd end, std::string_view outcome) override;
  std::string new_id(std::string_view prefix) override;
  void hud(Hud hud) override;

 private:
  struct Pass {
    std::uint64_t token = 0, cut = 0, ids = 0;
    std::uint64_t seq = 0;    // names the pass: the same in a process that goes on with it
    PlanCursor cursor;        // the cursor at the beginning
    std::uint64_t generation = 0;   // the conversation had it at the beginning
    bool ends_with_sleep = false;   // the last fact at the beginning was a sleep
    std::int64_t now_ms = 0;
  };
  Result<Verdict> act(std::uint64_t token, std::int64_t now_ms);
  Result<void> fire_timers(std::int64_t now_ms);
  Result<PassEnd> commit(std::vector<ProposedFact> facts, bool consumes);
  Result<PassEnd> settle(PlanOutput output);
  Result<PassEnd> park(const std::vector<std::string>& waits);
  void keep(std::string key, std::string_view name, const boost::json::object& body);
  Result<PassEnd> record_failure(std::string_view code, std::string message, boost::json::object fault = {});
  bool repeats_dismissed(const std::vector<ProposedFact>& facts) const;
  PlanCursor consumed() const;
  void show(std::optional<Hud> hud);
  Result<void> give_back();

  Conversation& conversation_;
  HarnessOptions options_;
  PlannerName planner_;
  bool is_wanted_ = false;
  std::optional<Pass> pass_;
  PassDecision decision_;
  std::optional<PassEnd> last_end_;
  std::optional<Hud> hud_;
};

}  // namespace ptcvm::harness
