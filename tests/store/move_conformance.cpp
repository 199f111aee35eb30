#include "tests/store/move_conformance.h"

#include <atomic>
#include <thread>

#include "runtime/log/forwarding_store.h"
#include "runtime/log/process_owner.h"
#include "tests/store/move_steps.h"

namespace ptc {
namespace {

// Refused as a run that went away, or as a claim that was given back.
bool is_refused(const std::string& error) { return error == "run_moved" || error == "store_fenced"; }

// Nobody can do anything with the run any more, and each refusal has the name.
void expect_fenced(FactStore& store, std::string_view run, std::uint64_t old_token) {
  const Fact outside = outside_fact("external/x#1"), task = task_fact("task/z#1");
  EXPECT_EQ(error_of(store.put(run, Cut::blind(), {&outside, 1})), "run_moved");
  EXPECT_TRUE(is_refused(error_of(store.put(run, Cut::blind(old_token), {&task, 1}))));
  EXPECT_EQ(error_of(store.claim(run, "other", kStoreNow + 10 * kStoreLease, kStoreLease)), "run_moved");
  EXPECT_EQ(error_of(store.claim(run, "other", kStoreNow, kStoreLease, old_token)), "run_moved");
  EXPECT_TRUE(is_refused(error_of(store.resumed(run, Cut::blind(old_token), {}))));
  EXPECT_TRUE(is_refused(error_of(store.ended(run, Cut::blind(old_token), {}))));
  EXPECT_TRUE(is_refused(error_of(store.park(run, {old_token, 1}, {}, waiting_for({"resolved/op1"}, 1)))));
  const Fact step = step_fact();
  EXPECT_TRUE(is_refused(error_of(store.decide(run, {old_token, 1}, {&step, 1}))));
  EXPECT_FALSE(taken(store.renew(run, old_token, kStoreNow, kStoreLease)));
  EXPECT_FALSE(taken(store.release(run, old_token)));
  EXPECT_TRUE(taken(store.woken(kStoreNow + 1'000'000'000, 10)).empty());
}

void everything_goes(FactStore& from, FactStore& to) {
  const std::uint64_t token = parked_run(from, "a");
  const std::vector<Fact> before = facts_of(from, "a");
  EXPECT_EQ(moved(from, to, "a"), MoveEnd::Done);
  std::vector<Fact> there = facts_of(to, "a");
  EXPECT_EQ(there, facts_of(from, "a"));
  ASSERT_EQ(there.size(), before.size() + 1);
  EXPECT_EQ(there.back().kind, FactKind::RunMoved);
  EXPECT_EQ(there.back().text, "there.db");
  EXPECT_EQ(there.back().source, "Ann");
  there.pop_back();
  EXPECT_EQ(there, before);
  EXPECT_EQ(taken(to.open_calls("a")).size(), 1u);
  const auto parked = taken(to.parked("a"));
  ASSERT_TRUE(parked);
  EXPECT_EQ(parked->snapshot, waiting_for({}, 0).snapshot);
  EXPECT_EQ(parked->wait_keys, std::vector<std::string>{"resolved/op1"});
  EXPECT_EQ(state_in(to, "a"), "parked");
  EXPECT_EQ(state_in(from, "a"), "moved");
  expect_fenced(from, "a", token);
  EXPECT_GT(claimed(to, "a"), token) << "the number that fences grows on";
}

void an_answer_wakes_it_there(FactStore& from, FactStore& to) {
  parked_run(from, "a");
  EXPECT_EQ(moved(from, to, "a"), MoveEnd::Done);
  EXPECT_TRUE(taken(to.woken(kStoreNow, 10)).empty());
  put_one(to, "a", 0, fact_of(FactKind::OperationResolved, "resolved/op1"));
  EXPECT_EQ(taken(to.woken(kStoreNow, 10)), std::vector<std::string>{"a"});
}

void one_that_was_woken_stays_woken(FactStore& from, FactStore& to) {
  parked_run(from, "a");
  put_one(from, "a", 0, fact_of(FactKind::OperationResolved, "resolved/op1"));
  EXPECT_EQ(moved(from, to, "a"), MoveEnd::Done);
  EXPECT_EQ(taken(to.woken(kStoreNow, 10)), std::vector<std::string>{"a"});
}

void it_comes_back_and_goes_again(FactStore& from, FactStore& to) {
  parked_run(from, "a");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(moved(from, to, "a"), MoveEnd::Done);
    put_one(to, "a", 0, outside_fact("external/there#" + std::to_string(i)));
    EXPECT_EQ(moved(to, from, "a"), MoveEnd::Done);
    EXPECT_EQ(state_in(from, "a"), "parked");
    EXPECT_EQ(state_in(to, "a"), "moved");
    put_one(from, "a", 0, outside_fact("external/here#" + std::to_string(i)));
  }
  EXPECT_EQ(facts_of(from, "a").size(), 3u + 3 * 4);
  EXPECT_TRUE(taken(from.parked("a")));
}

void states_go_along(FactStore& from, FactStore& to) {
  started(from, "running");
  taken(from.release("running", 1));
  const std::uint64_t token = started(from, "ended");
  const Fact end = fact_of(FactKind::TurnEnded, "");
  taken(from.ended("ended", Cut::blind(token), {&end, 1}));
  taken(from.release("ended", token));
  parked_run(from, "resumed");
  const std::uint64_t again = claimed(from, "resumed");
  taken(from.resumed("resumed", Cut::blind(again), {}));
  taken(from.release("resumed", again));
  for (const char* const run : {"running", "ended", "resumed"}) EXPECT_EQ(moved(from, to, run), MoveEnd::Done);
  EXPECT_EQ(state_in(to, "running"), "running");
  EXPECT_EQ(state_in(to, "ended"), "ended");
  EXPECT_EQ(state_in(to, "resumed"), "running");
  EXPECT_TRUE(taken(to.parked("resumed"))) << "a run that is executed goes on from what was parked";
  EXPECT_FALSE(taken(to.parked("ended")));
  EXPECT_TRUE(taken(to.woken(kStoreNow + 1'000'000'000, 10)).empty());
}

void refusals_have_names(FactStore& from, FactStore& to) {
  EXPECT_EQ(moved(from, to, "none"), MoveEnd::Missing);
  EXPECT_EQ(moved(from, from, "none"), MoveEnd::SameStore);
  put_one(from, "host", 0, fact_of(FactKind::HostNoted, "host/x"));
  EXPECT_EQ(moved(from, to, "host"), MoveEnd::NotARun);
  const std::uint64_t token = started(from, "busy");
  const MoveOutcome busy = taken(move_run(from, to, "busy", to_there()));
  EXPECT_EQ(busy.end, MoveEnd::Busy);
  EXPECT_EQ(busy.holder, "tester");
  EXPECT_TRUE(put_one(from, "busy", token, task_fact("task/a#1")).mine) << "its holder goes on";
  parked_run(from, "both");
  parked_run(to, "both");
  EXPECT_EQ(moved(from, to, "both"), MoveEnd::Exists);
  EXPECT_EQ(state_in(from, "both"), "parked") << "nothing was begun";
  EXPECT_EQ(facts_of(to, "both").size(), 3u);
}

void a_third_store_gets_nothing(FactStore& from, FactStore& to) {
  parked_run(from, "a");
  EXPECT_EQ(moved(from, to, "a"), MoveEnd::Done);
  EXPECT_EQ(moved(from, to, "a"), MoveEnd::Before);
}

// A store that fails at one call: before it is made, or after it, when its answer is lost.
class FailingStore final : public ForwardingStore {
 public:
  FailingStore(FactStore& store, int& calls_left, bool loses_answer)
      : ForwardingStore(store), left_(calls_left), loses_(loses_answer) {}

  StoreResult<Written> put(std::string_view log, Cut cut, std::span<const Fact> facts, Durability how) override {
    return failing([&] { return store_.put(log, cut, facts, how); });
  }
  StoreResult<std::vector<Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) override {
    return failing([&] { return store_.read(log, after, most); });
  }
  StoreResult<std::optional<Parked>> parked(std::string_view log) override {
    return failing([&] { return store_.parked(log); });
  }
  StoreResult<std::optional<RunInfo>> info(std::string_view log) override {
    return failing([&] { return store_.info(log); });
  }
  StoreResult<std::optional<Fact>> find(std::string_view log, std::string_view key) override {
    return failing([&] { return store_.find(log, key); });
  }
  StoreResult<Claim> claim(std::string_view log, std::string_view owner, std::int64_t now, std::int64_t lease,
                           std::optional<std::uint64_t> dead) override {
    return failing([&] { return store_.claim(log, owner, now, lease, dead); });
  }
  StoreResult<bool> release(std::string_view log, std::uint64_t token) override {
    return failing([&] { return store_.release(log, token); });
  }
  StoreResult<Written> depart(std::string_view log, Cut cut, const Fact& moved) override {
    return failing([&] { return store_.depart(log, cut, moved); });
  }
  StoreResult<bool> arrive(const Arrival& run, std::int64_t now) override {
    return failing([&] { return store_.arrive(run, now); });
  }
  StoreResult<bool> settle_departure(std::string_view log, std::string_view key) override {
    return failing([&] { return store_.settle_departure(log, key); });
  }

 private:
  // A mover that is killed makes no call any more.
  template <class Call>
  auto failing(Call call) -> decltype(call()) {
    if (left_ == 0 && loses_ && !is_lost_) {
      is_lost_ = true;
      (void)call();
    }
    if (left_ == 0) return StoreError{StoreError::Kind::Unknown, "killed"};
    --left_;
    return call();
  }

  int& left_;
  const bool loses_;
  bool is_lost_ = false;
};

// Could somebody execute the run in the store now, or later by an answer?
bool can_run(FactStore& store) {
  const std::string state = state_in(store, "a");
  return state == "running" || state == "parked" || state == "ended";
}

// Moves the run with a kill before or after the n-th call, for all n.
void kills(FactStore& from, FactStore& to, bool loses_answer) {
  parked_run(from, "a");
  FactStore* here = &from;
  FactStore* there = &to;
  for (int n = 0;; ++n) {
    int left = n;
    {
      FailingStore source(*here, left, loses_answer), target(*there, left, loses_answer);
      (void)move_run(source, target, "a", to_there());
    }
    ASSERT_FALSE(can_run(*here) && can_run(*there)) << "killed at call " << n << ": both stores could execute the run";
    ASSERT_NE(state_in(*here, "a"), "") << n;
    const bool was_whole = left > 0;
    // The claim of the mover that died is over by then.
    MoveOptions later = to_there();
    later.now_ms += 1'000'000 * (n + 1);
    auto again = move_run(*here, *there, "a", later);
    const MoveEnd end = taken(std::move(again)).end;
    ASSERT_TRUE(end == MoveEnd::Done || end == MoveEnd::Before || (end == MoveEnd::Busy && n < 10)) << n;
    if (end == MoveEnd::Busy) {                        // this process lives, so its own claim holds
      const auto info = taken(here->info("a"));
      ASSERT_EQ(info->owner, process_owner());
      const Claim dead = taken(here->claim("a", "x", later.now_ms, 1));
      ASSERT_TRUE(dead.granted) << "a lease that is over holds nobody";
      ASSERT_TRUE(taken(here->release("a", dead.token)));
      ASSERT_EQ(moved(*here, *there, "a", later), MoveEnd::Done) << n;
    }
    ASSERT_FALSE(can_run(*here));
    ASSERT_EQ(state_in(*there, "a"), "parked") << n;
    ASSERT_EQ(facts_of(*here, "a"), facts_of(*there, "a")) << n;
    std::swap(here, there);
    if (was_whole) return;
  }
}

void a_kill_before_any_call_loses_nothing(FactStore& from, FactStore& to) { kills(from, to, false); }
void a_lost_answer_of_any_call_loses_nothing(FactStore& from, FactStore& to) { kills(from, to, true); }

void many_movers_move_it_once(FactStore& from, FactStore& to) {
  for (int round = 0; round < 10; ++round) {
    const std::string run = "a" + std::to_string(round);
    parked_run(from, run);
    std::atomic<int> there{0};
    std::vector<std::thread> movers;
    for (int i = 0; i < 4; ++i) {
      movers.emplace_back([&] {
        for (;;) {                                     // another mover may have the claim for a moment
          const auto out = move_run(from, to, run, to_there());
          const auto* const end = std::get_if<MoveOutcome>(&out);
          if (end == nullptr) break;
          if (end->end == MoveEnd::Busy) continue;
          if (end->end == MoveEnd::Done || end->end == MoveEnd::Before) ++there;
          break;
        }
      });
    }
    for (std::thread& mover : movers) mover.join();
    EXPECT_EQ(there, 4);
    EXPECT_EQ(facts_of(to, run), facts_of(from, run));
    EXPECT_EQ(facts_of(to, run).size(), 4u) << "it has left once";
  }
}

constexpr MoveCase kMoveCases[] = {
    {"EverythingGoes", everything_goes},
    {"AnAnswerWakesItThere", an_answer_wakes_it_there},
    {"OneThatWasWokenStaysWoken", one_that_was_woken_stays_woken},
    {"ItComesBackAndGoesAgain", it_comes_back_and_goes_again},
    {"StatesGoAlong", states_go_along},
    {"RefusalsHaveNames", refusals_have_names},
    {"AThirdStoreGetsNothing", a_third_store_gets_nothing},
    {"AKillBeforeAnyCallLosesNothing", a_kill_before_any_call_loses_nothing},
    {"ALostAnswerOfAnyCallLosesNothing", a_lost_answer_of_any_call_loses_nothing},
    {"ManyMoversMoveItOnce", many_movers_move_it_once},
};

class MoveTest : public testing::Test {
 public:
  MoveTest(const MoveCase& tested, FreshOfTwo fresh) : tested_(tested), fresh_(std::move(fresh)) {}
  void TestBody() override {
    const auto from = fresh_(false), to = fresh_(true);
    ASSERT_TRUE(from && to);
    tested_.run(*from, *to);
  }

 private:
  const MoveCase& tested_;
  const FreshOfTwo fresh_;
};

}  // namespace

bool move_conformance(const std::string& suite, FreshOfTwo fresh) {
  for (const std::span<const MoveCase> part : {std::span<const MoveCase>(kMoveCases), move_job_cases(),
                                               move_copy_cases(), move_tenant_cases()}) {
    for (const MoveCase& tested : part) {
      testing::RegisterTest(suite.c_str(), tested.name, nullptr, nullptr, __FILE__, __LINE__,
                            [&tested, fresh]() -> MoveTest* { return new MoveTest(tested, fresh); });
    }
  }
  return true;
}

}  // namespace ptc
