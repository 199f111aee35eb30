// How `ptcvm runs` shows tasks of chains: a task is several logs, and one row for people.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>

#include "ptcvm/store.hpp"

namespace ptcvm::cli {

// What a task waits for while no process executes it.
struct ChainWait {
  bool is_in_doubt = false;
  std::string names;               // the open questions, with blanks between
};

class ChainRows {
 public:
  // The store must outlive the rows.
  explicit ChainRows(const Store& store) : store_(store) {}

  // Takes all logs of the store. The store is then asked only about logs that have a log of setup.
  void take_all(std::span<const StoredRunInfo> logs);
  // Returns whether a log is a part of a task: TASK/setup, TASK/driver, TASK/steps, TASK/feedback, or below
  // TASK/agents/.
  bool is_part(const std::string& log);
  // Returns whether the log is the one of a task.
  bool is_task(const std::string& log);
  // Returns nullopt for a task that waits for nobody, and for a log that is no task.
  std::optional<ChainWait> wait_of(const std::string& log);

 private:
  const Store& store_;
  std::map<std::string, bool> known_;   // logs, and whether they are tasks
};

}  // namespace ptcvm::cli
