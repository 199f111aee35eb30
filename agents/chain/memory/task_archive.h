// Keeps records of tasks, and facts, so that later tasks find them. An archive is derived: everything in it comes from
// logs, and can be made again. drivers/archive has one in SQLite; a host may have another one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/chain/memory/task_record.h"

namespace ptcvm::chain {

// Something that planners of later tasks must know: "The user prefers pnpm".
struct MemoryFact {
  std::string key, content;       // the key is unique
  std::int64_t created_ms = 0;    // ms since 1970
  friend bool operator==(const MemoryFact&, const MemoryFact&) = default;
};

// An earlier task that a search found.
struct Episode {
  std::string task_id, input, result, strategy_id, strategy_version;
  std::int64_t created_ms = 0;
};

// Belongs to one thread at a time. Errors of every call: store_failed.
class TaskArchive {
 public:
  TaskArchive() = default;
  TaskArchive(const TaskArchive&) = delete;
  TaskArchive& operator=(const TaskArchive&) = delete;
  virtual ~TaskArchive() = default;

  // Returns the mark with which the record of a task was kept, or nullopt when there is none.
  virtual Result<std::optional<std::string>> mark(std::string_view task_id) = 0;
  // Keeps a record in place of the one before, in one transaction. Corrections in its feedback become facts.
  virtual Result<void> keep(const TaskRecord& record, std::string_view mark) = 0;
  // Keeps these facts, which are sorted by their keys, in place of the facts that no feedback gave.
  virtual Result<void> keep_facts(const std::vector<MemoryFact>& facts) = 0;

  // Return what has a word of the text, the best match first. Short words without meaning do not count.
  virtual Result<std::vector<MemoryFact>> find_facts(std::string_view text, std::size_t most) = 0;
  virtual Result<std::vector<Episode>> find_episodes(std::string_view text, std::size_t most) = 0;
  // Returns all facts by their keys.
  virtual Result<std::vector<MemoryFact>> facts() = 0;
};

// Returns the words of a text for which an archive looks: in lower case, each once, at most 32.
std::vector<std::string> search_words(std::string_view text);

// Returns when a person gave the feedback of a record, in ms since 1970, or when the task was begun: older logs do not
// say it.
std::int64_t feedback_time(const TaskRecord& record);

// Returns the facts that a record gives: the corrections of its feedback, under "feedback/TASK/NUMBER".
std::vector<MemoryFact> facts_of(const TaskRecord& record);

}  // namespace ptcvm::chain
