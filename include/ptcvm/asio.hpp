// Runs inside of Boost.Asio. Header only, over public headers; link the component "asio" (ptcvm::asio).
//
//   boost::asio::awaitable<void> serve(ptcvm::Run run) {
//     const ptcvm::RunState state = co_await ptcvm::async_run(run, {.answer = fetch});
//   }
//   boost::asio::awaitable<ptcvm::Result<ptcvm::Value>> fetch(const ptcvm::WaitingCall& call);
//
// async_run() steps the run in slices, and the executor does its other work between two slices. All waiting calls of
// deferred tools are answered at once, each by a coroutine of its own. Sleeps, and pauses before a call is made again,
// are timers. The library starts no thread.
//
// Thread rules. Everything happens on one strand over the executor of the token, so any number of threads may run the
// io_context. The run belongs to the operation until the operation completes, and must live as long. Tools with
// callables are called on the strand: a callable that blocks holds up a thread.
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

// Answers one call of a deferred tool. An error or an exception becomes the error of the tool. The call is valid until
// the coroutine ends.
using AsyncAnswer = std::function<boost::asio::awaitable<Result<Value>>(const WaitingCall& call)>;

// Says how async_run() drives a run.
struct AsyncRunOptions {
  AsyncAnswer answer = {};                          // without one, async_run() completes when calls wait
  std::uint64_t slice_fuel = 50'000;                // the fuel of one slice
  std::chrono::milliseconds longest_wait{60'000};   // async_run() completes when the run would sleep longer: park it
};

namespace detail {

class AsyncRun {
 public:
  AsyncRun(Run& run, AsyncRunOptions options) : run_(run), options_(std::move(options)) {}

  // Steps the run. Checks for a cancellation between two slices.
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

  // Returns whether the run waits only for time, and not for too long. A run that waits for others goes back to the
  // host. So does a run that was woken and still sleeps, because the host sets the time of that run.
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

  // Answers one call. A coroutine that was cancelled leaves its call open, unless the coroutine has a value.
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

// Begins the coroutine on a strand over the executor of the handler.
template <class T, class Handler>
void begin_on_strand(boost::asio::awaitable<T> driving, Handler handler) {
  const auto executor = boost::asio::get_associated_executor(handler);
  static_assert(!std::is_same_v<std::decay_t<decltype(executor)>, boost::asio::system_executor>,
                "the token has no executor: give it one by boost::asio::bind_executor()");
  const boost::asio::any_io_executor strand = boost::asio::make_strand(executor);
  boost::asio::co_spawn(strand, std::move(driving), std::move(handler));
}

}  // namespace detail

// Steps the run until the run is over or waits for something that async_run() cannot wait for: operations that others
// resolve, questions, calls without `answer`, a long sleep. Completes with void(std::exception_ptr, RunState). The
// exception is set only when memory runs out, or when the operation was cancelled before it began.
//
// Takes any completion token that has an executor. use_awaitable has the executor of its coroutine; give an executor to
// other tokens with boost::asio::bind_executor(). The slot of the token cancels: "terminal" ends the run with the fault
// "cancelled"; "partial" stops between two slices and leaves the run as it is, to be driven again, stored or moved.
// Both cancel the coroutines that answer; the next async_run() answers the calls that are still open.
template <class Token = boost::asio::use_awaitable_t<>>
auto async_run(Run& run, AsyncRunOptions options = {}, Token&& token = {}) {
  return boost::asio::async_initiate<Token, void(std::exception_ptr, RunState)>(
      [&run](auto handler, AsyncRunOptions wanted) {
        detail::begin_on_strand(detail::drive(run, std::move(wanted)), std::move(handler));
      },
      token, std::move(options));
}

}  // namespace ptcvm
