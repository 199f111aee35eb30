// One line of the batch protocol: a JSON request in, a JSON answer out.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/engine.hpp"
#include "ptcvm/tools.hpp"

namespace ptcvm::cli {

// Tools that every request may call, besides the tools that it names itself.
struct LiveTools {
  std::function<void(Tools&)> add_to = [](Tools&) {};   // called by several threads at once
  std::vector<std::string> arguments = {};              // that give the process of a hop the same tools
};

// Returns the answer to one request line, without the newline. Never fails: a line that is no request is answered with
// bad_request. Safe to call from several threads.
std::string answer_request(const Engine& engine, std::string_view line, std::int64_t protocol = 1,
                           const LiveTools& live = {});
// Returns the answer to the first line of a stream when the line is a header, {"protocol": 2}, or nullopt when it is a
// request. `protocol` becomes the version of the stream, 0 when the engine does not speak it.
std::optional<std::string> answer_header(std::string_view line, std::int64_t& protocol);
// Returns the answer to a line that is longer than the protocol takes.
std::string refuse_request(std::string_view message);

// Answers in the process of a hop what answer_request() wrote to it: 'A' and the answer, or 'H' and the next state.
std::string answer_hop(const Engine& engine, const LiveTools& live, std::string_view input);

}  // namespace ptcvm::cli
