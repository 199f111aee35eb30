// One call of a model, and the HTTP answer that a replayed model gives to it. The bytes are those that a server would
// send, so that an agent reads them through agents/wire like every other answer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "agents/wire/refusal.h"
#include "agents/wire/reply.h"

namespace ptcvm::replay {

struct ModelCall {
  std::string_view path;                        // names of children from the root, as "broker/desk"; empty: the root
  wire::Protocol protocol = wire::Protocol::Chat;
  bool is_stream = false;                       // what the request asks for
  std::string_view body;                        // the request: JSON, as wire::write_request() makes it
  std::span<const std::string> callable = {};   // tools and children that this turn may call, without `run_program`
};

struct HttpAnswer {
  int status = 200;
  wire::Headers headers;
  std::string body;
  bool ends_properly = true;   // false: the connection ends within the message (ReplyReader::End::Cut)
};

}  // namespace ptcvm::replay
