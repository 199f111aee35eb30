// A store fails when a worker writes what an unsafe call has answered. The worker has it: nobody doubts the call.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "api/store_access.h"
#include "ptcvm/ptcvm.hpp"
#include "ptcvm/worker.hpp"
#include "runtime/log/forwarding_store.h"
#include "runtime/log/memory_store.h"

namespace ptcvm {
namespace {

struct StoreOfAnswers {
  ptc::MemoryStore memory;
};

enum class Loss { TheWrite, TheAnswerOfTheStore };

// Fails at the first ends of calls, before or after it has written them.
class FailsAtAnswers final : private StoreOfAnswers, public ptc::ForwardingStore {
 public:
  FailsAtAnswers(Loss loss, int failures) : ForwardingStore(memory), loss_(loss), failures_(failures) {}
  ptc::StoreResult<ptc::Written> put(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts,
                                     ptc::Durability durability) override {
    return failing<ptc::Written>(facts, [&] { return ForwardingStore::put(log, cut, facts, durability); });
  }
  ptc::StoreResult<ptc::Decided> decide(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts) override {
    return failing<ptc::Decided>(facts, [&] { return ForwardingStore::decide(log, cut, facts); });
  }
  ptc::StoreResult<ptc::Written> ended(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts) override {
    return failing<ptc::Written>(facts, [&] { return ForwardingStore::ended(log, cut, facts); });
  }

 private:
  template <class T>
  ptc::StoreResult<T> failing(std::span<const ptc::Fact> facts, const auto& write) {
    const bool has_answer = std::ranges::any_of(facts, [](const ptc::Fact& fact) {
      return fact.kind == ptc::FactKind::EffectSettled || fact.kind == ptc::FactKind::DoubtSettled;
    });
    if (!has_answer || failures_ == 0) return write();
    --failures_;
    if (loss_ == Loss::TheAnswerOfTheStore) (void)write();
    return ptc::StoreError{ptc::StoreError::Kind::Io, "the server takes no writes"};
  }

  const Loss loss_;
  int failures_;
};

struct Seen {
  int calls = 0;
  std::uint64_t healed = 0;
  std::string state;
};

// Works until nothing is in the queue any more.
Seen worked(Loss loss, int failures, const std::string& source) {
  const Store store = StoreAccess::made(std::make_unique<FailsAtAnswers>(loss, failures));
  Seen out;
  Tools tools;
  tools.add("pay", "() -> :int", [&out](ToolCall& call) { return call.value(std::int64_t{++out.calls}); }).value();
  EXPECT_TRUE(enqueue(Engine(), store, QueuedJob{.id = "a", .source = source}).value());
  WorkerOptions options;
  options.until_empty = true;
  options.poll = options.first_retry = options.longest_retry = std::chrono::milliseconds(1);
  Worker worker(Engine(), store, tools, options);
  EXPECT_TRUE(worker.run());
  out.healed = worker.stats().healed;
  out.state = queued_run(store, "a").value()->state;
  return out;
}

TEST(LostAnswer, AnAnswerThatTheStoreDidNotTakeIsWrittenLater) {
  for (const int failures : {1, 3}) {
    const Seen seen = worked(Loss::TheWrite, failures, "(+ (tool/pay {}) 10)");
    EXPECT_EQ(seen.calls, 1);
    EXPECT_EQ(seen.healed, 1u);
    EXPECT_EQ(seen.state, "done");
  }
}

TEST(LostAnswer, EachCallIsMadeOnce) {
  const Seen seen = worked(Loss::TheWrite, 1, "(do (task \"a\" (tool/pay {})) (+ (tool/pay {}) (tool/pay {})))");
  EXPECT_EQ(seen.calls, 3);
  EXPECT_EQ(seen.state, "done");
}

TEST(LostAnswer, AnAnswerThatTheStoreTookInSilenceIsNotWrittenAgain) {
  const Seen seen = worked(Loss::TheAnswerOfTheStore, 1, "(+ (tool/pay {}) 10)");
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.healed, 0u);
  EXPECT_EQ(seen.state, "done");
}

}  // namespace
}  // namespace ptcvm
