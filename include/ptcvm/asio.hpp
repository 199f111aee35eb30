// Runs inside of Boost.Asio. Header only, over public headers; link the component "asio" (ptcvm::asio).
//
//   boost::asio::awaitable<void> serve(ptcvm::Run run) {
//     const ptcvm::RunState state = co_await ptcvm::async_run(run, {.answer = fetch});
//   }
//   boost::asio::awaitable<ptcvm::Result<ptcvm::Value>> fetch(const ptcvm::WaitingCall& call);
//
// The run is stepped in slices, and between two of them whatever else the executor has to do gets its turn. All calls
// of deferred tools that wait are answered at once, each by a coroutine of its own. Sleeps, and pauses before a call is
// made again, are timers. There is no thread of ours.
//
// Thread rules. All of it happens on one strand over the token's executor, so any number of threads may run the
// io_context; the run is the operation's until it completes, and must live as long. Tools with callables are called on
// the strand: one that blocks holds up a thread.
#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/system_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "ptcvm/run.hpp"

namespace ptcvm {

// The answer to one call of a deferred tool. An error, or an exception, is the tool's error. The call is valid until
// the coroutine ends.
using AsyncAnswer = std::function<boost::asio::awaitable<Result<Value>>(const WaitingCall& call)>;

// How a run is driven.
struct AsyncRunOptions {
  AsyncAnswer answer = {};                          // none: the run is given back when calls wait
  std::uint64_t slice_fuel = 50'000;                // of one slice
  std::chrono::milliseconds longest_wait{60'000};   // a run that would sleep longer is given back, to be parked
};

namespace detail {

class AsyncRun {
 public:
  AsyncRun(Run& run, AsyncRunOptions options) : run_(run), options_(std::move(options)) {}

  // A cancellation is looked at between two slices.
  boost::asio::awaitable<RunState> drive() {
    namespace this_coro = boost::asio::this_coro;
    co_await this_coro::throw_if_cancelled(false);
    co_await this_coro::reset_cancellation_state(boost::asio::enable_partial_cancellation());
    for (;;) {
      const Cancellation cancelled = (co_await this_coro::cancellation_state).cancelled();
      const bool is_terminal = (cancelled & Cancellation::terminal) != Cancellation::none;
      if (is_terminal) {
        run_.cancel();
      } else if (cancelled != Cancellation::none) {
        co_return run_.state();
      }
      if (run_.step(options_.slice_fuel); run_.is_over()) co_return run_.state();
      std::vector<WaitingCall> calls = run_.calls();
      const std::optional<std::int64_t> wake = run_.wake_time_ms();
      if (!calls.empty()) {
        if (!options_.answer) co_return run_.state();
        co_await answer_all(std::move(calls));
      } else if (run_.state() == RunState::Yielded && !wake) {
        co_await boost::asio::post(co_await this_coro::executor, boost::asio::use_awaitable);
      } else if (!wake || !may_wait(*wake)) {
        co_return run_.state();
      } else {
        boost::asio::system_timer timer(co_await this_coro::executor, time_of(*wake));
        co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        waited_for_ = wake;
      }
    }
  }

 private:
  using Cancellation = boost::asio::cancellation_type;
  using Clock = std::chrono::system_clock;

  static Clock::time_point time_of(std::int64_t ms) { return Clock::time_point(std::chrono::milliseconds(ms)); }

  // Whether nothing but time is waited for, and not too much of it. What others resolve is given back to the host. So
  // is a run that was woken and sleeps on: its time is given by the host.
  bool may_wait(std::int64_t wake) const {
    const Clock::time_point now = Clock::now();
    if (std::chrono::milliseconds(wake) - now.time_since_epoch() > options_.longest_wait) return false;
    if (run_.state() == RunState::Yielded) return true;
    if (waited_for_ == wake && now >= time_of(wake)) return false;
    const std::vector<PendingOperation> pending = run_.pending();
    return run_.questions().empty() &&
           std::all_of(pending.begin(), pending.end(), [](const auto& one) { return !one.is_awaited || one.is_sleep; });
  }

  boost::asio::awaitable<void> answer_all(std::vector<WaitingCall> calls) {
    const auto executor = co_await boost::asio::this_coro::executor;
    using Answering = decltype(boost::asio::co_spawn(executor, answer(calls[0]), boost::asio::deferred));
    std::vector<Answering> all;
    for (const WaitingCall& call : calls) {
      all.push_back(boost::asio::co_spawn(executor, answer(call), boost::asio::deferred));
    }
    co_await boost::asio::experimental::make_parallel_group(std::move(all))
        .async_wait(boost::asio::experimental::wait_for_all(), boost::asio::use_awaitable);
  }

  // A coroutine that was cancelled leaves its call unanswered, unless it has a value nevertheless.
  boost::asio::awaitable<void> answer(const WaitingCall& call) {
    co_await boost::asio::this_coro::reset_cancellation_state(
        [](Cancellation type) { return type == Cancellation::none ? type : Cancellation::terminal; });
    std::optional<Result<Value>> said;
    try {
      said.emplace(co_await options_.answer(call));
    } catch (const std::exception& thrown) {
      said.emplace(Error{Errc::not_available, thrown.what(), std::nullopt});
    }
    const bool is_cancelled =
        (co_await boost::asio::this_coro::cancellation_state).cancelled() != Cancellation::none;
    if (*said) {
      (void)run_.answer(call.id, **said);
    } else if (!is_cancelled) {
      (void)run_.answer_error(call.id, said->error().message);
    }
  }

  Run& run_;
  const AsyncRunOptions options_;
  std::optional<std::int64_t> waited_for_;
};

inline boost::asio::awaitable<RunState> drive(Run& run, AsyncRunOptions options) {
  AsyncRun driven(run, std::move(options));
  co_return co_await driven.drive();
}

}  // namespace detail

// Steps the run until it is over, or suspended or yielded with something that it cannot wait for itself: operations
// that others resolve, questions, calls without `answer`, a long sleep. Completes with void(std::exception_ptr,
// RunState); the exception is set only when memory is out, or when it was cancelled before it began.
//
// Any completion token that has an executor: use_awaitable has that of its coroutine, others get one by
// boost::asio::bind_executor(). Cancellation, by the token's slot: "terminal" ends the run with the fault "cancelled";
// "partial" stops between two slices and leaves the run as it is, to be driven again, stored or moved. Both cancel the
// coroutines that answer; calls that they leave open are answered the next time.
template <class Token = boost::asio::use_awaitable_t<>>
auto async_run(Run& run, AsyncRunOptions options = {}, Token&& token = {}) {
  return boost::asio::async_initiate<Token, void(std::exception_ptr, RunState)>(
      [&run](auto handler, AsyncRunOptions wanted) {
        const auto executor = boost::asio::get_associated_executor(handler);
        static_assert(!std::is_same_v<std::decay_t<decltype(executor)>, boost::asio::system_executor>,
                      "the token has no executor: give it one by boost::asio::bind_executor()");
        const boost::asio::any_io_executor strand = boost::asio::make_strand(executor);
        boost::asio::co_spawn(strand, detail::drive(run, std::move(wanted)), std::move(handler));
      },
      token, std::move(options));
}

}  // namespace ptcvm
