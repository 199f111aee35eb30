// Stored runs inside of Boost.Asio. Header only, over public headers; link the component "asio" (ptcvm::asio).
//
//   boost::asio::awaitable<void> serve(ptcvm::StoredRun run) {
//     co_await ptcvm::async_stored_run(run, {.answer = fetch});
//     if (run.last_step()) use(run.outcome());
//   }
//
// async_stored_run() steps the run in slices. Every call of a deferred tool is answered by a coroutine of its own, and
// all of them are under way at the same time; the run is stepped again as soon as one of them has its answer. Pauses
// and sleeps are timers. The library starts no thread. The run waits for its store on the strand.
//
// Thread rules: as for async_run() in asio.hpp. Tools with callables are called on the strand, one call in a slice.
#pragma once
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <algorithm>
#include <map>

#include "ptcvm/asio.hpp"
#include "ptcvm/stored_run.hpp"

namespace ptcvm {

namespace detail {

class AsyncStoredRun {
 public:
  AsyncStoredRun(StoredRun& run, AsyncRunOptions options, const boost::asio::any_io_executor& executor)
      : run_(run), options_(std::move(options)), wake_(executor) {}

  // Drives the run, and returns when every coroutine that answers has ended.
  boost::asio::awaitable<std::optional<StoredStep>> drive() {
    namespace this_coro = boost::asio::this_coro;
    co_await this_coro::throw_if_cancelled(false);
    co_await this_coro::reset_cancellation_state(boost::asio::enable_partial_cancellation());
    for (;;) {
      const Cancellation cancelled = (co_await this_coro::cancellation_state).cancelled();
      if ((cancelled & Cancellation::terminal) != Cancellation::none) {
        run_.cancel();
      } else if (cancelled != Cancellation::none) {
        break;
      }
      forget_answered();
      const Result<StoredStep> step = run_.step(options_.slice_fuel);
      if (!step) break;
      const bool goes_on = *step == StoredStep::Yielded || (*step == StoredStep::Waits && call_tools());
      if (goes_on) {
        co_await boost::asio::post(wake_.get_executor(), boost::asio::use_awaitable);
      } else if ((answering_.empty() || *step == StoredStep::Done) && !may_wait(*step)) {
        break;
      } else {
        co_await wait();
      }
    }
    for (auto& [id, one] : answering_) one.stop.emit(Cancellation::terminal);
    for (forget_answered(); !answering_.empty(); forget_answered()) co_await wait();
    const Result<StoredStep>& last = run_.last_step();
    co_return last ? std::optional<StoredStep>(*last) : std::nullopt;
  }

 private:
  using Cancellation = boost::asio::cancellation_type;
  using Clock = std::chrono::system_clock;

  // A call that a coroutine answers. The arguments are a copy: the run goes on while the coroutine looks at them.
  struct Answering {
    WaitingCall call;
    Value args;
    boost::asio::cancellation_signal stop;
    bool is_over = false;
  };

  void forget_answered() {
    std::erase_if(answering_, [](const auto& entry) { return entry.second.is_over; });
  }

  // Begins to answer the calls of deferred tools, and makes one call of another tool. Returns whether it made one.
  bool call_tools() {
    bool has_made_one = false;
    for (WaitingCall& call : run_.calls()) {
      if (!call.is_deferred) {
        if (!has_made_one) has_made_one = run_.make(call.id).has_value();
      } else if (options_.answer && !answering_.contains(call.id)) {
        begin(call);
      }
    }
    return has_made_one;
  }

  void begin(const WaitingCall& call) {
    Answering& one = answering_[call.id];
    one.args = Value::copy_of(call.args);
    one.call = call;
    one.call.args = one.args;
    const auto over = [this, &one](std::exception_ptr) {
      one.is_over = true;
      wake_.cancel();
    };
    boost::asio::co_spawn(wake_.get_executor(), answer(one),
                          boost::asio::bind_cancellation_slot(one.stop.slot(), over));
  }

  // Answers one call. A coroutine that was cancelled leaves its call open, unless the coroutine has a value.
  boost::asio::awaitable<void> answer(Answering& one) {
    std::optional<Result<Value>> said;
    try {
      said.emplace(co_await options_.answer(one.call));
    } catch (const std::exception& thrown) {
      said.emplace(Error{Errc::not_available, thrown.what(), std::nullopt});
    }
    const bool is_cancelled =
        (co_await boost::asio::this_coro::cancellation_state).cancelled() != Cancellation::none;
    if (*said) {
      (void)run_.answer(one.call.id, **said);
    } else if (!is_cancelled) {
      (void)run_.answer_error(one.call.id, said->error().message);
    }
  }

  // Returns whether the run waits only for time, and not for too long. A run that was woken and still waits for the
  // same time goes back to the host.
  bool may_wait(StoredStep step) const {
    const std::optional<std::int64_t> due = run_.wake_time_ms();
    if (!due || due == waited_for_) return false;
    if (std::chrono::milliseconds(*due) - Clock::now().time_since_epoch() > options_.longest_wait) return false;
    if (step == StoredStep::Waits) return run_.calls().empty();
    const StoredOutcome& parked = run_.outcome();
    const auto sleeps = [](const StoredWait& one) { return one.tool == "sleep"; };   // the name that (sleep ms) has
    return parked.end == StoredEnd::Suspended && parked.questions.empty() &&
           std::all_of(parked.pending.begin(), parked.pending.end(), sleeps);
  }

  // Waits until a call was answered, or until the time at which the run goes on by itself.
  boost::asio::awaitable<void> wait() {
    const std::optional<std::int64_t> due = run_.wake_time_ms();
    wake_.expires_at(due ? Clock::time_point(std::chrono::milliseconds(*due)) : Clock::time_point::max());
    co_await wake_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    if (due && Clock::now().time_since_epoch() >= std::chrono::milliseconds(*due)) waited_for_ = due;
  }

  StoredRun& run_;
  const AsyncRunOptions options_;
  boost::asio::system_timer wake_;                 // ends the waiting of drive()
  std::map<std::uint64_t, Answering> answering_;   // by the number of the call
  std::optional<std::int64_t> waited_for_;
};

inline boost::asio::awaitable<std::optional<StoredStep>> drive(StoredRun& run, AsyncRunOptions options) {
  AsyncStoredRun driven(run, std::move(options), co_await boost::asio::this_coro::executor);
  co_return co_await driven.drive();
}

}  // namespace detail

// Steps the run until the run is done, or until the run waits for something that async_stored_run() cannot wait for:
// calls without `answer`, a time that is further away than longest_wait. A run that is parked with sleeps only goes on
// after them. Completes with void(std::exception_ptr, std::optional<StoredStep>): the last step, or nullopt when the
// last step failed; run.last_step() has the error. Tokens, executors and cancellation are as for async_run():
// "terminal" ends the turn with the fault "cancelled"; "partial" leaves the run as it is, with its calls open.
template <class Token = boost::asio::use_awaitable_t<>>
auto async_stored_run(StoredRun& run, AsyncRunOptions options = {}, Token&& token = {}) {
  return boost::asio::async_initiate<Token, void(std::exception_ptr, std::optional<StoredStep>)>(
      [&run](auto handler, AsyncRunOptions wanted) {
        detail::begin_on_strand(detail::drive(run, std::move(wanted)), std::move(handler));
      },
      token, std::move(options));
}

}  // namespace ptcvm
