// What a transport says becomes facts. The transport speaks A2A: a task has a history of messages, a message has parts.
#pragma once
#include <boost/json/object.hpp>
#include <cstddef>
#include <string_view>
#include <vector>

#include "agents/harness/conversation/conversation.h"
#include "agents/harness/facts/base64.h"

namespace ptcvm::harness {

// The most bytes that one task, message or link may have.
inline constexpr std::size_t kMostBodyBytes = 1'500'000;

// Returns the facts of a message: an attachment for each file that came with its bytes, then the message. A message
// with the role "agent" was received, every other was sent. Parts that cannot be read are left out, files that are no
// base64 among them.
std::vector<ProposedFact> facts_of_message(const boost::json::object& message);
// Returns the facts of a task: the messages of its history, oldest first, the message of its status, then its state. A
// message without words and files that does not end the task, one whose parts are no list of objects, and one with a
// file that is no base64 is a message_refused.
std::vector<ProposedFact> facts_of_task(const boost::json::object& task);

}  // namespace ptcvm::harness
