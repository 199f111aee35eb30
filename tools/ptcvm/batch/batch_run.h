// Executes one request of the batch protocol: steps the session, gives recorded answers, and takes the session through
// snapshots where the request asks for them.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ptcvm/session.hpp"
#include "tools/ptcvm/batch/batch_answer.h"
#include "tools/ptcvm/batch/batch_suspend.h"
#include "tools/ptcvm/program/recorded_tools.h"

namespace ptcvm::cli {

struct BatchRequest {
  std::string_view source, memory_edn = "{}";   // borrowed from the line
  RunOptions options;
  RecordedTools recorded;
  ResolveOrder order = ResolveOrder::fifo();
  SuspendPlan plan;
  bool strict_data = false;          // refuses programs that name data which is not there
};

class BatchRun {
 public:
  // Both must outlive the run.
  BatchRun(const Engine& engine, BatchRequest& request) : engine_(engine), request_(request) {}

  // Makes the session, lets `load` load its inputs, and begins the turn unless `load` returns false.
  void begin(const std::function<bool(Session&)>& load);
  void go_on_from(const HopState& state);            // instead of begin(), with the state of another process
  // Steps the turn until it is over or waits for what does not come. Returns the state for the next process when the
  // request asks for fresh ones.
  std::optional<HopState> finish();
  // Returns the answer without its id, after finish() returned nullopt.
  BatchAnswer answer();

 private:
  bool restore(std::string_view snapshot);
  bool hop(std::optional<HopState>& elsewhere);
  bool resume();
  bool refuses_data();
  void add_records(BatchAnswer& answer);

  const Engine& engine_;
  BatchRequest& request_;
  std::optional<Session> session_;
  Hopper hopper_{request_.plan, {}};
  std::optional<std::int64_t> now_;                  // the time that the program was told last
  bool is_restored_ = false;                         // the next step was decided in another process
  bool has_begun_ = false;                           // the turn left records
  std::optional<Diagnostic> fault_;                  // says why the turn did not begin, or could not go on
};

}  // namespace ptcvm::cli
