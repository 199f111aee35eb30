// What the Boost.Asio adapter promises besides: other work goes on, answers come at once, cancellation of both kinds.
#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_future.hpp>

#include "ptcvm/asio.hpp"
#include "ptcvm/ptcvm.hpp"

namespace {

namespace asio = boost::asio;
using ptcvm::RunState;

ptcvm::Run started(std::string_view source, const ptcvm::Tools& tools = {}, std::optional<std::int64_t> time = {}) {
  static const ptcvm::Engine engine;
  ptcvm::RunOptions options;
  options.tools = tools;
  options.limits.loop = UINT32_MAX;
  options.time_ms = time;
  return *ptcvm::Run::start(engine, *engine.compile(source), options);
}

ptcvm::Tools fetching() {
  ptcvm::Tools tools;
  (void)tools.defer("fetch", "(n :int) -> :int");
  return tools;
}

asio::awaitable<ptcvm::Result<ptcvm::Value>> never(const ptcvm::WaitingCall&) {
  asio::steady_timer timer(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
  co_await timer.async_wait(asio::use_awaitable);
  co_return ptcvm::Value();
}

}  // namespace

TEST(AsyncRun, IsAwaitedByACoroutine) {
  asio::io_context io;
  RunState state{};
  ptcvm::Run run = started("(+ 1 2)");
  asio::co_spawn(
      io, [&]() -> asio::awaitable<void> { state = co_await ptcvm::async_run(run); },
      [](std::exception_ptr thrown) { EXPECT_EQ(thrown, nullptr); });
  io.run();
  EXPECT_EQ(state, RunState::Completed);
  EXPECT_EQ(run.result().as_int(), 3);
}

TEST(AsyncRun, TakesAnyCompletionToken) {
  asio::io_context io;
  ptcvm::Run run = started("(return 7)");
  std::future<RunState> state = ptcvm::async_run(run, {}, asio::bind_executor(io, asio::use_future));
  io.run();
  EXPECT_EQ(state.get(), RunState::Returned);
}

TEST(AsyncRun, LeavesRoomForOtherWorkBetweenSlices) {
  asio::io_context io;
  ptcvm::Run run = started("(reduce + (range 2000))");
  bool is_over = false;
  int turns = 0;
  std::function<void()> work = [&] {
    ++turns;
    if (!is_over) asio::post(io, work);
  };
  asio::post(io, work);
  ptcvm::async_run(run, {.slice_fuel = 100},
                   asio::bind_executor(io, [&](std::exception_ptr, RunState) { is_over = true; }));
  io.run();
  EXPECT_GE(turns, 10);
}

TEST(AsyncRun, AnswersAllCallsAtOnce) {
  asio::io_context io;
  ptcvm::Run run = started("(pmap #(tool/fetch {:n %}) (range 50))", fetching());
  int open = 0, most = 0;
  ptcvm::AsyncRunOptions options;
  options.answer = [&](const ptcvm::WaitingCall& call) -> asio::awaitable<ptcvm::Result<ptcvm::Value>> {
    most = std::max(most, ++open);
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(1));
    co_await timer.async_wait(asio::use_awaitable);
    --open;
    co_return ptcvm::Value::of(*call.args["n"].as_int() * 2);
  };
  ptcvm::async_run(run, options, asio::bind_executor(io, [](std::exception_ptr, RunState) {}));
  io.run();
  EXPECT_EQ(most, 50);
  EXPECT_EQ(run.result()[std::size_t{49}].as_int(), 98);
}

TEST(AsyncRun, TakesAnExceptionAsTheErrorOfTheTool) {
  asio::io_context io;
  ptcvm::Run run = started("(tool/fetch {:n 1})", fetching());
  ptcvm::AsyncRunOptions options;
  options.answer = [](const ptcvm::WaitingCall&) -> asio::awaitable<ptcvm::Result<ptcvm::Value>> {
    throw std::runtime_error("lost the connection");
    co_return ptcvm::Value();
  };
  ptcvm::async_run(run, options, asio::bind_executor(io, [](std::exception_ptr, RunState) {}));
  io.run();
  ASSERT_TRUE(run.diagnostic());
  EXPECT_EQ(run.diagnostic()->kind, "tool_error");
  EXPECT_NE(run.diagnostic()->message.find("lost the connection"), std::string::npos);
}

TEST(AsyncRun, GivesACallBackWhenNobodyAnswersIt) {
  asio::io_context io;
  ptcvm::Run run = started("(tool/fetch {:n 1})", fetching());
  ptcvm::async_run(run, {}, asio::bind_executor(io, [](std::exception_ptr, RunState) {}));
  io.run();
  EXPECT_EQ(run.state(), RunState::Yielded);
  EXPECT_EQ(run.calls().size(), 1u);
}

TEST(AsyncRun, GivesARunBackThatSleepsForLong) {
  asio::io_context io;
  ptcvm::Run run = started("(sleep 86400000)");
  ptcvm::async_run(run, {}, asio::bind_executor(io, [](std::exception_ptr, RunState) {}));
  io.run();
  EXPECT_EQ(run.state(), RunState::Suspended);
}

// Its time does not pass, so waiting would never end.
TEST(AsyncRun, GivesARunBackWhoseTimeIsGivenByTheHost) {
  asio::io_context io;
  ptcvm::Run run = started("(sleep 1)", {}, 1'000);
  ptcvm::async_run(run, {}, asio::bind_executor(io, [](std::exception_ptr, RunState) {}));
  io.run();
  EXPECT_EQ(run.state(), RunState::Suspended);
}

TEST(AsyncRun, EndsARunAndItsAnswersByTerminalCancellation) {
  asio::io_context io;
  asio::cancellation_signal signal;
  ptcvm::Run run = started("(pmap #(tool/fetch {:n %}) (range 5))", fetching());
  int asked = 0;
  ptcvm::AsyncRunOptions options;
  options.answer = [&](const ptcvm::WaitingCall& call) {
    if (++asked == 5) asio::post(io, [&] { signal.emit(asio::cancellation_type::terminal); });
    return never(call);
  };
  const auto done = [](std::exception_ptr thrown, RunState state) {
    EXPECT_EQ(thrown, nullptr);
    EXPECT_EQ(state, RunState::Failed);
  };
  ptcvm::async_run(run, options, asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(io, done)));
  io.run();
  ASSERT_TRUE(run.diagnostic());
  EXPECT_EQ(run.diagnostic()->kind, "cancelled");
}

TEST(AsyncRun, LeavesARunAsItIsByPartialCancellation) {
  asio::io_context io;
  asio::cancellation_signal signal;
  ptcvm::Run run = started("(pmap #(tool/fetch {:n %}) (range 3))", fetching());
  ptcvm::AsyncRunOptions options;
  options.answer = [&](const ptcvm::WaitingCall& call) -> asio::awaitable<ptcvm::Result<ptcvm::Value>> {
    if (call.args["n"].as_int() == 0) co_return ptcvm::Value::of(100);
    asio::post(io, [&] { signal.emit(asio::cancellation_type::partial); });
    co_return co_await never(call);
  };
  const auto done = [](std::exception_ptr, RunState) {};
  ptcvm::async_run(run, options, asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(io, done)));
  io.run();
  ASSERT_EQ(run.state(), RunState::Yielded);
  EXPECT_EQ(run.calls().size(), 2u) << "one was answered";

  options.answer = [](const ptcvm::WaitingCall& call) -> asio::awaitable<ptcvm::Result<ptcvm::Value>> {
    co_return ptcvm::Value::copy_of(call.args["n"]);
  };
  io.restart();
  ptcvm::async_run(run, options, asio::bind_executor(io, done));
  io.run();
  EXPECT_EQ(run.result().to_edn(), "[100 1 2]");
}
