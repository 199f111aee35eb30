// Workers over one store: runs are executed once, wait without a thread, are tried again, and move between workers.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "ptcvm/ptcvm.hpp"
#include "ptcvm/sqlite.hpp"
#include "ptcvm/worker.hpp"

namespace ptcvm {
namespace {

WorkerOptions until_empty() {
  WorkerOptions out;
  out.until_empty = true;
  out.poll = std::chrono::milliseconds(5);
  return out;
}

QueuedJob job_of(std::string id, std::string source) {
  QueuedJob out;
  out.id = std::move(id);
  out.source = std::move(source);
  return out;
}

std::string end_of(const Store& store, const std::string& run) { return store.detail(run).value().end_status; }

// A store in a file of its own.
class StoreInFile {
 public:
  StoreInFile() {
    std::string name = (std::filesystem::temp_directory_path() / "ptcvm-worker-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~StoreInFile() { std::filesystem::remove_all(folder_); }
  Store open() const { return open_sqlite((folder_ / "runs.db").string()).value(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace

TEST(Worker, ExecutesWhatIsEnqueued) {
  const Engine engine;
  const Store store = Store::in_memory();
  EXPECT_TRUE(enqueue(engine, store, job_of("a", "(+ 1 2)")).value());
  EXPECT_FALSE(enqueue(engine, store, job_of("a", "(+ 3 4)")).value()) << "the id is taken";
  Worker worker(engine, store, Tools(), until_empty());
  ASSERT_TRUE(worker.run());
  EXPECT_EQ(worker.stats().ended, 1u);
  EXPECT_EQ(end_of(store, "a"), "ok");
}

TEST(Worker, RefusesAProgramThatCannotBegin) {
  EXPECT_EQ(enqueue(Engine(), Store::in_memory(), job_of("a", "(+ 1")).error().code, Errc::invalid_program);
}

TEST(Worker, NamesOfPartsBelongToTheTenantOfTheRun) {
  const Engine engine;
  const Store store = Store::in_memory();
  const auto job = [](const std::string& id, const std::string& tenant) {
    QueuedJob made = job_of(id, "1");
    made.tenant = tenant;
    return made;
  };
  EXPECT_TRUE(enqueue(engine, store, job("pay", "acme")));
  const auto foreign = enqueue(engine, store, job("pay/driver/x", "evil"));
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().detail, "store_wrong_tenant");
  EXPECT_TRUE(enqueue(engine, store, job("pay/driver", "acme")));
  const std::vector<QueuedJob> at_once{job("new/part", "evil"), job("new", "acme")};
  EXPECT_EQ(enqueue(engine, store, at_once).error().detail, "store_wrong_tenant") << "with the same call, too";
  EXPECT_TRUE(enqueue(engine, store, job("other/part", "evil"))) << "of no run";
}

TEST(Worker, LeavesRunsAloneWhoseToolsItLacks) {
  const Engine engine;
  const Store store = Store::in_memory();
  ASSERT_TRUE(enqueue(engine, store, job_of("a", "(tool/mail {})")));
  Worker without(engine, store, Tools(), until_empty());
  ASSERT_TRUE(without.run());
  EXPECT_EQ(without.stats().claimed, 0u);
  Tools tools;
  tools.add("mail", "() -> :int", [](ToolCall& call) { return call.value(std::int64_t{1}); }).value();
  Worker with(engine, store, tools, until_empty());
  ASSERT_TRUE(with.run());
  EXPECT_EQ(end_of(store, "a"), "ok");
}

TEST(Worker, TwoOnOneFileExecuteEachRunOnce) {
  const StoreInFile file;
  const Engine engine;
  std::atomic<int> calls{0};
  Tools tools;
  tools.add("count", "() -> :int", [&calls](ToolCall& call) { return call.value(std::int64_t{++calls}); }).value();
  std::vector<QueuedJob> jobs;
  for (int i = 0; i < 30; ++i) jobs.push_back(job_of("r" + std::to_string(i), "(tool/count {})"));
  ASSERT_TRUE(enqueue(engine, file.open(), jobs));
  WorkerOptions options = until_empty();
  options.threads = 2;
  Worker one(engine, file.open(), tools, options), two(engine, file.open(), tools, options);
  std::thread other([&] { EXPECT_TRUE(two.run()); });
  EXPECT_TRUE(one.run());
  other.join();
  EXPECT_EQ(one.stats().ended + two.stats().ended, 30u);
  EXPECT_EQ(calls, 30);
}

TEST(Worker, ALeaseThatNobodyCanKeepIsRefused) {
  const Engine engine;
  WorkerOptions options = until_empty();
  for (const std::int64_t lease_ms : {-1, 0, 249}) {
    options.lease = std::chrono::milliseconds(lease_ms);
    EXPECT_EQ(Worker(engine, Store::in_memory(), Tools(), options).run().error().code, Errc::invalid_value);
  }
  options.lease = kLeastLease;
  EXPECT_TRUE(Worker(engine, Store::in_memory(), Tools(), options).run());
}

TEST(Worker, AStopBeforeItBeginsIsHeard) {
  const Engine engine;
  const Store store = Store::in_memory();
  ASSERT_TRUE(enqueue(engine, store, job_of("a", "1")));
  Worker worker(engine, store, Tools(), WorkerOptions());
  worker.drain();
  ASSERT_TRUE(worker.run());
  EXPECT_EQ(worker.stats().claimed, 0u);
}

TEST(Worker, ARunThatWaitsHasNoThread) {
  const Engine engine;
  Store store = Store::in_memory();
  Tools tools;
  tools.add("ask", "() -> :string", [](ToolCall& call) { return call.pending(); },
            {.effect = Effect::Idempotent, .mode = ToolMode::Async}).value();
  ASSERT_TRUE(enqueue(engine, store, job_of("a", "(await (tool/ask {}))")));
  Worker worker(engine, store, tools, until_empty());
  ASSERT_TRUE(worker.run());
  EXPECT_EQ(worker.stats().waiting, 1u);
  ASSERT_TRUE(store.resolve("a", "op1", Value::of("yes")));
  ASSERT_TRUE(worker.run());
  EXPECT_EQ(end_of(store, "a"), "ok");
}

TEST(Worker, AFailureIsTriedAgain) {
  const Engine engine;
  const Store store = Store::in_memory();
  std::atomic<int> calls{0};
  Tools tools;
  tools.add("flaky", "() -> :int", [&calls](ToolCall& call) {
    return ++calls < 3 ? call.error("not yet") : call.value(std::int64_t{7});
  }, {.effect = Effect::Idempotent}).value();
  ASSERT_TRUE(enqueue(engine, store, job_of("a", "(tool/flaky {})")));
  WorkerOptions options;
  options.poll = std::chrono::milliseconds(1);
  options.first_retry = std::chrono::milliseconds(1);
  options.longest_retry = std::chrono::milliseconds(1);
  Worker worker(engine, store, tools, options);
  std::jthread watch([&](std::stop_token) {
    while (end_of(store, "a") != "ok" && worker.stats().claimed < 50) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    worker.drain();
  });
  ASSERT_TRUE(worker.run());
  EXPECT_EQ(end_of(store, "a"), "ok");
  EXPECT_EQ(worker.stats().failed, 2u);
}

TEST(Worker, ALongProgramMakesRoomForOthers) {
  const Engine engine;
  const Store store = Store::in_memory();
  ASSERT_TRUE(enqueue(engine, store, job_of("long", "(reduce (fn [a x] (+ a x)) 0 (range 300000))")));
  ASSERT_TRUE(enqueue(engine, store, job_of("short", "1")));
  WorkerOptions options = until_empty();
  options.slice_fuel = 10'000;
  options.turn_fuel = 20'000;
  Worker worker(engine, store, Tools(), options);
  ASSERT_TRUE(worker.run());
  EXPECT_GT(worker.stats().parked, 2u);
  EXPECT_EQ(worker.stats().ended, 2u);
}

TEST(Worker, ADrainParksInTheMiddleAndAnotherGoesOn) {
  const StoreInFile file;
  const Engine engine;
  const char* const source = "(do (tool/begin {}) (reduce (fn [a x] (+ a x)) 0 (range 900000)))";
  ASSERT_TRUE(enqueue(engine, file.open(), job_of("a", source)));
  std::atomic<int> calls{0};
  std::atomic<Worker*> first{nullptr};
  Tools tools;
  tools.add("begin", "() -> :int", [&](ToolCall& call) {
    ++calls;
    if (Worker* const worker = first.load()) worker->drain();
    return call.value(std::int64_t{1});
  }).value();
  {
    WorkerOptions options;
    options.slice_fuel = 10'000;
    Worker worker(engine, file.open(), tools, options);
    first = &worker;
    ASSERT_TRUE(worker.run());
    EXPECT_EQ(worker.stats().parked, 1u);
    first = nullptr;
  }
  Worker second(engine, file.open(), tools, until_empty());
  ASSERT_TRUE(second.run());
  EXPECT_EQ(second.stats().ended, 1u);
  EXPECT_EQ(end_of(file.open(), "a"), "ok");
  EXPECT_EQ(calls, 1) << "the call is not made again";
}

TEST(Worker, ACancelEndsARunThatWaits) {
  const Engine engine;
  const Store store = Store::in_memory();
  Tools tools;
  tools.add("ask", "() -> :string", [](ToolCall& call) { return call.pending(); },
            {.effect = Effect::Idempotent, .mode = ToolMode::Async}).value();
  QueuedJob job = job_of("a", "(await (tool/ask {}))");
  job.tenant = "acme";
  ASSERT_TRUE(enqueue(engine, store, job));
  Worker worker(engine, store, tools, until_empty());
  ASSERT_TRUE(worker.run());
  EXPECT_EQ(cancel_queued(store, "a", "other").error().detail, "store_wrong_tenant");
  EXPECT_TRUE(cancel_queued(store, "a", "acme", "no need", "me").value());
  EXPECT_EQ(queued_run(store, "a").value()->state, "dead");
  EXPECT_EQ(queued_run(store, "a").value()->reason, "cancelled");
  ASSERT_TRUE(worker.run());
  EXPECT_EQ(worker.stats().claimed, 1u) << "nobody needs to execute the run to end it";
}

}  // namespace ptcvm
