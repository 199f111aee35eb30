// Gives recorded answers of tools again. A call takes the first unused record with equal name and arguments, else the
// last such record again, else the call is a tool error. Asynchronous tools get their recorded answers when the program
// suspends.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/calls/tools.h"
#include "runtime/session/session.h"
#include "tools/ptcvm/program/resolve_order.h"

namespace ptc {

struct RecordedCall {
  std::string tool;
  std::string args_edn;
  std::optional<std::string> result_edn;
  std::optional<std::string> error_edn;      // any EDN; a string is the message, other values give their text
};

// Answers the calls of a session. The replay is independent of the session: its values are in a heap of its own.
class ToolReplay {
 public:
  ToolReplay() = default;
  ~ToolReplay();
  ToolReplay(const ToolReplay&) = delete;
  ToolReplay& operator=(const ToolReplay&) = delete;

  // Adds a record. Returns a message when the arguments cannot be read.
  std::optional<std::string> add(RecordedCall call);
  ToolReply answer(const ToolCall& call);
  // Starts an operation of an async or auto tool; answers_to_waiting() gives the recorded answer.
  static ToolReply start(const ToolCall&) { return ToolReply::pending(); }
  // Returns the recorded answers of all waiting operations of tools, in the order in which the operations were opened.
  std::vector<Resolution> answers_to_waiting(Session& session);
  // Returns which records were used, for another process that goes on with the same records.
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

using ptcvm::cli::ResolveOrder;

// Resumes a suspended session with every recorded answer, or when there is no answer with the time of its next
// deadline. Returns nullopt when the program waits for something that will not come.
std::optional<Outcome> resume_from_replay(Session& session, ToolReplay& replay, ResolveOrder& order,
                                          const Outcome& suspended);
// Resumes until the turn is over or nothing more can come.
Outcome finish_from_replay(Session& session, ToolReplay& replay, ResolveOrder& order, Outcome outcome);

}  // namespace ptc
