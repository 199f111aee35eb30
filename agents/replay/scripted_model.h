// A model that says what a script tells it to say. The script is lines of JSON (docs/agents.md, "Scripts"); a line
// answers one call, each once and in order. The model has no file and no clock. One thread at a time uses it.
//
//   auto read = ScriptedModel::read(text);                      // or a list of JSON values
//   auto answered = std::get<ScriptedModel>(read).answer({.path = "broker/desk", .body = request, …});
//   if (const auto* answer = std::get_if<ScriptedAnswer>(&answered)) …
#pragma once
#include <boost/json/array.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agents/replay/model_call.h"
#include "agents/replay/replay_failure.h"
#include "agents/replay/script_line.h"

namespace ptcvm::replay {

struct ScriptedAnswer {
  HttpAnswer http;
  std::int64_t delay_ms = 0;   // virtual: the driver lets so much of its time pass before the answer
  std::size_t line = 0;        // which line was used, from 1
};

class ScriptedModel {
 public:
  // Reads lines of JSON; empty lines do not count. Failure: script_invalid with the number of the line. In a text, a
  // member that is written twice is such a failure.
  static Replayed<ScriptedModel> read(std::string_view text);
  static Replayed<ScriptedModel> read(const boost::json::array& lines);

  // Answers with the next line of the path and holds what the line expects against the request. A line for `ask` also
  // answers the later calls `ask#2`, `ask#3` of that child, after the lines that name exactly them.
  //
  // A reply that is cut tells its usage only in a stream: a document is not read before it is whole.
  //
  // Failures: request_invalid (a call of a tool has no result behind it), script_used_up, script_expectation.
  Replayed<ScriptedAnswer> answer(const ModelCall& call);
  // Makes a line usable again, because the attempt that used it was lost.
  void give_back(std::size_t line);
  // Marks the first `count` lines of the path as used, for a run that goes on with a script that was read again.
  void skip(std::string_view path, std::size_t count);
  // Returns how many lines nothing has used.
  std::size_t lines_left() const;

 private:
  struct Entry {
    ScriptLine line;
    bool is_used = false;
  };

  Entry* next_for(std::string_view path);

  std::vector<Entry> entries_;
  std::map<std::string, std::string, std::less<>> first_static_;   // by path
};

}  // namespace ptcvm::replay
