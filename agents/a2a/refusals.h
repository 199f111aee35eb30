// What the answer of a server says of a message that was posted to it: the one place that decides it. A message that
// was surely not taken may go out again under another id; one that may have been taken stays in flight under its id.
#pragma once
#include <boost/json/object.hpp>
#include <string_view>

namespace ptcvm::a2a {

// Returns the detail of the error (agents/harness/sending/outbox.h) of an answer with this status of HTTP, which is not
// 200: kNotTaken, kNotReached when the request may be made again at once, or kMayBeSent.
std::string_view detail_of_status(int status);
// Returns the detail of an error of JSON-RPC: "" when the agent refused the request, kNotReached when it may be made
// again at once, or kMayBeSent.
std::string_view detail_of_failure(const boost::json::object& failure);
// Returns whether the error says that the server found no request in the body: such an answer has the id null.
bool is_of_unread_request(const boost::json::object& failure);

}  // namespace ptcvm::a2a
