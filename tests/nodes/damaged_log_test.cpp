// A worker and a run whose log is damaged.
#include <gtest/gtest.h>

#include <stop_token>

#include "api/store_access.h"
#include "ptcvm/ptcvm.hpp"
#include "ptcvm/worker.hpp"
#include "runtime/log/forwarding_store.h"
#include "runtime/log/memory_store.h"

namespace ptcvm::damaged_log {
namespace {

using Kind = ptc::StoreError::Kind;

struct OwnMemory {
  ptc::MemoryStore memory;
};

// Refuses to read one log, so many times.
class RefusesToRead final : private OwnMemory, public ptc::ForwardingStore {
 public:
  RefusesToRead(Kind kind, int times) : ForwardingStore(memory), kind_(kind), times_(times) {}
  ptc::StoreResult<std::vector<ptc::Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) override {
    if (refuses(log)) return ptc::StoreError{kind_, "fact 1 of the log is damaged"};
    return ForwardingStore::read(log, after, most);
  }
  ptc::StoreResult<std::vector<ptc::Fact>> read_notable(std::string_view log, std::uint64_t after,
                                                        std::size_t most) override {
    if (refuses(log)) return ptc::StoreError{kind_, "fact 1 of the log is damaged"};
    return ForwardingStore::read_notable(log, after, most);
  }

 private:
  bool refuses(std::string_view log) { return log == "damaged" && times_ > 0 && --times_ >= 0; }

  const Kind kind_;
  int times_;
};

struct Seen {
  QueuedRunStatus damaged, other;
  int claims = 0, failures = 0;                // events about the run "damaged"
};

// Works with one thread until there is nothing to claim, or the run was claimed too often.
Seen work(Kind kind, int times) {
  constexpr int kTooOften = 20;
  const Store store = StoreAccess::made(std::make_unique<RefusesToRead>(kind, times));
  const QueuedJob damaged{.id = "damaged", .source = "(+ 1 2)", .priority = -1, .most_attempts = 3};
  const QueuedJob other{.id = "other", .source = "(+ 1 2)"};
  for (const QueuedJob& job : {damaged, other}) EXPECT_TRUE(enqueue(Engine(), store, job));
  Seen out;
  std::stop_source stop;
  WorkerOptions options;
  options.until_empty = true;
  options.poll = options.first_retry = options.longest_retry = std::chrono::milliseconds(1);
  options.on_event = [&](const WorkerEvent& event) {
    if (event.run != "damaged") return;
    if (event.kind == WorkerEventKind::Failed) ++out.failures;
    if (event.kind == WorkerEventKind::Claimed && ++out.claims == kTooOften) stop.request_stop();
  };
  const auto is_over = [&] { return queued_run(store, "damaged").value()->state != "timer"; };
  for (int i = 0; i < kTooOften && (i == 0 || !is_over()); ++i) {
    Worker worker(Engine(), store, Tools(), options);
    EXPECT_TRUE(worker.run(stop.get_token()));
  }
  out.damaged = **queued_run(store, "damaged");
  out.other = **queued_run(store, "other");
  return out;
}

void expect_given_up(const Seen& seen, const std::string& reason) {
  EXPECT_EQ(seen.damaged.state, "dead");
  EXPECT_EQ(seen.damaged.reason, reason + ": fact 1 of the log is damaged");
  EXPECT_EQ(seen.claims, 3) << "attempts";
  EXPECT_EQ(seen.failures, 3);
  EXPECT_EQ(seen.other.state, "done");
}

TEST(DamagedLog, IsAnAttemptThatFailed) {
  expect_given_up(work(Kind::Corrupt, 1'000), "store_corrupt");
  expect_given_up(work(Kind::Misuse, 1'000), "store_misuse");
}

TEST(DamagedLog, IsNotWhatAStoreIsThatDoesNotAnswer) {
  const Seen seen = work(Kind::Io, 5);
  EXPECT_EQ(seen.damaged.state, "done");
  EXPECT_EQ(seen.damaged.attempts, 0);
  EXPECT_EQ(seen.failures, 0);
  EXPECT_EQ(seen.other.state, "done");
}

}  // namespace
}  // namespace ptcvm::damaged_log
