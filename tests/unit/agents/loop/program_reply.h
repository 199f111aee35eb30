// What a model answers when it writes a program.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <string_view>

#include "agents/loop/agent_run.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {

inline ModelReply writes(std::string_view program) {
  replay::SaidReply said;
  const std::string arguments = boost::json::serialize(boost::json::object{{"program", program}});
  said.calls.push_back({"c1", "run_program", arguments});
  return {200, {}, replay::reply_document(wire::Protocol::Chat, said), false};
}

}  // namespace ptcvm::loop
