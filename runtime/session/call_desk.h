// Serves the calls of a session: finds the tool, binds the arguments, asks the gate, and calls the handler or hands the
// call to the host. A call that cannot be made fails here; a call that waits stays among the requests of the run.
//
// The answers of calls that wait together go into the cache together, when all of them are there (answer_cache.h).
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/calls/tools.h"
#include "runtime/session/answer_cache.h"
#include "runtime/session/call_replies.h"
#include "runtime/session/gate.h"
#include "runtime/session/handed_calls.h"
#include "runtime/session/outbox.h"
#include "runtime/session/outcome.h"
#include "runtime/session/retries.h"
#include "runtime/session/turn_clock.h"
#include "vm/exec/run.h"

namespace ptc {

class CallDesk {
 public:
  // All of them must outlive the desk.
  CallDesk(Run& run, Outbox& outbox, Gate& gate, const TurnClock& clock)
      : run_(run), outbox_(outbox), gate_(gate), clock_(clock) {}

  ToolRegistry& own_tools() { return own_tools_; }
  void share_tools(std::shared_ptr<const ToolRegistry> tools) { shared_tools_ = std::move(tools); }   // instead
  const std::shared_ptr<const ToolRegistry>& shared_tools() const { return shared_tools_; }
  const ToolRegistry& registry() const { return shared_tools_ ? *shared_tools_ : own_tools_; }

  void begin_turn();            // forgets the calls of the turn before
  // Serves every request of the run once. Requests that are left wait for the host, a person or a further attempt.
  void serve();
  void forget();                // gives back every value of the heap of the run

  // Answers a call of a deferred tool, or one that was handed out; takes the values of the reply. Returns false when
  // no such call waits. `micros`: how long the call took.
  bool answer(std::uint64_t request_id, ToolReply taken, std::uint64_t micros = 0);
  // Hands every call to the host instead of calling handlers. Before the first step.
  void hand_out_all() { handed_.hand_out_all(); }
  const HandedCalls& handed() const { return handed_; }
  // Tells the reader of the outbox that the host makes the call now; or that the call failed and is made again.
  void note_call(std::uint64_t request_id, std::uint64_t attempt);
  void note_retry(std::uint64_t request_id, std::string_view error, std::uint64_t attempt, std::int64_t pause_ms,
                  std::uint64_t micros);

  const Retries& retries() const { return retries_; }
  AnswerCache& cache() { return cache_; }
  const AnswerCache& cache() const { return cache_; }
  // Returns whether a snapshot has all that the desk knows.
  bool is_in_snapshot() const { return retries_.empty() && !cache_.has_fresh() && shared_tools_ != nullptr; }
  // Returns calls that wait for the host: calls of deferred tools, and calls about which a hook asks. The turn goes on
  // when all of them are answered, so that the order of the answers does not change what the program sees.
  std::vector<WaitingCall> waiting() const;

 private:
  void serve(const ToolRequest& request);
  bool bind(const ToolRequest& request, const Tool& tool, Owned& args);
  void call(const ToolRequest& request, const Tool& tool, Value borrowed_args, std::string cache_key);
  ToolCall call_of(const ToolRequest& request, const Tool& tool, Value borrowed_args, std::uint64_t attempt) const;

  Run& run_;
  Outbox& outbox_;
  Gate& gate_;
  const TurnClock& clock_;
  ToolRegistry own_tools_;
  std::shared_ptr<const ToolRegistry> shared_tools_;
  AnswerCache cache_{run_};
  CallReplies replies_{run_, outbox_, cache_};
  Retries retries_{run_, outbox_};
  HandedCalls handed_{run_};
};

}  // namespace ptc
