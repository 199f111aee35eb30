// Writes what a model says as the bytes that a server of a protocol sends: the opposite of wire::ReplyReader.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/wire/reply.h"

namespace ptcvm::replay {

struct SaidCall {
  std::string id, name;
  std::string arguments_text;   // sent as it is, readable JSON or not
};

struct SaidReply {
  std::string text;
  std::vector<SaidCall> calls;
  std::optional<wire::TokenUsage> usage;
};

// Writes one document of JSON. Messages has no place for arguments that are no JSON: they become a string.
std::string reply_document(wire::Protocol protocol, const SaidReply& reply);
// Writes a whole stream of server-sent events.
std::string reply_stream(wire::Protocol protocol, const SaidReply& reply);
// Writes the beginning of a stream: the text and the usage came, and the terminal event did not. Calls are left out.
std::string cut_reply_stream(wire::Protocol protocol, const SaidReply& reply);

}  // namespace ptcvm::replay
