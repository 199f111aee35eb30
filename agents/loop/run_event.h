// What happens in a run of an agent, for people who watch it: the text of replies as it comes, calls of tools, what the
// run waits for, how it ended. The host makes events from what it does anyway, or reads them from the store
// (stored_events.h), and hands them to readers with an EventFeed (event_feed.h).
//
//   feed.tell(tool_start(order));                          // before the host calls the tool
//   feed.tell(tool_end(order.path, true, "{\"n\": 1}"));   // when the answer is there
//   socket.write(server_sent_event(event));                // one event for a browser
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agents/loop/agent_run.h"

namespace ptcvm::loop {

// The quoted names are what event_name() returns.
enum class RunEventKind : std::uint8_t {
  Started,      // "started": the run has begun; json is its data
  Said,         // "said": text is what the user said
  ModelStart,   // "model_start": a request goes out
  Token,        // "token": text is the next piece of the reply that comes for the path
  ModelEnd,     // "model_end": text is the text of the whole reply; without is_ok the attempt gave none
  ToolStart,    // "tool_start": the tool of the path is called; json is the arguments
  ToolEnd,      // "tool_end": json is the answer; without is_ok, text is the error
  Answered,     // "answered": a person has answered what waited at the path: json, or without is_ok the text
  TurnEnd,      // "turn_end": json has the number and the kind of the turn
  Waiting,      // "waiting": json is a list of what the run waits for from outside; [] when there is nothing
  Ended,        // "ended": json is the result; without is_ok, text is the message, and json has the reason
};

// One event. It owns its parts.
struct RunEvent {
  RunEventKind kind{};
  std::string path;           // the operation that the event is about ("broker/quote#2", "model"); "" for the run
  std::string text;           // UTF-8
  std::string json;           // "" when the event has none
  bool is_ok = true;
  std::uint64_t number = 0;   // the place of its fact in the log of the run; 0: the log has no such fact
};

std::string_view event_name(RunEventKind kind);
// Returns how many bytes of memory the event counts for in an EventFeed.
std::size_t event_bytes(const RunEvent& event);
// Writes the event as one line of JSON without a line end: {"event": NAME, "path": …, "text": …, "ok": …, "data": …}.
// Members that are empty are left out; "data" is the member json.
std::string event_json(const RunEvent& event);
// Writes the event as server-sent event: its name, its number as the id when it has one, and event_json() as the data.
std::string server_sent_event(const RunEvent& event);

RunEvent model_start(const Operation& request);
RunEvent tool_start(const Operation& call);
// `answer` is JSON when the call went well, else a text for people.
RunEvent tool_end(std::string_view path, bool is_ok, std::string_view answer);
RunEvent turn_end(const AgentRun& run, std::uint32_t turn);
// Lists what pending() lists, each with its path, its kind and, for a call, the tool with its arguments. The member
// "suspended" of an entry says that the run waits for nothing else than for people and time.
RunEvent waiting(const AgentRun& run);
// Says how a run that is over has ended.
RunEvent ended(const AgentRun& run);

}  // namespace ptcvm::loop
