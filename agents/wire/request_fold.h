// Makes the JSON of a request, protocol by protocol (request.h).
#pragma once
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "agents/wire/request.h"

namespace ptcvm::wire {

boost::json::object chat_request(std::string_view provider, const Request& request);
boost::json::object responses_request(std::string_view provider, const Request& request);
boost::json::object messages_request(std::string_view provider, const Request& request);

// Returns whether the server gets what it sent, as it sent it.
bool goes_back_unchanged(Protocol protocol, std::string_view provider, const ModelTurn& turn);
// Returns the arguments of a call as text of JSON.
std::string argument_text(const ToolCall& call);

}  // namespace ptcvm::wire
