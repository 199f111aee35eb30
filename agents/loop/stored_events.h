// The events of a stored run, read from its log. The number of an event is the place of its fact in the log, so that a
// browser that comes back with `Last-Event-ID` gets what it has missed, also from another process of the server. Text
// that was coming when a process died has no fact: the request is sent again, and its text comes again.
//
//   auto page = stored_events(store, "chat-7", last_event_id);
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "agents/loop/run_event.h"
#include "ptcvm/store.hpp"

namespace ptcvm::loop {

struct StoredEvents {
  std::vector<RunEvent> events;   // in the order of the log
  std::uint64_t seen = 0;         // the last fact that was read; the next page begins after it
  bool is_all = true;             // the log has no more facts
};

// Reads at most `most_facts` facts after `after`. Facts that say nothing to people give no event. Arguments of more
// than 256 bytes are not in the log: such a tool_start has no data. Errors: what HostLog::read() returns.
Result<StoredEvents> stored_events(const Store& store, const std::string& id, std::uint64_t after,
                                   std::size_t most_facts = 1'000);

}  // namespace ptcvm::loop
