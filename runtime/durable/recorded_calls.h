// What becomes of a call that a session hands out, by what the log says about it: the recorded answer, a new attempt,
// a pause before one, or a failure. A call is known by its idempotency key (effect_facts.h). A call of a pure tool is
// made without facts, unless it failed and will be tried again.
//
// A call that may have happened, and that may not simply be made again, is in doubt: the session gets no answer, and no
// further call begins, until its tool or a person has said what became of it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/durable/effect_facts.h"
#include "runtime/durable/run_facts.h"
#include "runtime/session/session.h"

namespace ptc {

// A call that the host makes now.
struct OpenCall {
  std::uint64_t id = 0;          // the number of the request in its session
  const Tool* tool = nullptr;
  std::string key, args_edn, task;
  std::string path;              // the name of the call in the program (CallMeta::idempotency_key)
  std::uint64_t attempt = 1;
};

class RecordedCalls {
 public:
  RecordedCalls(LogWriter& writer, RunFacts& facts) : writer_(writer), facts_(facts) {}

  // Looks at every call that the session hands out. Answers those whose answer is recorded. Opens others, up to `most`
  // calls in flight: their intents are staged, and the caller must write them before anybody makes the calls. Returns
  // whether the session got an answer.
  bool open(Session& session, std::size_t most);
  const std::map<std::uint64_t, OpenCall>& in_flight() const { return in_flight_; }
  // Returns whether an intent was staged since the last time that somebody asked.
  bool take_new_intents() { return std::exchange(has_new_intents_, false); }
  // Returns when the first of the calls that failed is made again; ms since 1970. nullopt: there is none.
  std::optional<std::int64_t> next_attempt_ms() const;

  // Takes the answer of a call in flight: stages what became of it and, unless the call will be made again or is in
  // doubt now, answers the session. Returns false when there is no such call.
  bool answer(Session& session, std::uint64_t id, ToolReply reply, std::uint64_t micros);

  bool has_doubts() const { return !doubted_.empty(); }
  // Learns what became of calls in doubt: what others said, and what tools of reconcilable calls say; a call that did
  // not happen has failed. The log must know the doubts. Returns whether one of them is settled now.
  bool settle_doubts(Session& session);
  // Waits for no call any more; `why` says why the ones in doubt have no answer.
  void leave_calls(Session& session, const std::string& why);
  void clear();

 private:
  std::vector<OpenCall> new_calls(Session& session, std::uint64_t from, std::size_t most) const;
  void begin_due(Session& session, std::size_t most);
  bool forget_settled_doubts();
  bool look_up(Session& session, OpenCall& made);
  void doubt(Session& session, OpenCall call, ToolReply reply);
  bool tell(Session& session, OpenCall call, ToolReply reply, std::uint64_t micros);
  void begin(Session& session, OpenCall call, bool needs_intent);
  std::optional<ToolReply> recorded_answer(const LoggedEffect& known, const OpenCall& call, Heap& heap) const;
  ToolReply value_of(const LoggedEffect& known, Heap& heap) const;
  Fact intent(const OpenCall& call) const;
  void stage_settlement(const OpenCall& call, const ToolReply& reply, Heap& heap);

  LogWriter& writer_;
  RunFacts& facts_;
  std::map<std::uint64_t, OpenCall> in_flight_;      // by id
  struct Pause {
    OpenCall call;                                   // the attempt to come
    std::int64_t until_ms = 0;
  };
  std::map<std::uint64_t, Pause> paused_;            // by id
  struct Doubt {
    OpenCall call;
    std::string why;                                 // there is no answer
  };
  std::map<std::uint64_t, Doubt> doubted_;           // by id
  bool has_new_intents_ = false;
};

}  // namespace ptc
