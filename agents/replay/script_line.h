// One line of a script of replies, as docs/agents.md describes it.
#pragma once
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/replay/model_call.h"
#include "agents/replay/replay_failure.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::replay {

// Fragments that a part of a request has and lacks.
struct Fragments {
  std::vector<std::string> contains, not_contains;
};

// What a line expects of the request that it answers.
struct Expectation {
  Fragments whole, newest, static_part;
  bool same_static = false;                        // the static part is the one of the first request, byte for byte
  std::optional<std::vector<std::string>> tools;   // sorted names of what the turn may call
};

struct ScriptLine {
  enum class Kind {
    Said,      // the model says something
    Refused,   // the server answers with an HTTP status, headers and a body
    Cut,       // the connection ends within a reply
  };
  std::size_t number = 0;   // from 1
  Kind kind = Kind::Said;
  std::string path;         // the child that the line answers; empty: the root
  SaidReply said;
  HttpAnswer refusal;
  std::int64_t delay_ms = 0;   // virtual time between request and answer
  std::optional<Expectation> expect;
};

// Reads a line; a member that scripts do not have is a failure. `number` is for messages and ids of calls.
Replayed<ScriptLine> read_script_line(const boost::json::value& line, std::size_t number);

// Returns the answer that a server of the call's protocol would send for that line.
HttpAnswer answer_of(const ScriptLine& line, const ModelCall& call);

// Returns what the request of the call lacks or has too much, with what was found; nullopt when it is as expected.
// `first_static` is RequestText::static_bytes() of the first request of the same path.
std::optional<std::string> unmet(const Expectation& expect, const ModelCall& call, std::string_view first_static);

}  // namespace ptcvm::replay
