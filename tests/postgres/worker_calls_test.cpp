// How many calls of the store a run costs that a worker executes. Each call is a round trip to the database.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>

#include "api/store_access.h"
#include "ptcvm/ptcvm.hpp"
#include "ptcvm/worker.hpp"
#include "runtime/log/postgres/postgres_schema.h"
#include "runtime/log/postgres/postgres_store.h"
#include "tests/store/store_facts.h"
#include "tests/support/forwarding_queue.h"
#include "tests/support/postgres_server.h"

namespace ptcvm {
namespace {

using Counts = std::map<std::string, int>;

class Tally {
 public:
  void add(const std::string& call) {
    const std::lock_guard lock(mutex_);
    ++counts_[call];
  }
  Counts take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(counts_, {});
  }

 private:
  std::mutex mutex_;
  Counts counts_;
};

class CountingQueue final : public ptc::test::ForwardingQueue {
 public:
  CountingQueue(ptc::RunQueue& queue, Tally& tally) : ForwardingQueue(queue), tally_(tally) {}
  ptc::StoreResult<std::vector<ptc::ClaimedRun>> claim_next(std::uint64_t node, std::string_view queue,
                                                            std::span<const std::string> tools, std::size_t most,
                                                            std::int64_t now_ms) override {
    auto out = ForwardingQueue::claim_next(node, queue, tools, most, now_ms);
    if (!ptc::taken(out).empty()) tally_.add("claim_next");
    return out;
  }
  ptc::StoreResult<bool> finish(std::string_view log, std::uint64_t token, const ptc::Finish& how,
                                std::int64_t now_ms) override {
    tally_.add("finish");
    return ForwardingQueue::finish(log, token, how, now_ms);
  }

 private:
  Tally& tally_;
};

struct Opened {
  std::unique_ptr<ptc::PostgresStore> postgres;
  Tally* tally;
};

class CountingStore final : private Opened, public ptc::ForwardingStore {
  using Facts = ptc::StoreResult<std::vector<ptc::Fact>>;
  using Written = ptc::StoreResult<ptc::Written>;
  using Log = std::string_view;
  using Given = std::span<const ptc::Fact>;

  auto counted(const char* name, const auto& call) {
    tally->add(name);
    return call();
  }

 public:
  CountingStore(std::unique_ptr<ptc::PostgresStore> opened, Tally& counts)
      : Opened{std::move(opened), &counts}, ForwardingStore(*postgres), queue_(*postgres->queue(), counts) {}
  ptc::RunQueue* queue() override { return &queue_; }

  Facts read(Log log, std::uint64_t after, std::size_t most) override {
    return counted("read", [&] { return store_.read(log, after, most); });
  }
  Facts read_notable(Log log, std::uint64_t after, std::size_t most) override {
    return counted("read_notable", [&] { return store_.read_notable(log, after, most); });
  }
  Facts open_calls(Log log) override {
    return counted("open_calls", [&] { return store_.open_calls(log); });
  }
  ptc::StoreResult<std::optional<ptc::Fact>> find(Log log, std::string_view key) override {
    return counted("find", [&] { return store_.find(log, key); });
  }
  ptc::StoreResult<std::optional<ptc::RunInfo>> info(Log log) override {
    return counted("info", [&] { return store_.info(log); });
  }
  ptc::StoreResult<std::optional<ptc::Parked>> parked(Log log) override {
    return counted("parked", [&] { return store_.parked(log); });
  }
  ptc::StoreResult<ptc::Opening> opening(Log log) override {
    return counted("opening", [&] { return store_.opening(log); });
  }
  Written put(Log log, ptc::Cut cut, Given facts, ptc::Durability durability) override {
    return counted("put", [&] { return store_.put(log, cut, facts, durability); });
  }
  ptc::StoreResult<ptc::Decided> decide(Log log, ptc::Cut cut, Given facts) override {
    return counted("decide", [&] { return store_.decide(log, cut, facts); });
  }
  ptc::StoreResult<ptc::ParkResult> park(Log log, ptc::Cut cut, Given facts, const ptc::Parked& run) override {
    return counted("park", [&] { return store_.park(log, cut, facts, run); });
  }
  Written resumed(Log log, ptc::Cut cut, Given facts) override {
    return counted("resumed", [&] { return store_.resumed(log, cut, facts); });
  }
  Written ended(Log log, ptc::Cut cut, Given facts) override {
    return counted("ended", [&] { return store_.ended(log, cut, facts); });
  }
  ptc::StoreResult<std::optional<ptc::Written>> end_job(Log log, ptc::Cut cut, const ptc::Fact& end,
                                                        std::int64_t now_ms) override {
    return counted("end_job", [&] { return store_.end_job(log, cut, end, now_ms); });
  }

 private:
  CountingQueue queue_;
};

class WorkerCalls : public testing::Test {
 protected:
  WorkerCalls() {
    ptc::taken(ptc::migrate_postgres(url_));
    auto opened = ptc::PostgresStore::open(url_);
    store_.emplace(StoreAccess::made(std::make_unique<CountingStore>(
        std::get<std::unique_ptr<ptc::PostgresStore>>(std::move(opened)), tally_)));
  }
  void enqueue(const std::string& source) {
    QueuedJob job;
    job.id = "r";
    job.source = source;
    EXPECT_TRUE(ptcvm::enqueue(Engine(), *store_, job));
  }
  // What a worker calls until nothing is ready any more.
  Counts work(const Tools& tools = Tools()) {
    tally_.take();
    WorkerOptions options;
    options.threads = 1;
    options.until_empty = true;
    Worker worker(Engine(), *store_, tools, options);
    EXPECT_TRUE(worker.run());
    return tally_.take();
  }

  ptc::test::PostgresServer server_;
  const std::string url_ = server_.new_database("calls");
  Tally tally_;
  std::optional<Store> store_;
};

TEST_F(WorkerCalls, AnEmptyRunIsClaimedAndEnded) {
  enqueue("nil");
  EXPECT_EQ(work(), (Counts{{"claim_next", 1}, {"end_job", 1}}));
  EXPECT_EQ(queued_run(*store_, "r").value()->state, "done");
}

TEST_F(WorkerCalls, ARunThatWaitsIsClaimedTwice) {
  enqueue("(await (tool/ask {}))");
  Tools tools;
  ToolOptions async;
  async.mode = ToolMode::Async;
  ASSERT_TRUE(tools.add("ask", "() -> :any", [](ToolCall& call) { return call.pending(); }, async));
  const Counts first = work(tools);
  EXPECT_EQ(first.at("claim_next"), 1);
  EXPECT_EQ(first.at("park"), 1);
  EXPECT_EQ(first.count("opening") + first.count("read_notable"), 0u);
  EXPECT_EQ(queued_run(*store_, "r").value()->state, "waiting");
  ASSERT_TRUE(store_->resolve("r", "op1", Value::of(std::int64_t{1})));
  EXPECT_EQ(work(tools), (Counts{{"claim_next", 1}, {"resumed", 1}, {"end_job", 1}}));
}

// What opening it reads is more than an answer of a claim has.
TEST_F(WorkerCalls, ALargeRunIsReadInOneCall) {
  enqueue("(count \"" + std::string(70'000, 'x') + "\")");
  EXPECT_EQ(work(), (Counts{{"claim_next", 1}, {"opening", 1}, {"end_job", 1}}));
}

TEST_F(WorkerCalls, ATurnThatFailedIsNotTheEnd) {
  enqueue("(fail :no)");
  EXPECT_EQ(work(), (Counts{{"claim_next", 1}, {"ended", 1}, {"finish", 1}}));
  EXPECT_EQ(queued_run(*store_, "r").value()->state, "timer");
}

}   // namespace
}   // namespace ptcvm
