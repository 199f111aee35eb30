// Ways to drive a run until it is over or waits for the host, with one face, so that one suite holds all of them:
//
//   drive(run, answer)      deferred calls are answered by `answer`; pauses and short sleeps are waited for
//   drive_all(runs)         all at once, with as many threads as the adapter was made for; what came back, in the order
//                           in which it did
//   drive_until(run, stop)  `stop` is told how to cancel, from inside of the run
#pragma once
#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "ptcvm/asio.hpp"
#include "ptcvm/ptcvm.hpp"
#include "ptcvm/thread_pool.hpp"

namespace adapters {

constexpr std::uint64_t kSliceFuel = 500;

using Answer = std::function<ptcvm::Result<ptcvm::Value>(const ptcvm::WaitingCall&)>;
using Cancel = std::function<void()>;

inline void sleep_until(std::int64_t wake_ms) {
  std::this_thread::sleep_until(std::chrono::system_clock::time_point(std::chrono::milliseconds(wake_ms)));
}

inline bool sleeps_only(const ptcvm::Run& run) {
  for (const ptcvm::PendingOperation& one : run.pending()) {
    if (one.is_awaited && !one.is_sleep) return false;
  }
  return run.questions().empty() && run.wake_time_ms().has_value();
}

// Serves a run between two stays with an adapter that knows neither answers nor time. Returns false when idle.
inline bool serve(ptcvm::Run& run, const Answer& answer) {
  if (run.is_over()) return false;
  const std::vector<ptcvm::WaitingCall> calls = run.calls();
  for (const ptcvm::WaitingCall& call : calls) {
    const auto said = answer(call);
    (void)(said ? run.answer(call.id, *said) : run.answer_error(call.id, said.error().message));
  }
  if (!calls.empty()) return true;
  if (run.state() == ptcvm::RunState::Yielded) {
    if (const auto wake = run.wake_time_ms()) sleep_until(*wake);
    return true;
  }
  if (!sleeps_only(run)) return false;
  sleep_until(*run.wake_time_ms());
  return true;
}

// No adapter: what the others are held to.
struct Plain {
  explicit Plain(std::size_t = 1) {}
  void drive(ptcvm::Run& run, const Answer& answer) const {
    do {
      run.step(kSliceFuel);
    } while (serve(run, answer));
  }
};

class Pool {
 public:
  explicit Pool(std::size_t threads) : pool_({.threads = threads, .slice_fuel = kSliceFuel}) {}

  void drive(ptcvm::Run& run, const Answer& answer) {
    do {
      run = pool_.submit("one", std::move(run))->get();
    } while (serve(run, answer));
  }

  std::vector<ptcvm::Run> drive_all(std::vector<ptcvm::Run> runs) {
    std::mutex mutex;
    std::vector<ptcvm::Run> back;
    const auto take = [&](ptcvm::Run run) {
      const std::lock_guard lock(mutex);
      back.push_back(std::move(run));
    };
    // From a thread of the pool: when it is the only one, nothing is stepped before all runs are there.
    std::promise<void> filled;
    (void)pool_.submit("gate", trivial(), [&](ptcvm::Run) {
      for (std::size_t i = 0; i < runs.size(); ++i) {
        (void)pool_.submit(i + 1 == runs.size() ? "last" : "many", std::move(runs[i]), take);
      }
      filled.set_value();
    });
    filled.get_future().wait();
    pool_.drain();
    return back;
  }

  void drive_until(ptcvm::Run& run, Cancel& cancel) {
    std::stop_source stop;
    cancel = [&stop] { stop.request_stop(); };
    run = pool_.submit("one", std::move(run), stop.get_token())->get();
  }

 private:
  static ptcvm::Run trivial() {
    static const ptcvm::Engine engine;
    return *ptcvm::Run::start(engine, *engine.compile("nil"));
  }

  ptcvm::ThreadPool pool_;
};

class Asio {
 public:
  explicit Asio(std::size_t threads) : threads_(threads) {}

  void drive(ptcvm::Run& run, const Answer& answer) {
    ptcvm::AsyncRunOptions options{.slice_fuel = kSliceFuel};
    options.answer = [&answer](const ptcvm::WaitingCall& call) { return answered(answer, call); };
    boost::asio::io_context io;
    ptcvm::async_run(run, options, boost::asio::bind_executor(io, [](std::exception_ptr, ptcvm::RunState) {}));
    io.run();
  }

  std::vector<ptcvm::Run> drive_all(std::vector<ptcvm::Run> runs) {
    boost::asio::io_context io;
    std::mutex mutex;
    std::vector<ptcvm::Run> back;
    for (ptcvm::Run& run : runs) {
      const auto done = [&mutex, &back, &run](std::exception_ptr, ptcvm::RunState) {
        const std::lock_guard lock(mutex);
        back.push_back(std::move(run));
      };
      ptcvm::async_run(run, {.slice_fuel = kSliceFuel}, boost::asio::bind_executor(io, done));
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < threads_; ++i) threads.emplace_back([&io] { io.run(); });
    for (std::thread& thread : threads) thread.join();
    return back;
  }

  void drive_until(ptcvm::Run& run, Cancel& cancel) {
    boost::asio::io_context io;
    boost::asio::cancellation_signal signal;
    cancel = [&signal] { signal.emit(boost::asio::cancellation_type::terminal); };
    const auto done = [](std::exception_ptr, ptcvm::RunState) {};
    ptcvm::async_run(run, {.slice_fuel = kSliceFuel},
                     boost::asio::bind_cancellation_slot(signal.slot(), boost::asio::bind_executor(io, done)));
    io.run();
  }

 private:
  static boost::asio::awaitable<ptcvm::Result<ptcvm::Value>> answered(const Answer& answer,
                                                                     const ptcvm::WaitingCall& call) {
    co_return answer(call);
  }

  std::size_t threads_;
};

}  // namespace adapters
