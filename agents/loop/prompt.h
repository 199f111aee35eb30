// The texts that a model reads besides feedback: the static part, the first message, and what the newest message ends
// with. docs/agents.md says how hosts change them.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/loop/agent_impl.h"
#include "ptcvm/value.hpp"

namespace ptcvm::loop {

// Returns the names that a template has, sorted. Error: invalid_value with what is wrong with the template.
Result<std::vector<std::string>> template_names(const std::string& text);

// Returns the system text of an agent. It depends on the definition only.
std::string static_prompt(const CompiledAgent& agent);
// Returns the first message of the user: the task, the data and the wanted answer.
std::string first_message(const CompiledAgent& agent, const boost::json::object& data);

// Which turn of the agent begins.
enum class TurnType : std::uint8_t {
  Work,      // the program may call tools
  Last,      // the last work turn, without tools
  Retry,     // behind the last work turn
  Closing,   // behind a fault after an effect that is not repeatable
};

struct NamedLine {
  std::string_view name, text;
};

struct DefinitionNote {
  std::string_view name, edn, doc;
};

// What the end of the newest message says.
struct TurnNotes {
  TurnType type = TurnType::Work;
  std::uint32_t turn = 1, turns_left = 0;            // the number of the turn; work turns behind it
  std::uint32_t retry = 0, retries = 0;
  std::vector<NamedLine> journal;                    // ids and values as EDN
  std::string progress;                              // the rendered plan, or ""
  std::uint64_t money = 0, money_limit = 0;          // in millionths; no limit: 0
  std::vector<DefinitionNote> definitions;           // made by programs that have left the request
  std::uint64_t most_definition_bytes = UINT64_MAX;  // so much room has their list
};
std::string turn_notes(const CompiledAgent& agent, const TurnNotes& notes);
// Returns the list of definitions as turn_notes() begins with it, at most so many bytes; "" when there is none, or no
// room for one.
std::string definitions_text(const std::vector<DefinitionNote>& definitions, std::uint64_t most);
// Renders the plan as a checklist.
std::string checklist(const std::vector<PlanStep>& plan,
                      const std::vector<std::pair<std::string, std::string>>& summaries);

// Returns the beginning of a value as EDN, at most about `most` bytes. Values under keys that begin with "_" are
// hidden.
std::string preview(ValueView value, std::size_t most);

}  // namespace ptcvm::loop
