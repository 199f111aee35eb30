// What a log says about the run under test: facts read from the lines that Store::log_json() writes, and what follows
// from them. The runtime has folds of its own; these here are independent of the code that they judge.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/crash_report.hpp"
#include "ptcvm/result.hpp"

namespace ptcvm::crash {

// A line of a log. Texts that a line does not have are "".
struct Fact {
  std::string line;                        // as it was written
  std::string kind, author, key, id, value, status, tool, args, effect, idempotency_key;
  std::uint64_t number = 0;                // which attempt an intent or its answer belongs to
};

// Reads a log. store_failed: a line is not a fact.
Result<std::vector<Fact>> read_facts(std::string_view log_json);

// What is known of a call.
enum class CallState : std::uint8_t {
  Intended, Committed, Failed, Partial, Pending, InDoubt, NotDone, GivenUp
};

// All attempts of one call, that is of one idempotency key.
struct Call {
  std::string tool, args, effect;
  std::uint64_t attempts = 0;
  std::uint64_t excused = 0;               // attempts that failed, or of which a person said that they did not happen
  bool by_person = false;                  // the newest attempt was settled by a person
  CallState state{};                       // what became of the newest attempt

  bool is_open() const { return state == CallState::Intended || state == CallState::InDoubt; }
  bool is_done() const {
    return state == CallState::Committed || state == CallState::Partial || state == CallState::Pending;
  }
  // Returns whether a repetition needs somebody's word.
  bool is_asked_for() const { return effect != "pure" && effect != "idempotent" && effect != "keyed"; }
};
using Calls = std::map<std::string, Call>;   // by idempotency key

Calls calls_of(std::span<const Fact> facts);
// Returns the most calls that were open at one time, each with its intent in the log and without an answer.
std::size_t most_open_calls(std::span<const Fact> facts);
// Returns the tasks and the values from outside that the log holds and that no reset has taken back.
std::vector<Task> tasks_of(std::span<const Fact> facts);
// Returns the key of the call that started the operation, as the program names the call; "" when the log has none.
std::string key_of_operation(std::span<const Fact> facts, const std::string& operation);

}  // namespace ptcvm::crash
