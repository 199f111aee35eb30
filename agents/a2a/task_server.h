// The server side of A2A over a conversation: message/send, tasks/get and tasks/cancel. Streams are message/send or
// tasks/get first, and then what task_view.h says is new. A messageId that comes again is taken once, and
// refused when it comes with another text or other files.
#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "agents/a2a/json_rpc.h"
#include "agents/harness/conversation/conversation.h"

namespace ptcvm::a2a {

// The URI of the extension by which a server promises to take each messageId once.
inline constexpr std::string_view kOnceExtension = "urn:ptcvm:message-ids-once:v1";

// Returns the description of the agent that a server publishes. `url` is where requests go.
boost::json::object agent_card(std::string_view name, std::string_view url);

// Returns whether a card has the extension above.
bool takes_each_id_once(const boost::json::object& card);

// Does what the request says, and returns the task. A message without a taskId begins the conversation again when it
// has messages already. `author` says when, and who the client is.
std::variant<boost::json::object, RpcFailure> serve_task(harness::Conversation& conversation,
                                                         const RpcRequest& request, const harness::Author& author);

// Returns whether the method answers with a stream: message/stream, tasks/resubscribe.
bool is_streaming(std::string_view method);

}  // namespace ptcvm::a2a
