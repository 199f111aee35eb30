#include "tools/ptcvm/batch/batch_run.h"

#include <algorithm>
#include <span>
#include <utility>

#include "tools/ptcvm/source/missing_data.h"

namespace ptcvm::cli {

void BatchRun::begin(const std::function<bool(Session&)>& load) {
  auto made = Session::create(engine_, request_.options);
  if (!made) {
    fault_ = *made.error().diagnostic;
    return;
  }
  session_.emplace(std::move(*made));
  if (!load(*session_) || refuses_data()) return;
  const auto begun = session_->begin(request_.source);
  has_begun_ = begun.has_value();
  if (!begun) fault_ = *begun.error().diagnostic;
}

bool BatchRun::refuses_data() {
  if (!request_.strict_data) return false;
  const std::vector<Finding> missing = missing_data(*session_, request_.source);
  if (!missing.empty()) fault_ = missing.front().diagnostic;
  return fault_.has_value();
}

void BatchRun::go_on_from(const HopState& state) {
  hopper_ = Hopper(request_.plan, state.figures);
  request_.recorded.set_state(state.recorded);
  request_.order.set_state(state.order);
  now_ = state.now;
  has_begun_ = is_restored_ = restore(state.snapshot);
}

bool BatchRun::restore(std::string_view snapshot) {
  RestoreOptions options;
  options.tools = request_.options.tools;
  options.limits = request_.options.limits;
  options.max_bytes = SIZE_MAX;                      // its own
  options.time_ms = request_.options.time_ms;
  options.pauses_at_calls = request_.options.pauses_at_calls;
  auto restored = Session::restore(engine_, std::as_bytes(std::span(snapshot)), options);
  if (!restored) {
    fault_ = plain_fault("snapshot_invalid", std::string(restored.error().detail) + ": " + restored.error().message);
    return false;
  }
  session_ = std::move(*restored);
  if (now_) session_->run().set_time(*now_);
  return true;
}

std::optional<HopState> BatchRun::finish() {
  const bool is_sliced = request_.plan.when == SuspendPlan::When::Every;
  std::optional<HopState> elsewhere;
  while (!fault_ && !session_->run().is_over()) {
    RunState state = session_->run().state();
    if (!std::exchange(is_restored_, false)) {
      state = session_->run().step(is_sliced ? request_.plan.every : UINT64_MAX);
      if (session_->run().is_over()) break;
      if (hopper_.wants(state) && !hop(elsewhere)) break;
    }
    if (state == RunState::Suspended && !resume()) break;
  }
  return elsewhere;
}

// Returns false when the turn does not go on here: in another process, or not at all.
bool BatchRun::hop(std::optional<HopState>& elsewhere) {
  std::string snapshot = hopper_.take(session_->run());
  if (!request_.plan.fresh_process) return restore(snapshot);
  elsewhere = HopState{std::move(snapshot), request_.recorded.state(), request_.order.state(), now_, hopper_.figures()};
  return false;
}

// Gives a suspended program every recorded answer or, when there is no answer, the time of its next deadline. Returns
// false when the program waits for something that will not come.
bool BatchRun::resume() {
  Run& run = session_->run();
  const auto told = tell_recorded(run, request_.options.tools, request_.recorded, request_.order);
  if (!told) {
    fault_ = plain_fault(told.error().detail, told.error().message);
    has_begun_ = false;                              // the answer says what was refused, and nothing of the turn
    return false;
  }
  const std::optional<std::int64_t> wake = run.wake_time_ms();
  if (*told == 0 && !wake) return false;
  std::int64_t now = now_.value_or(*request_.options.time_ms);
  if (*told == 0) now = std::max(now, *wake);
  now_ = now;
  run.set_time(now);
  return true;
}

void BatchRun::add_records(BatchAnswer& answer) {
  Run& run = session_->run();
  if (auto text = run.result_edn()) answer.value_edn = std::move(*text);
  answer.state = run.state();                        // a result that does not fit makes the turn fail
  if (!answer.fault) answer.fault = run.diagnostic();
  answer.prints = run.prints();
  answer.warnings = run.warnings();
  for (const Finding& finding : missing_data(*session_, request_.source)) {
    const Diagnostic& found = finding.diagnostic;
    answer.warnings.push_back(std::to_string(found.line) + ":" + std::to_string(found.column) + ": " + found.message +
                              ". " + found.hint);
  }
  answer.summaries = run.summaries();
  answer.calls = run.call_records();
  answer.fuel = run.usage().fuel;
}

BatchAnswer BatchRun::answer() {
  BatchAnswer answer;
  answer.fault = fault_;
  if (has_begun_) add_records(answer);
  if (session_) answer.pending = session_->run().pending_records();
  // An error leaves the namespace as it was given.
  answer.memory_edn = answer.fault ? std::string(request_.memory_edn) : session_->definitions_edn();
  if (session_ && request_.options.journal) answer.journal_edn = session_->run().journal_edn();
  if (answer.journal_edn == "") answer.journal_edn.reset();   // it has no room
  if (request_.plan.when != SuspendPlan::When::Never) answer.figures = hopper_.figures();
  return answer;
}

}  // namespace ptcvm::cli
