// Copies and forks of runs.
#include "runtime/durable/run_copy.h"
#include "tests/store/move_steps.h"

namespace ptc {
namespace {

void a_copy_leaves_the_source_alone(FactStore& from, FactStore& to) {
  parked_run(from, "a");
  const std::vector<Fact> before = facts_of(from, "a");
  EXPECT_EQ(taken(copy_run(from, to, "a", {"Ann", "here", kStoreNow, std::nullopt, true})), CopyEnd::Done);
  EXPECT_EQ(facts_of(from, "a"), before);
  EXPECT_EQ(state_in(from, "a"), "parked");
  std::vector<Fact> copy = facts_of(to, "a");
  ASSERT_EQ(copy.size(), before.size() + 1);
  EXPECT_EQ(copy.back().kind, FactKind::RunCopied);
  copy.pop_back();
  EXPECT_EQ(copy, before);
  EXPECT_TRUE(taken(to.parked("a")));
  EXPECT_EQ(moved(to, from, "a"), MoveEnd::Copy) << "a copy takes no run's place";
  EXPECT_EQ(taken(copy_run(from, to, "a", {})), CopyEnd::Exists);
  EXPECT_EQ(taken(fork_run(to, "a", 1, "b", {})), CopyEnd::Copy);
}

void a_fork_has_the_beginning_and_keys_of_its_own(FactStore& from, FactStore&) {
  const std::uint64_t token = started(from, "a");
  put_one(from, "a", token, task_fact("task/x#1", "7"));
  put_one(from, "a", token, intent_fact("a/task:x#0"));
  put_one(from, "a", token, intent_fact("run:a@1#2"));
  put_one(from, "a", token, task_fact("task/y#1"));
  taken(from.release("a", token));
  EXPECT_EQ(taken(fork_run(from, "a", 4, "b/c", {})), CopyEnd::Done);
  const std::vector<Fact> fork = facts_of(from, "b/c");
  ASSERT_EQ(fork.size(), 5u);
  EXPECT_EQ(fork[1].value, "7");
  EXPECT_EQ(fork[2].idempotency_key, "b~1c/task:x#0");
  EXPECT_EQ(fork[2].key, "intent/b~1c/task:x#0#1");
  EXPECT_EQ(fork[3].idempotency_key, "run:b~1c@1#2");
  EXPECT_EQ(fork[4].kind, FactKind::RunForked);
  EXPECT_EQ(fork[4].id, "a");
  EXPECT_EQ(taken(from.open_calls("b/c")).size(), 2u) << "nobody knows what became of them";
  EXPECT_EQ(state_in(from, "b/c"), "running");
  EXPECT_EQ(taken(fork_run(from, "a", 4, "b/c", {})), CopyEnd::Exists);
  EXPECT_EQ(taken(fork_run(from, "a", 6, "d", {})), CopyEnd::NoFact);
  EXPECT_EQ(taken(fork_run(from, "a", 0, "d", {})), CopyEnd::NoFact);
  EXPECT_EQ(taken(fork_run(from, "none", 1, "d", {})), CopyEnd::Missing);
}

constexpr MoveCase kCopyCases[] = {
    {"ACopyLeavesTheSourceAlone", a_copy_leaves_the_source_alone},
    {"AForkHasTheBeginningAndKeysOfItsOwn", a_fork_has_the_beginning_and_keys_of_its_own},
};

}  // namespace

std::span<const MoveCase> move_copy_cases() { return kCopyCases; }

}  // namespace ptc
