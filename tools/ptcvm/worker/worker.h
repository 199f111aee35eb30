// Goes on with the runs of a store that can go on: those whose time or answer has come, and those that a process left
// when it died. Each run is stepped as `ptcvm resume --store` does it, with the tools of the command and the
// asynchronous tools of the run that need no command, and several runs at once in threads.
#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ptcvm/store.hpp"
#include "ptcvm/stored_run.hpp"
#include "tools/ptcvm/calls/run_options.h"
#include "tools/ptcvm/runs/chain_rows.h"

namespace ptcvm::cli {

struct WorkerSetup {
  RunArguments options;             // limits
  std::vector<DeclaredTool> tools = {};   // each thread makes tools of its own of them
  std::size_t jobs = 1;             // runs at once
  bool once = false;                // ends when no run can go on
  bool strict_resets = false;
  std::string store_words = {};     // the store as the options of a command name it
};

// What became of a run that was stepped.
struct WorkedRun {
  std::string id;
  std::string state;                // "ended ok", "ended error", "waiting", "in doubt", "refused", "store failed"
  std::string what;                 // the value, the fault, what it waits for, or why it did not go on
  bool is_refused_by_seal = false;  // its log cannot be trusted, or its key is not there
};

class StoreWorker {
 public:
  using Report = std::function<void(const WorkedRun&)>;
  // `report` is called for each run that was stepped, by one thread at a time. With `ending` true the worker takes no
  // run any more and waits for those that it has; `cancelled` stops their tools, too. Store and flags must outlive it.
  StoreWorker(const Store& store, WorkerSetup setup, Report report, const std::atomic<bool>& ending,
         const std::atomic<bool>& cancelled)
      : store_(store), setup_(std::move(setup)), report_(std::move(report)), ending_(ending), cancelled_(cancelled) {}

  // Works until it shall end, or until no run can go on. Returns the error of the store that ended it.
  Result<void> work();

 private:
  void work_in_thread();
  std::optional<std::string> next_run();
  Result<void> find_runs();
  bool is_of_queue(std::string run) const;
  bool is_no_run(const std::string& log) const;
  void offer(const StoredRunInfo& info);
  void leave_task(const StoredRunInfo& info);
  bool take_run(const std::string& id, CommandTools& tools);
  WorkedRun step(const std::string& id, CommandTools& tools, bool& is_busy);
  Result<StoredOutcome> executed(const std::string& id, const CommandTools& tools);

  const Store& store_;
  const WorkerSetup setup_;
  const Report report_;
  const std::atomic<bool>& ending_;
  const std::atomic<bool>& cancelled_;
  const Engine engine_;
  std::mutex mutex_;                                   // guards everything below
  ChainRows chains_{store_};
  std::set<std::string> working_;
  std::vector<std::string> queue_;                     // to be taken from its end
  // The facts that a run had when it was stepped in vain: another step is in vain until the log has more.
  std::map<std::string, std::uint64_t, std::less<>> in_vain_;
  std::optional<Error> failure_;
};

}  // namespace ptcvm::cli
