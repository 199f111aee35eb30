// Judges the calls of a session: hooks decide about a call, or ask a person.
//
// A verdict other than "allow" is kept as an approval under the key of its call, and travels in snapshots and in the
// log. So a call is judged once: when its run is restored or run again the verdict is there, and it holds for the
// arguments that were judged and for no others.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/calls/tools.h"
#include "runtime/session/outbox.h"
#include "vm/exec/run.h"

namespace ptc {

class Gate {
 public:
  // Run and outbox must outlive the gate.
  Gate(Run& run, Outbox& outbox) : run_(run), outbox_(outbox) {}

  void set_hooks(ToolHooks hooks) { hooks_ = std::move(hooks); }
  const ToolHooks& hooks() const { return hooks_; }

  // Returns the key under which the call is judged: ToolHooks::key_of, or the idempotency key.
  std::string key_of(const ToolRequest& request) const;
  // Judges a call, whose arguments fit the signature of its tool. Ask means that the call waits for decide(). A call
  // that was judged before gets its verdict again, unless its tool or its arguments are others now: then it is denied.
  ToolVerdict judge(const ToolRequest& request, const ToolCall& call);
  // Returns what is known about the call, or null when a hook allowed it or did not see it yet.
  const Approval* approval_of(const ToolRequest& request) const;
  // Returns the approval if it is a question that nobody has decided, else null.
  const Approval* question_about(const ToolRequest& request) const;
  // Returns whether calls wait, all of them for decisions.
  bool waits_for_decisions_only() const;

  // Decides a question by its key. A question may be decided once. A decision for other arguments is refused. Returns a
  // message when nothing was decided.
  std::optional<std::string> decide(std::string_view key, bool is_allowed, std::string reason,
                                    const std::optional<std::string>& args_edn = std::nullopt);
  const std::map<std::string, Approval, std::less<>>& approvals() const { return approvals_; }
  void load(std::string key, Approval approval) { approvals_.insert_or_assign(std::move(key), std::move(approval)); }

  // Returns the approvals as a snapshot keeps them: key, text, key, text, … restore() takes them instead of its own.
  std::vector<std::string> saved() const;
  void restore(const std::vector<std::string>& saved);

 private:
  ToolVerdict judge_first(std::string key, const ToolCall& call);
  ToolVerdict verdict_again(const Approval& approval, const ToolCall& call);

  Run& run_;
  Outbox& outbox_;
  ToolHooks hooks_;
  std::map<std::string, Approval, std::less<>> approvals_;   // by the keys of calls
};

}  // namespace ptc
