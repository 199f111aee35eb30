// What the Boost.Asio adapter of stored runs promises: calls under way together, timers, cancellation of both kinds.
#include <gtest/gtest.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>

#include "ptcvm/asio_stored_run.hpp"
#include "ptcvm/ptcvm.hpp"

namespace {

namespace asio = boost::asio;
using ptcvm::StoredRun;
using ptcvm::StoredStep;

class AsyncStoredRunTest : public testing::Test {
 protected:
  void SetUp() override {
    tools_.defer("fetch", "(n :int) -> :int").value();
    tools_.add("twice", "(n :int) -> :int", [](ptcvm::ToolCall& call) {
      return call.value(*call.arg("n").as_int() * 2);
    }).value();
    driving_.answer = [this](const ptcvm::WaitingCall& call) { return together(call); };
  }
  StoredRun started(std::string_view source) {
    return *StoredRun::start(engine_, store_, tools_, source, options_);
  }
  void drive(StoredRun& run) {
    ptcvm::async_stored_run(run, driving_, asio::bind_executor(io_, [this](std::exception_ptr thrown, auto step) {
      EXPECT_EQ(thrown, nullptr);
      step_ = step;
    }));
    io_.run();
    io_.restart();
  }
  // Waits until `expected_` calls are under way, and then answers all of them, the last one first.
  asio::awaitable<ptcvm::Result<ptcvm::Value>> together(const ptcvm::WaitingCall& call) {
    const std::size_t mine = ++begun_;
    asio::steady_timer turn(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
    waiting_.push_back(&turn);
    if (mine == expected_) {
      for (asio::steady_timer* one : waiting_) asio::post(io_, [one] { one->cancel(); });
    }
    boost::system::error_code ignored;
    co_await turn.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    co_return ptcvm::Value::of(10 * *call.args["n"].as_int());
  }

  asio::io_context io_;
  ptcvm::Engine engine_;
  ptcvm::Store store_ = ptcvm::Store::in_memory();
  ptcvm::Tools tools_;
  ptcvm::StoredOptions options_;
  ptcvm::AsyncRunOptions driving_;
  std::optional<StoredStep> step_;
  std::size_t expected_ = 0, begun_ = 0;
  std::vector<asio::steady_timer*> waiting_;
};

}  // namespace

TEST_F(AsyncStoredRunTest, AllCallsAreUnderWayTogether) {
  expected_ = 8;
  StoredRun run = started("(pmap #(tool/fetch {:n %}) (range 8))");
  drive(run);
  EXPECT_EQ(step_, StoredStep::Done);
  EXPECT_EQ(run.outcome().outcome.value.to_edn(), "[0 10 20 30 40 50 60 70]");
}

TEST_F(AsyncStoredRunTest, CallablesAreCalledWhileOthersAnswer) {
  expected_ = 1;
  StoredRun run = started("(pcalls #(tool/fetch {:n 1}) #(tool/twice {:n 2}) #(tool/twice {:n 3}))");
  drive(run);
  EXPECT_EQ(run.outcome().outcome.value.to_edn(), "[10 4 6]");
}

TEST_F(AsyncStoredRunTest, AShortSleepIsATimerAndALongOneIsParked) {
  StoredRun run = started("(do (sleep 5) \"awake\")");
  drive(run);
  EXPECT_EQ(run.outcome().outcome.value.to_edn(), "\"awake\"");
  options_.id = "long";
  StoredRun other = started("(do (sleep 3600000) \"awake\")");
  drive(other);
  EXPECT_EQ(step_, StoredStep::Done);
  EXPECT_EQ(other.outcome().end, ptcvm::StoredEnd::Suspended);
}

TEST_F(AsyncStoredRunTest, CompletesWhenNobodyAnswers) {
  driving_.answer = nullptr;
  StoredRun run = started("(tool/fetch {:n 1})");
  drive(run);
  EXPECT_EQ(step_, StoredStep::Waits);
  EXPECT_EQ(run.calls().size(), 1u);
}

TEST_F(AsyncStoredRunTest, AnErrorOfAStepIsHandedOver) {
  StoredRun first = started("(reduce + (range 1000))");
  ASSERT_EQ(*first.step(100), StoredStep::Yielded) << "it holds the claim";
  StoredRun second = started("(reduce + (range 1000))");
  step_ = StoredStep::Done;
  drive(second);
  EXPECT_EQ(step_, std::nullopt);
  EXPECT_EQ(second.last_step().error().code, ptcvm::Errc::busy);
}

// Both kinds end the coroutine that answers. "partial" leaves the call open, to be answered by the next one.
TEST_F(AsyncStoredRunTest, IsCancelledWhileACallIsUnderWay) {
  for (const auto kind : {asio::cancellation_type::partial, asio::cancellation_type::terminal}) {
    const bool is_partial = kind == asio::cancellation_type::partial;
    options_.id = is_partial ? "left" : "ended";
    asio::cancellation_signal signal;
    driving_.answer = [&](const ptcvm::WaitingCall&) -> asio::awaitable<ptcvm::Result<ptcvm::Value>> {
      asio::post(io_, [&signal, kind] { signal.emit(kind); });
      asio::steady_timer never(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
      co_await never.async_wait(asio::use_awaitable);
      co_return ptcvm::Value();
    };
    StoredRun run = started("(tool/fetch {:n 1})");
    const auto over = asio::bind_executor(io_, [this](std::exception_ptr, auto step) { step_ = step; });
    ptcvm::async_stored_run(run, driving_, asio::bind_cancellation_slot(signal.slot(), over));
    io_.run();
    io_.restart();
    if (is_partial) {
      ASSERT_EQ(run.calls().size(), 1u);
      ASSERT_TRUE(run.answer(run.calls()[0].id, ptcvm::Value::of(5)));
      ASSERT_EQ(*run.step(), StoredStep::Done);
      EXPECT_EQ(run.outcome().outcome.value.to_edn(), "5");
    } else {
      EXPECT_EQ(step_, StoredStep::Done);
      ASSERT_TRUE(run.outcome().outcome.diagnostic);
      EXPECT_EQ(run.outcome().outcome.diagnostic->kind, "cancelled");
    }
  }
}
