// Recorded tool answers, given again: a call takes the first unused record with equal name and arguments, else the last
// such record again, else it is a tool error. Asynchronous tools get their recorded answers when the program suspends.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session/session.h"
#include "runtime/calls/tools.h"

namespace ptc {

struct RecordedCall {
  std::string tool;
  std::string args_edn;
  std::optional<std::string> result_edn;
  std::optional<std::string> error_edn;      // any EDN; a string is the message, other values their text
};

// Independent of the session that it answers: its values live in a heap of its own.
class ToolReplay {
 public:
  ToolReplay() = default;
  ~ToolReplay();
  ToolReplay(const ToolReplay&) = delete;
  ToolReplay& operator=(const ToolReplay&) = delete;

  // A message when the arguments cannot be read.
  std::optional<std::string> add(RecordedCall call);
  ToolReply answer(const ToolCall& call);
  // Of an async or auto tool: a pending operation, whose recorded answer comes by answers_to_waiting().
  static ToolReply start(const ToolCall&) { return ToolReply::pending(); }
  // What is recorded for every waiting operation of a tool, in the order of opening.
  std::vector<Resolution> answers_to_waiting(Session& session);
  // Which records were used: for another process that goes on with the same records.
  std::string state() const;
  void set_state(std::string_view state);

 private:
  struct Entry {
    RecordedCall call;
    Value args;              // owned
    bool used = false;
  };

  Entry* find(const ToolCall& call);

  Heap heap_;
  std::vector<Entry> entries_;
};

// The order in which answers that came together are told to the program.
class ResolveOrder {
 public:
  static ResolveOrder fifo() { return ResolveOrder(Kind::Fifo, 0); }
  static ResolveOrder lifo() { return ResolveOrder(Kind::Lifo, 0); }
  // A permutation that depends on the seed alone; another one at every suspension.
  static ResolveOrder shuffled(std::uint64_t seed) { return ResolveOrder(Kind::Shuffled, seed); }
  void arrange(std::vector<Resolution>& resolutions);
  std::uint64_t state() const { return state_; }
  void set_state(std::uint64_t state) { state_ = state; }

 private:
  enum class Kind : std::uint8_t { Fifo, Lifo, Shuffled };
  ResolveOrder(Kind kind, std::uint64_t seed) : kind_(kind), state_(seed) {}
  std::uint64_t next_random();

  Kind kind_;
  std::uint64_t state_;
};

// One visit to a suspended session: every recorded answer, or when there is none the time of its next deadline.
// Nothing: the program waits for what will not come.
std::optional<Outcome> resume_from_replay(Session& session, ToolReplay& replay, ResolveOrder& order,
                                          const Outcome& suspended);
// The same until the turn is over or nothing more can come.
Outcome finish_from_replay(Session& session, ToolReplay& replay, ResolveOrder& order, Outcome outcome);

}  // namespace ptc
