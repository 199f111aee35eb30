// A worker: the threads that step runs, and how a run is given back.
#include <algorithm>
#include <array>

#include "api/worker_impl.h"
#include "runtime/durable/late_answers.h"
#include "runtime/log/store_rules.h"
#include "schema/fault_kind.h"

namespace ptcvm {
namespace {

constexpr std::uint64_t kLastFacts = 50;   // the end of a turn is among them: others write few facts behind it
// What a store says of the data of one run. It says so again, however often it is asked.
constexpr std::array<std::string_view, 3> kOfTheData{"store_corrupt", "store_misuse", "store_missing"};
constexpr auto kRetryLater = ptc::Finish::Kind::Retry, kGiveUp = ptc::Finish::Kind::GiveUp,
               kOver = ptc::Finish::Kind::Over;

// Returns whether the program was refused before it ran, for a reason that it has on every worker.
bool is_of_the_program(const Diagnostic& fault) {
  const auto kind = ptc::find_fault(fault.kind);
  if (!kind || !fault.stack.empty() || *kind == ptc::FaultKind::UnknownTool) return false;
  const ptc::FaultPhase phase = ptc::fault_info(*kind).phase;
  return phase == ptc::FaultPhase::Read || phase == ptc::FaultPhase::Static;
}

// Returns whether another worker, or this one with another key ring, may read what this one may not.
bool is_of_the_ring(const Error& error) {
  return error.code == Errc::seal_refused && error.detail == "unknown_key";
}

bool is_of_the_data(std::string_view error) { return std::ranges::find(kOfTheData, error) != kOfTheData.end(); }

}  // namespace

void Worker::Impl::work() {
  const std::unique_ptr<WorkerCalls> calls = options.calls ? options.calls() : nullptr;
  for (;;) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return is_over || !ready.empty(); });
    if (ready.empty()) return;
    const Taken taken = std::move(ready.front());
    ready.pop_front();
    ++busy;
    lock.unlock();
    execute(taken, calls.get());
    lock.lock();
    --busy;
    --running_of[taken.queue];
    lock.unlock();
    changed.notify_all();
  }
}

void Worker::Impl::execute(const Taken& taken, WorkerCalls* calls) {
  // A run that was claimed while the worker was told to stop goes to somebody else as it is.
  Turn how = is_stopping() ? Turn{{}, WorkerEventKind::Parked, {}} : turn(taken, calls);
  if (calls != nullptr) calls->leave();
  if (how.what == WorkerEventKind::StoreFailed) {
    keep_answers(taken, how);
    how.finish = finish_by_log(taken);
  }
  how.finish.head = node_store->known_head(taken.run.log);
  if (how.finish.kind == kRetryLater) how.finish.delay_ms = retry_pause(taken.run.attempts);
  finish(taken, std::move(how));
}

// Calls have answered what the store did not take. The log gets the answers when the store is there again, so that
// nobody doubts these calls.
void Worker::Impl::keep_answers(const Taken& taken, Turn& how) {
  const auto answers = node_store->unwritten(taken.run.log, taken.run.token);
  if (answers.empty()) return;
  const auto kept = ask_until_over<std::size_t>(taken, [&] {
    return ptc::keep_late_answers(*node_store, taken.run.log, taken.run.token, answers);
  });
  const auto* const count = std::get_if<std::size_t>(&kept);
  if (count == nullptr || *count == 0) return;
  how.text += "; its answer settles the doubt about it";
  const std::lock_guard lock(mutex);
  stats.healed += *count;
}

// A random pause, so that what failed together does not come back together.
std::int64_t Worker::Impl::retry_pause(std::int32_t attempts) {
  const double grown = static_cast<double>(options.first_retry.count()) *
                       static_cast<double>(std::uint64_t{1} << std::min(attempts, 40));
  const auto most = std::min(grown, static_cast<double>(options.longest_retry.count()));
  const std::lock_guard lock(mutex);
  return std::uniform_int_distribution<std::int64_t>(0, static_cast<std::int64_t>(most))(random);
}

Worker::Impl::Turn Worker::Impl::turn(const Taken& taken, WorkerCalls* calls) {
  StoredOptions wanted;
  wanted.id = taken.run.log;
  wanted.clock = [this] { return now_ms(); };   // deadlines go by the clock of the store
  wanted.most_limits = options.most_limits;
  wanted.parallel_calls = options.parallel_calls;
  wanted.resets_need_reasons = options.resets_need_reasons;
  wanted.observer = options.observer;
  auto run = StoredRun::open(engine, *node_handle, tools, wanted);
  if (!run && run.error().code == Errc::wrong_state && !options.kinds.empty()) return host_turn(taken);
  if (!run && (run.error().code == Errc::store_failed || is_of_the_ring(run.error()))) {
    return store_failed(run.error(), false);
  }
  if (!run) return {{kGiveUp, 0, run.error().message}, WorkerEventKind::GivenUp, run.error().message};
  if (taken.run.is_cancelled) run->cancel();
  {
    const std::lock_guard lock(mutex);
    stepping[taken.run.log] = &*run;
  }
  if (is_stopping()) run->park_soon();
  Turn how = step(*run, calls);
  if (run->late_answers() != 0) how.text += "; its answer settles the doubt about it";
  const std::lock_guard lock(mutex);
  stats.healed += run->late_answers();
  stepping.erase(taken.run.log);
  return how;
}

// Steps a run until it is over, waits or is parked, and says how to give it back.
Worker::Impl::Turn Worker::Impl::step(StoredRun& run, WorkerCalls* calls) {
  std::uint64_t used = 0;
  bool has_answer = false;
  for (;;) {
    const auto step = run.step(options.slice_fuel);
    if (!step && step.error().code == Errc::store_failed) return store_failed(step.error(), has_answer);
    if (!step) return {{kGiveUp, 0, step.error().message}, WorkerEventKind::GivenUp, step.error().message};
    if (*step == StoredStep::Done) return end_of(run.outcome());
    if (*step == StoredStep::Yielded) {
      used += options.slice_fuel;
      if (used >= options.turn_fuel) run.park_soon();
      continue;
    }
    if (is_abandoning && !run.calls().empty()) return {{}, WorkerEventKind::Abandoned, "its calls were open"};
    has_answer = !run.calls().empty();
    if (auto end = serve(run, calls)) return std::move(*end);
  }
}

std::optional<Worker::Impl::Turn> Worker::Impl::serve(StoredRun& run, WorkerCalls* calls) {
  const std::vector<WaitingCall> waiting = run.calls();
  if (waiting.empty()) {                       // a short pause before a further attempt
    const std::int64_t wake = run.wake_time_ms().value_or(0);
    time.sleep_ms(std::clamp<std::int64_t>(wake - now_ms(), 1, 50));
    return std::nullopt;
  }
  const auto own = std::ranges::find(waiting, false, &WaitingCall::is_deferred);
  if (own == waiting.end()) {
    calls->serve(run);
    return std::nullopt;
  }
  if (!node_store->has_lease()) {              // somebody else may have the run, and make the call
    return Turn{{}, WorkerEventKind::Lost, "the lease of this worker is over, so it calls no tool"};
  }
  const auto made = run.make(own->id);
  if (made) return std::nullopt;
  return Turn{{kGiveUp, 0, made.error().message}, WorkerEventKind::GivenUp, made.error().message};
}

Worker::Impl::Turn Worker::Impl::store_failed(const Error& error, bool has_answer) const {
  if (is_of_the_ring(error)) return {{kRetryLater, 0, error.message}, WorkerEventKind::Failed, error.message};
  if (error.code == Errc::seal_refused) return {{kGiveUp, 0, error.message}, WorkerEventKind::GivenUp, error.message};
  if (is_of_the_data(error.detail)) return {{kRetryLater, 0, error.message}, WorkerEventKind::Failed, error.message};
  const bool is_lost_run = error.detail == "store_fenced";
  Turn out{{}, is_lost_run ? WorkerEventKind::Lost : WorkerEventKind::StoreFailed, error.message};
  if (is_lost_run && has_answer) out.text = "a call returned late: " + out.text;
  return out;
}

Worker::Impl::Turn Worker::Impl::end_of(const StoredOutcome& out) const {
  if (out.end == StoredEnd::InDoubt) return {{}, WorkerEventKind::InDoubt, out.doubts.empty() ? "" : out.doubts[0].key};
  if (out.end == StoredEnd::Suspended) {
    const bool is_parked = out.pending.empty() && out.questions.empty();
    return {{}, is_parked ? WorkerEventKind::Parked : WorkerEventKind::Waiting, {}};
  }
  if (out.outcome.state != RunState::Failed) return {{kOver, 0, {}}, WorkerEventKind::Ended, {}};
  const auto& fault = out.outcome.diagnostic;
  std::string why = fault ? fault->kind + ": " + fault->message : "failed with " + out.value_edn;
  if (fault && fault->kind == "cancelled") return {{kGiveUp, 0, "cancelled"}, WorkerEventKind::Failed, why};
  if (fault && is_of_the_program(*fault)) return {{kGiveUp, 0, why}, WorkerEventKind::GivenUp, why};
  return {{kRetryLater, 0, why}, WorkerEventKind::Failed, why};
}

void Worker::Impl::count(const Turn& how) {
  switch (how.what) {
    case WorkerEventKind::Ended: ++stats.ended; break;
    case WorkerEventKind::Failed: ++stats.failed; break;
    case WorkerEventKind::Waiting: ++stats.waiting; break;
    case WorkerEventKind::Parked:
      ++stats.parked;
      if (is_draining) ++stats.drained;
      break;
    case WorkerEventKind::InDoubt: ++stats.doubts; break;
    case WorkerEventKind::GivenUp: ++stats.given_up; break;
    case WorkerEventKind::Abandoned: ++stats.abandoned; break;
    default: break;
  }
}

// A store that does not answer is asked again: nobody else can take the run while this worker has its lease. One that
// cannot read its data is not: others wait for this thread. A worker that ends gives back with leave() what is left.
template <class T>
ptc::StoreResult<T> Worker::Impl::ask_until_over(const Taken& taken,
                                                 const std::function<ptc::StoreResult<T>()>& call) {
  for (;;) {
    auto told = call();
    const auto* const error = std::get_if<ptc::StoreError>(&told);
    const bool is_final = error == nullptr || error->kind == ptc::StoreError::Kind::Seal ||
                          is_of_the_data(ptc::store_error_name(error->kind));
    if (is_final || is_stopping()) return told;
    report(WorkerEventKind::StoreFailed, error->message, &taken);
    std::unique_lock lock(mutex);
    changed.wait_for(lock, options.poll, [this] { return is_stopping(); });
  }
}

// The store failed, and what it was told before may be the end of a turn. The log says whether a turn failed: then it
// is tried again, and the run is not over.
ptc::Finish Worker::Impl::finish_by_log(const Taken& taken) {
  using Facts = std::vector<ptc::Fact>;
  const std::string& log = taken.run.log;
  const auto told = ask_until_over<Facts>(taken, [&]() -> ptc::StoreResult<Facts> {
    auto info = node_store->info(log);
    if (auto* error = std::get_if<ptc::StoreError>(&info)) return std::move(*error);
    const auto& row = std::get<std::optional<ptc::RunInfo>>(info);
    if (!row || row->state != ptc::LogState::Ended) return Facts();
    return node_store->read(log, row->head - std::min(row->head, kLastFacts), kLastFacts);
  });
  const auto* const last = std::get_if<Facts>(&told);
  if (last == nullptr) return {ptc::Finish::Kind::Retry, 0, "the store does not say how the turn ended"};
  if (last->empty()) return {};
  const auto end = std::ranges::find(last->rbegin(), last->rend(), ptc::FactKind::TurnEnded, &ptc::Fact::kind);
  if (end != last->rend() && ptc::ends_well(*end)) return {kOver, 0, {}};
  const std::string how = end == last->rend() ? "facts of others behind it" : end->status;
  return {ptc::Finish::Kind::Retry, 0, "the turn ended with " + how};
}

ptc::StoreResult<bool> Worker::Impl::give_back(const Taken& taken, const ptc::Finish& how) {
  if (node_store->is_finished(taken.run.log, taken.run.token)) return true;
  return ask_until_over<bool>(
      taken, [&] { return queue->finish(taken.run.log, taken.run.token, how, time.now_ms()); });
}

void Worker::Impl::finish(const Taken& taken, Turn how) {
  const auto told = give_back(taken, how.finish);
  node_store->leave(taken.run.log, taken.run.token);
  const auto* const is_given_back = std::get_if<bool>(&told);
  const bool is_lost_run = is_given_back == nullptr || !*is_given_back;
  if (is_lost_run && how.what != WorkerEventKind::Lost && how.what != WorkerEventKind::StoreFailed) {
    how.text = std::string(worker_event_name(how.what)) + (how.text.empty() ? "" : ": ") + how.text;
    how.what = WorkerEventKind::Lost;
  }
  {
    const std::lock_guard lock(mutex);
    if (is_lost_run) ++stats.lost;
    if (is_given_back != nullptr && !*is_given_back) ++stats.fenced;
    if (how.text.starts_with("a call returned late")) ++stats.late;
    count(how);
  }
  report(how.what, how.text, &taken);
}

}  // namespace ptcvm
