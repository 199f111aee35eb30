// A stored run is parked in the middle of its program, and goes on from there.
#include <gtest/gtest.h>

#include "ptcvm/ptcvm.hpp"

namespace ptcvm {
namespace {

constexpr const char* kLoop = "(loop [i 0 sum 0] (if (< i 9000) (recur (inc i) (+ sum i)) (str \"sum \" sum)))";

// Steps a run in small slices, and parks it after each one. Returns how often it was parked, and the value.
std::pair<int, std::string> parked_again_and_again(const std::string& source, const Tools& tools) {
  const Engine engine;
  const Store store = Store::in_memory();
  StoredOptions options{.id = "r"};
  auto begun = StoredRun::start(engine, store, tools, source, options);
  if (!begun) return {0, begun.error().message};
  int parks = 0;
  for (std::optional<StoredRun> run = std::move(*begun);;) {
    const auto step = run->step(1'000);
    if (!step) return {parks, step.error().message};
    if (*step == StoredStep::Waits) {
      for (const WaitingCall& call : run->calls()) {
        (void)run->make(call.id);
        break;
      }
    }
    if (*step == StoredStep::Done) {
      if (run->outcome().end != StoredEnd::Suspended) return {parks, run->outcome().value_edn};
      ++parks;
      auto next = StoredRun::open(engine, store, tools, options);   // as another process would
      if (!next) return {parks, next.error().message};
      run = std::move(*next);
      continue;
    }
    run->park_soon();
  }
}

}  // namespace

TEST(ParkSoon, AProgramGoesOnInTheMiddleOfAnExpression) {
  const auto [parks, value] = parked_again_and_again(kLoop, Tools());
  EXPECT_EQ(value, "\"sum 40495500\"");
  EXPECT_GT(parks, 3);
}

TEST(ParkSoon, ACallIsMadeOnce) {
  int calls = 0;
  Tools tools;
  tools.add("count", "(n :int) -> :int", [&calls](ToolCall& call) {
    ++calls;
    return call.value(std::int64_t{calls});
  }, {.effect = Effect::Unsafe}).value();
  const auto [parks, value] =
      parked_again_and_again("(mapv (fn [n] (tool/count {:n n})) (range 5))", tools);
  EXPECT_EQ(value, "[1 2 3 4 5]");
  EXPECT_EQ(calls, 5);
  EXPECT_GT(parks, 3);
}

// A run that somebody wants to park does not begin the calls for which there was no room.
TEST(ParkSoon, NoCallIsBegunWhileTheOnesInFlightAreWaitedFor) {
  const Engine engine;
  const Store store = Store::in_memory();
  Tools tools;
  tools.defer("count", "(n :int) -> :int").value();
  StoredOptions options{.id = "r"};
  options.parallel_calls = 2;
  auto run = StoredRun::start(engine, store, tools, "(pmap (fn [n] (tool/count {:n n})) (range 4))", options).value();
  ASSERT_EQ(run.step().value(), StoredStep::Waits);
  const auto first = run.calls();
  ASSERT_EQ(first.size(), 2u);
  const std::uint64_t ids[] = {first[0].id, first[1].id};
  run.park_soon();
  for (std::int64_t n = 0; n < 2; ++n) {
    run.answer(ids[n], Value::of(n)).value();
    ASSERT_EQ(run.step().value(), n == 0 ? StoredStep::Waits : StoredStep::Done);
  }
  EXPECT_EQ(run.outcome().end, StoredEnd::Suspended);
  ASSERT_EQ(run.step().value(), StoredStep::Waits);   // goes on where it was parked
  EXPECT_EQ(run.calls().size(), 2u);
}

}  // namespace ptcvm
