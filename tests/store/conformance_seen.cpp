// What a write tells its writer: the head of the log, and what others wrote since the writer looked last.
#include <array>
#include <random>
#include <vector>

#include "tests/store/conformance.h"
#include "tests/store/store_facts.h"
#include "tests/support/sweep.h"

namespace ptc {
namespace {

std::vector<std::string> keys_of(const std::vector<Fact>& facts) {
  std::vector<std::string> out;
  for (const Fact& fact : facts) out.push_back(fact.key);
  return out;
}

using Keys = std::vector<std::string>;

Written put_at(FactStore& store, Cut cut, const Fact& fact, Durability durability = Durability::AsMode) {
  return taken(store.put("a", cut, {&fact, 1}, durability));
}

void a_put_tells_what_others_wrote(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", 0, outside_fact("o1"));
  put_one(store, "b", 0, outside_fact("of another log"));
  put_one(store, "a", 0, outside_fact("o2"));
  const Written first = put_at(store, {token, 1}, task_fact("t1"));
  EXPECT_EQ(keys_of(first.others), (Keys{"o1", "o2"}));
  EXPECT_EQ(first.others, taken(store.read("a", 1, 2)));
  EXPECT_EQ(first.puts.front().fact.seq, 4u);
  EXPECT_EQ(first.head, 4u);
  EXPECT_FALSE(first.more);
  const Written second = put_at(store, {token, first.head}, task_fact("t2"), Durability::Now);
  EXPECT_TRUE(second.others.empty());
  EXPECT_EQ(second.head, 5u);
}

void a_blind_put_is_told_nothing(FactStore& store) {
  put_one(store, "a", 0, outside_fact("o1"));
  const Written out = put_at(store, Cut::blind(), outside_fact("o2"));
  EXPECT_TRUE(out.others.empty());
  EXPECT_FALSE(out.more);
  EXPECT_EQ(out.head, 2u);
}

void an_outsider_is_told_too(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", token, task_fact("t"));
  EXPECT_EQ(keys_of(put_at(store, {0, 1}, outside_fact("o")).others), Keys{"t"});
}

void a_cut_behind_own_facts_gives_them_back(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", token, task_fact("mine"));
  EXPECT_EQ(keys_of(put_at(store, {token, 1}, task_fact("next")).others), Keys{"mine"});
}

void a_fact_that_was_there_is_told_both_ways(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", 0, outside_fact("k", "theirs"));
  const Written out = put_at(store, {token, 1}, outside_fact("k", "mine"));
  EXPECT_FALSE(out.puts.front().mine);
  EXPECT_EQ(out.others, std::vector{out.puts.front().fact});
  EXPECT_EQ(out.head, 2u);
}

void nothing_put_tells_as_well(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", 0, outside_fact("o"));
  const Written out = taken(store.put("a", {token, 1}, {}));
  EXPECT_EQ(keys_of(out.others), Keys{"o"});
  EXPECT_EQ(out.head, 2u);
  EXPECT_EQ(taken(store.put("nowhere", {0, 0}, {})).head, 0u);
}

void decisions_tell(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", 0, outside_fact("o"));
  const Decided refused = decide_one(store, "a", {token, 1}, step_fact("d"));
  ASSERT_TRUE(refused.conflict);
  EXPECT_EQ(keys_of(refused.others), Keys{"o"});
  EXPECT_TRUE(refused.puts.empty());
  put_one(store, "a", 0, fact_of(FactKind::RunResumed, "r"));
  const Decided done = decide_one(store, "a", {token, refused.head}, step_fact("d"));
  EXPECT_FALSE(done.conflict);
  EXPECT_EQ(keys_of(done.others), Keys{"r"});
  ASSERT_EQ(done.puts.size(), 1u);
  EXPECT_EQ(done.puts.front().fact, taken(store.find("a", "d")));
  EXPECT_EQ(done.head, 4u);
}

void parking_tells(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", 0, outside_fact("answer"));
  const Fact why = fact_of(FactKind::RunSuspended, "why");
  const ParkResult arrived = taken(store.park("a", {token, 1}, {&why, 1}, waiting_for({"answer"}, 1)));
  EXPECT_TRUE(arrived.arrived);
  EXPECT_EQ(keys_of(arrived.others), Keys{"answer"});
  EXPECT_EQ(arrived.head, 2u);
  const ParkResult refused = taken(store.park("a", {token, 1}, {&why, 1}, waiting_for({"next"}, 2)));
  EXPECT_TRUE(refused.conflict);
  EXPECT_EQ(keys_of(refused.others), Keys{"answer"});
  EXPECT_TRUE(refused.puts.empty());
  const ParkResult done = taken(store.park("a", {token, 2}, {&why, 1}, waiting_for({"next"}, 2)));
  EXPECT_TRUE(done.parked);
  EXPECT_TRUE(done.others.empty());
  ASSERT_EQ(done.puts.size(), 1u);
  EXPECT_EQ(done.puts.front().fact.seq, 3u);
  EXPECT_EQ(done.head, 3u);
}

void going_on_and_ending_tell(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  EXPECT_TRUE(is_parked(store, "a", token, waiting_for({"k"}, 1)));
  put_one(store, "a", 0, outside_fact("k"));
  const Fact goes_on = fact_of(FactKind::RunResumed, "goes on");
  const Written resumed = taken(store.resumed("a", {token, 1}, {&goes_on, 1}));
  EXPECT_EQ(keys_of(resumed.others), Keys{"k"});
  EXPECT_EQ(resumed.head, 3u);
  put_one(store, "a", 0, outside_fact("late"));
  const Fact over = fact_of(FactKind::TurnEnded, "over");
  const Written ended = taken(store.ended("a", {token, resumed.head}, {&over, 1}));
  EXPECT_EQ(keys_of(ended.others), Keys{"late"});
  EXPECT_EQ(ended.head, 5u);
}

void many_others_are_told_in_part(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  const std::vector<Fact> crowd(kMostOthers, outside_fact(""));
  taken(store.put("a", Cut::blind(), crowd));
  const Written all = taken(store.put("a", {token, 1}, {}));
  EXPECT_EQ(all.others.size(), kMostOthers);
  EXPECT_FALSE(all.more);
  put_one(store, "a", 0, outside_fact("one more"));
  const Written part = put_at(store, {token, 1}, task_fact("t"));
  EXPECT_EQ(part.others, taken(store.read("a", 1, kMostOthers)));
  EXPECT_TRUE(part.more);
  EXPECT_EQ(part.head, kMostOthers + 3);
  EXPECT_EQ(part.puts.front().fact.seq, part.head);
}

void nobody_has_seen_the_future(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  EXPECT_TRUE(is_parked(store, "a", token, waiting_for({"k"}, 1)));
  const Fact fact = task_fact("t"), over = fact_of(FactKind::TurnEnded, "");
  EXPECT_EQ(error_of(store.put("a", {token, 2}, {&fact, 1})), "store_misuse");
  EXPECT_EQ(error_of(store.put("a", {token, 2}, {})), "store_misuse");
  EXPECT_EQ(error_of(store.resumed("a", {token, 2}, {})), "store_misuse");
  EXPECT_EQ(error_of(store.ended("a", {token, 2}, {&over, 1})), "store_misuse");
  const Fact said = outside_fact("o");
  EXPECT_EQ(error_of(store.put("nowhere", {0, 1}, {&said, 1})), "store_misuse");
  EXPECT_FALSE(taken(store.info("nowhere")));
  EXPECT_EQ(head_of(store, "a"), 1u);
  EXPECT_EQ(taken(store.info("a"))->state, LogState::Parked);
  const Fact decision = step_fact();
  EXPECT_EQ(error_of(store.decide("a", Cut::blind(token), {&decision, 1})), "store_misuse") << "it must see";
}

// What a writer knows of a log, only by what its writes told.
class Watcher {
 public:
  explicit Watcher(std::uint64_t token) : token_(token) {}
  Cut cut() const { return {token_, known_.size()}; }
  const std::vector<Fact>& known() const { return known_; }

  void learn(FactStore& store, const Written& told) {
    known_.insert(known_.end(), told.others.begin(), told.others.end());
    if (told.more) {
      const auto rest = taken(store.read("a", known_.size(), 10'000));
      known_.insert(known_.end(), rest.begin(), rest.end());
    } else {
      for (const Put& put : told.puts) {
        if (put.mine) known_.push_back(put.fact);
      }
    }
    EXPECT_EQ(told.head, known_.size());
  }

 private:
  const std::uint64_t token_;
  std::vector<Fact> known_;
};

// Any mix of writes by three writers: each knows the whole log after each of its writes.
void writers_know_the_log_by_their_writes(FactStore& store) {
  constexpr int kSteps = 600 / static_cast<int>(kSweepStep);
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::array<Watcher, 3> writers{Watcher(claimed(store, "a")), Watcher(0), Watcher(0)};
  for (int step = 0; step < kSteps; ++step) {
    Watcher& writer = writers[below(3)];
    const bool is_claimed = writer.cut().token != 0;
    std::vector<Fact> facts;
    const unsigned count = step == kSteps / 2 ? 1'200 : below(4);
    for (unsigned i = 0; i < count; ++i) {
      const std::string key = below(3) == 0 ? "" : "k" + std::to_string(below(400));
      facts.push_back(is_claimed && below(2) == 0 ? task_fact(key) : outside_fact(key, std::to_string(step)));
    }
    if (is_claimed && below(4) == 0) {
      const Fact fact = step_fact(below(2) == 0 ? "" : "k" + std::to_string(below(400)));
      writer.learn(store, taken(store.decide("a", writer.cut(), {&fact, 1})));
    } else if (is_claimed && below(4) == 0 && writer.cut().seq > 0) {
      writer.learn(store, taken(store.park("a", writer.cut(), {}, waiting_for({"k1"}, writer.cut().seq))));
    } else if (is_claimed && below(4) == 0 && head_of(store, "a") > 0) {
      writer.learn(store, taken(store.ended("a", writer.cut(), facts)));
    } else {
      writer.learn(store, taken(store.put("a", writer.cut(), facts, below(2) == 0 ? Durability::Now : Durability{})));
    }
    ASSERT_EQ(writer.known(), taken(store.read("a", 0, 100'000))) << "step " << step;
  }
}

constexpr auto kSeenCases = std::to_array<StoreCase>({
    {"APutTellsWhatOthersWrote", a_put_tells_what_others_wrote},
    {"ABlindPutIsToldNothing", a_blind_put_is_told_nothing},
    {"AnOutsiderIsToldToo", an_outsider_is_told_too},
    {"ACutBehindOwnFactsGivesThemBack", a_cut_behind_own_facts_gives_them_back},
    {"AFactThatWasThereIsToldBothWays", a_fact_that_was_there_is_told_both_ways},
    {"NothingPutTellsAsWell", nothing_put_tells_as_well},
    {"DecisionsTell", decisions_tell},
    {"ParkingTells", parking_tells},
    {"GoingOnAndEndingTell", going_on_and_ending_tell},
    {"ManyOthersAreToldInPart", many_others_are_told_in_part},
    {"NobodyHasSeenTheFuture", nobody_has_seen_the_future},
    {"WritersKnowTheLogByTheirWrites", writers_know_the_log_by_their_writes},
});

}  // namespace

std::span<const StoreCase> store_seen_cases() { return kSeenCases; }

}  // namespace ptc
