// A worker whose write of the end of a turn has no answer.
#include <gtest/gtest.h>

#include "api/store_access.h"
#include "ptcvm/ptcvm.hpp"
#include "ptcvm/worker.hpp"
#include "runtime/log/forwarding_store.h"
#include "runtime/log/memory_store.h"

namespace ptcvm {
namespace {

struct OwnMemory {
  ptc::MemoryStore memory;
};

// Writes the first end of a run, and does not say so.
class LosesTheFirstEnd final : private OwnMemory, public ptc::ForwardingStore {
 public:
  LosesTheFirstEnd() : ForwardingStore(memory) {}
  ptc::StoreResult<ptc::Written> ended(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts) override {
    auto out = ForwardingStore::ended(log, cut, facts);
    if (is_lost_) return out;
    is_lost_ = true;
    return ptc::StoreError{ptc::StoreError::Kind::Unknown, "the connection broke"};
  }

 private:
  bool is_lost_ = false;
};

// Works until the job is over, and returns how.
std::string state_of(const std::string& source) {
  const Store store = StoreAccess::made(std::make_unique<LosesTheFirstEnd>());
  QueuedJob job;
  job.id = "a";
  job.source = source;
  job.most_attempts = 3;
  EXPECT_TRUE(enqueue(Engine(), store, job));
  WorkerOptions options;
  options.until_empty = true;
  options.first_retry = options.longest_retry = std::chrono::milliseconds(1);
  for (int i = 0; i < 1'000; ++i) {
    Worker worker(Engine(), store, Tools(), options);
    EXPECT_TRUE(worker.run());
    const std::string state = queued_run(store, "a").value()->state;
    if (state == "done" || state == "dead") return state;
  }
  return "";
}

// The log is over after the lost write: only the worker knows that the turn failed.
TEST(LostEnd, AFailureWhoseEndWasLostIsNoSuccess) { EXPECT_EQ(state_of("(fail :no)"), "dead"); }
TEST(LostEnd, ASuccessWhoseEndWasLostIsASuccess) { EXPECT_EQ(state_of("(+ 1 2)"), "done"); }

}  // namespace
}  // namespace ptcvm
