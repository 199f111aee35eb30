// Replies as one document of their protocol. A stream has a hundred bytes around each word; what is kept of it has not.
#pragma once
#include <boost/json/object.hpp>
#include <optional>

#include "agents/wire/reply.h"

namespace ptcvm::wire {

// Returns the body of an answer without a stream that reads as the same reply: text, calls, content, stop and usage.
// nullopt when the reply is not complete, or when it has something that such a document would not give back.
std::optional<boost::json::object> reply_document(Protocol protocol, const Reply& reply);

}  // namespace ptcvm::wire
