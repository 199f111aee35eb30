// What people say to an agent of a queue: the log of the run keeps it, and a worker goes on.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptcvm/queues.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm::cli {

// The words of `ptcvm agent resume`: OP=JSON, OP=TEXT, LIMIT=NUMBER, TEXT.
struct ToldAgent {
  std::vector<std::string> resolved, rejected, raised, said;
  bool ends = false;                         // the session is over
};

// Reads what people answer: JSON, or @ and a file of it. Returns nullopt, and the reason in `message`, when the answer
// cannot be read; `path` names the operation there.
std::optional<Value> read_told_value(const std::string& path, const std::string& text, std::string& message);

// A limit, and by how much it is raised or how much it is.
struct LimitNumber {
  std::string limit;
  std::uint64_t number = 1;
};
// Reads LIMIT=NUMBER. Returns nullopt, and the reason in `message`, when the words say nothing else or no such number.
std::optional<LimitNumber> read_limit_number(const std::string& words, std::string& message);

// Returns what its queue says of a run: workers go on with it, and nobody else. nullopt: no queue has it, or it went to
// another store.
std::optional<QueuedRunStatus> queued_agent(const Store& store, const std::string& run);
// Whether the run hears nothing any more, whatever is said.
bool is_over(const QueuedRunStatus& queued);
// Tells the run, and returns the exit status. Nothing is told when something is refused, or when the run is over.
int tell_agent(const Store& store, const QueuedRunStatus& queued, const ToldAgent& told);

}  // namespace ptcvm::cli
