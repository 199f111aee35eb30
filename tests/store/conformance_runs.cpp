#include <array>
#include <limits>
#include <vector>

#include "tests/store/conformance.h"
#include "tests/store/store_facts.h"

namespace ptc {
namespace {

constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();

std::vector<std::string> woken_now(FactStore& store) { return taken(store.woken(kStoreNow, 100)); }

void claims_exclude_each_other(FactStore& store) {
  const Claim first = taken(store.claim("a", "one", kStoreNow, 100));
  ASSERT_TRUE(first.granted);
  EXPECT_GT(first.token, 0u);
  for (const char* who : {"two", "one"}) {
    const Claim refused = taken(store.claim("a", who, kStoreNow + 99, 100));
    EXPECT_FALSE(refused.granted);
    EXPECT_EQ(refused.owner, "one");
    EXPECT_EQ(refused.held_token, first.token);
    EXPECT_EQ(refused.until_ms, kStoreNow + 100);
  }
  EXPECT_TRUE(taken(store.claim("b", "two", kStoreNow, 100)).granted) << "of another log";
}

void claims_expire(FactStore& store) {
  const Claim first = taken(store.claim("a", "one", kStoreNow, 100));
  const Claim second = taken(store.claim("a", "two", kStoreNow + 100, 100));
  EXPECT_TRUE(second.granted);
  EXPECT_GT(second.token, first.token);
  EXPECT_TRUE(taken(store.claim("b", "one", kStoreNow, kEver)).granted);
  EXPECT_FALSE(taken(store.claim("b", "two", kEver - 1, 1)).granted) << "a lease without end";
}

void a_dead_holder_is_replaced(FactStore& store) {
  const Claim first = taken(store.claim("a", "one", kStoreNow, 100));
  EXPECT_FALSE(taken(store.claim("a", "two", kStoreNow, 100, first.token + 1)).granted) << "another one is dead";
  const Claim second = taken(store.claim("a", "two", kStoreNow, 100, first.token));
  EXPECT_TRUE(second.granted);
  EXPECT_FALSE(taken(store.claim("a", "three", kStoreNow, 100, first.token)).granted) << "known too late";
}

void claims_are_renewed(FactStore& store) {
  const Claim first = taken(store.claim("a", "one", kStoreNow, 100));
  EXPECT_TRUE(taken(store.renew("a", first.token, kStoreNow + 50, 100)));
  EXPECT_FALSE(taken(store.claim("a", "two", kStoreNow + 149, 100)).granted);
  EXPECT_TRUE(taken(store.renew("a", first.token, kStoreNow + 500, 100))) << "late, but nobody came";
  const Claim second = taken(store.claim("a", "two", kStoreNow + 600, 100));
  EXPECT_TRUE(second.granted);
  EXPECT_FALSE(taken(store.renew("a", first.token, kStoreNow + 600, 100)));
  EXPECT_FALSE(taken(store.renew("nowhere", 1, kStoreNow, 100)));
}

void claims_are_given_back(FactStore& store) {
  const Claim first = taken(store.claim("a", "one", kStoreNow, 100));
  EXPECT_TRUE(taken(store.release("a", first.token)));
  EXPECT_FALSE(taken(store.release("a", first.token)));
  EXPECT_FALSE(taken(store.renew("a", first.token, kStoreNow, 100)));
  const Claim second = taken(store.claim("a", "two", kStoreNow, 100));
  EXPECT_TRUE(second.granted);
  EXPECT_GT(second.token, first.token);
  EXPECT_FALSE(taken(store.release("a", first.token)));
  EXPECT_FALSE(taken(store.release("nowhere", 1)));
}

void parks_and_gives_back(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  Parked run = waiting_for({"k2", "k1", "k2"}, 1);
  run.deadline_ms = -5;
  const Fact why = fact_of(FactKind::RunSuspended, "");
  const ParkResult out = taken(store.park("a", {token, 1}, {&why, 1}, run));
  EXPECT_TRUE(out.parked);
  EXPECT_FALSE(out.arrived || out.conflict);
  const auto back = taken(store.parked("a"));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->continuation, run.continuation);
  EXPECT_EQ(back->snapshot, run.snapshot);
  EXPECT_EQ(back->wait_keys, run.wait_keys);
  EXPECT_EQ(back->deadline_ms, run.deadline_ms);
  EXPECT_EQ(back->observed_seq, 1u);
  const auto info = taken(store.info("a"));
  EXPECT_EQ(info->state, LogState::Parked);
  EXPECT_EQ(info->head, 2u);
  EXPECT_EQ(info->deadline_ms, -5);
  EXPECT_FALSE(info->woken);
}

void does_not_park_when_it_is_there_already(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", 0, outside_fact("k2", "second"));
  put_one(store, "a", 0, outside_fact("k1", "third"));
  const Fact why = fact_of(FactKind::RunSuspended, "why");
  const ParkResult out = taken(store.park("a", {token, 1}, {&why, 1}, waiting_for({"k1", "k2"}, 1)));
  EXPECT_FALSE(out.parked);
  ASSERT_TRUE(out.arrived);
  EXPECT_EQ(out.arrived->key, "k2") << "the earlier one";
  EXPECT_FALSE(taken(store.find("a", "why"))) << "nothing is written";
  EXPECT_FALSE(taken(store.parked("a")));
  EXPECT_EQ(taken(store.info("a"))->state, LogState::Running);
}

void what_was_observed_does_not_keep_it_from_parking(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", 0, outside_fact("k1"));
  EXPECT_TRUE(is_parked(store, "a", token, waiting_for({"k1", "k2"}, 2)));
  EXPECT_TRUE(woken_now(store).empty());
}

void a_later_fact_wakes(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  EXPECT_TRUE(is_parked(store, "a", token, waiting_for({"k1", "k2"}, 1)));
  put_one(store, "a", 0, outside_fact("k3"));
  put_one(store, "a", 0, outside_fact(""));
  put_one(store, "b", 0, outside_fact("k1"));
  EXPECT_TRUE(woken_now(store).empty());
  put_one(store, "a", 0, outside_fact("k2"));
  EXPECT_EQ(woken_now(store), std::vector<std::string>{"a"});
  EXPECT_TRUE(taken(store.info("a"))->woken);
}

void any_write_wakes(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  EXPECT_TRUE(is_parked(store, "a", token, waiting_for({"t"}, 1)));
  put_one(store, "a", token, task_fact("t"));
  EXPECT_TRUE(taken(store.info("a"))->woken) << "an effect";
  const std::uint64_t other = started(store, "b");
  EXPECT_TRUE(is_parked(store, "b", other, waiting_for({"d"}, 1)));
  decide_one(store, "b", {other, 1}, step_fact("d"));
  EXPECT_TRUE(taken(store.info("b"))->woken) << "a decision";
}

void a_deadline_wakes(FactStore& store) {
  for (const int at : {5, 3}) {
    const std::string log = std::to_string(at);
    Parked run = waiting_for({}, 1);
    run.deadline_ms = kStoreNow + at;
    EXPECT_TRUE(is_parked(store, log, started(store, log), run));
  }
  EXPECT_TRUE(taken(store.woken(kStoreNow + 2, 9)).empty());
  EXPECT_EQ(taken(store.woken(kStoreNow + 3, 9)), std::vector<std::string>{"3"});
  EXPECT_EQ(taken(store.woken(kStoreNow + 5, 9)), (std::vector<std::string>{"5", "3"})) << "as they were parked";
  EXPECT_FALSE(taken(store.info("3"))->woken) << "no fact is there";
}

void wakes_in_the_order_of_parking(FactStore& store) {
  for (const char* log : {"c", "a", "d", "b"}) {
    EXPECT_TRUE(is_parked(store, log, started(store, log), waiting_for({"k"}, 1)));
  }
  for (const char* log : {"b", "a", "c"}) put_one(store, log, 0, outside_fact("k"));
  EXPECT_EQ(woken_now(store), (std::vector<std::string>{"c", "a", "b"}));
  EXPECT_EQ(taken(store.woken(kStoreNow, 2)), (std::vector<std::string>{"c", "a"}));
  EXPECT_TRUE(taken(store.woken(kStoreNow, 0)).empty());
}

void a_newer_park_replaces(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  Parked run = waiting_for({"old"}, 1);
  run.deadline_ms = 0;
  EXPECT_TRUE(is_parked(store, "a", token, run));
  run = waiting_for({"new"}, 1);
  run.continuation = "c2";
  run.snapshot = {9};
  EXPECT_TRUE(is_parked(store, "a", token, run));
  EXPECT_EQ(taken(store.parked("a"))->continuation, "c2");
  EXPECT_EQ(taken(store.parked("a"))->snapshot, std::vector<std::uint8_t>{9});
  put_one(store, "a", 0, outside_fact("old"));
  EXPECT_TRUE(woken_now(store).empty()) << "neither the old key nor the old deadline";
  put_one(store, "a", 0, outside_fact("new"));
  EXPECT_EQ(woken_now(store).size(), 1u);
}

void a_refused_park_leaves_the_old_one(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  EXPECT_TRUE(is_parked(store, "a", token, waiting_for({"old"}, 1)));
  put_one(store, "a", 0, outside_fact("other"));
  Parked run = waiting_for({"new"}, 1);
  run.continuation = "c2";
  const std::vector<Fact> facts{fact_of(FactKind::RunSuspended, "s"), step_fact("d")};
  const ParkResult out = taken(store.park("a", {token, 1}, facts, run));
  EXPECT_FALSE(out.parked);
  ASSERT_TRUE(out.conflict);
  EXPECT_EQ(out.conflict->key, "other");
  EXPECT_EQ(head_of(store, "a"), 2u);
  EXPECT_EQ(taken(store.parked("a"))->continuation, "c1");
  put_one(store, "a", 0, outside_fact("old"));
  EXPECT_EQ(woken_now(store).size(), 1u);
  EXPECT_TRUE(taken(store.park("a", {token, 3}, facts, run)).parked) << "when it has seen them";
  EXPECT_EQ(head_of(store, "a"), 5u);
}

void resumed_keeps_what_was_parked(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  EXPECT_EQ(error_of(store.resumed("a", Cut::blind(token), {})), "store_missing");
  EXPECT_TRUE(is_parked(store, "a", token, waiting_for({"k"}, 1)));
  put_one(store, "a", 0, outside_fact("k"));
  const Fact goes_on = fact_of(FactKind::RunResumed, "resumed/c1");
  for (const bool first : {true, false}) {   // again, after the process died
    const auto put = taken(store.resumed("a", Cut::blind(token), {&goes_on, 1})).puts;
    ASSERT_EQ(put.size(), 1u);
    EXPECT_EQ(put[0].mine, first);
    EXPECT_TRUE(woken_now(store).empty());
    EXPECT_EQ(taken(store.info("a"))->state, LogState::Running);
    EXPECT_FALSE(taken(store.info("a"))->woken);
    const auto parked = taken(store.parked("a"));
    ASSERT_TRUE(parked);
    EXPECT_EQ(parked->wait_keys, std::vector<std::string>{"k"});
    EXPECT_EQ(parked->snapshot.size(), 3u);
  }
}

void a_run_that_goes_on_is_not_woken(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  Parked run = waiting_for({"k"}, 1);
  run.deadline_ms = 0;
  EXPECT_TRUE(is_parked(store, "a", token, run));
  taken(store.resumed("a", Cut::blind(token), {}));
  put_one(store, "a", 0, outside_fact("k"));
  EXPECT_TRUE(woken_now(store).empty());
}

void ended_removes_what_was_parked(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  EXPECT_TRUE(is_parked(store, "a", token, waiting_for({"k"}, 1)));
  put_one(store, "a", 0, outside_fact("k"));
  const Fact over = fact_of(FactKind::TurnEnded, "");
  EXPECT_EQ(taken(store.ended("a", Cut::blind(token), {&over, 1})).puts.size(), 1u);
  EXPECT_FALSE(taken(store.parked("a")));
  EXPECT_TRUE(woken_now(store).empty());
  EXPECT_EQ(taken(store.info("a"))->state, LogState::Ended);
  EXPECT_EQ(error_of(store.resumed("a", Cut::blind(token), {})), "store_missing");
  EXPECT_TRUE(put_one(store, "a", 0, outside_fact("late")).mine);
  EXPECT_EQ(taken(store.info("a"))->state, LogState::Ended);
  EXPECT_EQ(head_of(store, "a"), 4u);
}

void a_run_that_is_over_starts_again(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  taken(store.ended("a", Cut::blind(token), {}));
  put_one(store, "a", token, start_fact());
  EXPECT_EQ(taken(store.info("a"))->state, LogState::Running);
  taken(store.ended("a", Cut::blind(token), {}));
  EXPECT_TRUE(is_parked(store, "a", token, waiting_for({"k"}, 2)));
  EXPECT_EQ(taken(store.info("a"))->state, LogState::Parked);
}

void no_log_no_end(FactStore& store) {
  const std::uint64_t token = claimed(store, "a");
  EXPECT_EQ(error_of(store.ended("a", Cut::blind(token), {})), "store_missing");
  EXPECT_EQ(error_of(store.resumed("a", Cut::blind(token), {})), "store_missing");
  EXPECT_EQ(error_of(store.park("a", {token, 0}, {}, waiting_for({"k"}, 0))), "store_missing");
  EXPECT_FALSE(taken(store.info("a")));
}

void tells_about_runs(FactStore& store) {
  Fact first = outside_fact("");
  first.time_ms = 5;
  put_one(store, "a", 0, first);
  first.time_ms = -7;
  put_one(store, "a", 0, first);
  const auto info = taken(store.info("a"));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->log, "a");
  EXPECT_EQ(info->started_ms, 5);
  EXPECT_EQ(info->changed_ms, -7);
  EXPECT_EQ(info->owner, "");
  const std::uint64_t token = claimed(store, "a");
  EXPECT_EQ(taken(store.info("a"))->owner, "tester");
  EXPECT_TRUE(taken(store.release("a", token)));
  EXPECT_EQ(taken(store.info("a"))->owner, "");
  EXPECT_FALSE(taken(store.info("nowhere")));
  EXPECT_FALSE(taken(store.parked("nowhere")));
}

void lists_runs_page_by_page(FactStore& store) {
  const std::vector<std::string> names{"B", "a", "a/b", "ab", "b", "\xC3\xA4"};   // by bytes
  for (auto name = names.rbegin(); name != names.rend(); ++name) put_one(store, *name, 0, outside_fact(""));
  claimed(store, "c");
  std::vector<std::string> seen;
  for (;;) {
    const auto page = taken(store.runs(seen.empty() ? "" : seen.back(), 4));
    if (page.empty()) break;
    ASSERT_LE(page.size(), 4u);
    for (const RunInfo& each : page) {
      seen.push_back(each.log);
      EXPECT_EQ(each.head, 1u);
    }
  }
  EXPECT_EQ(seen, names);
  EXPECT_TRUE(taken(store.runs("", 0)).empty());
}

void reads_page_by_page(FactStore& store) {
  for (int i = 1; i <= 10; ++i) put_one(store, "a", 0, outside_fact("", std::to_string(i)));
  const auto page = taken(store.read("a", 3, 4));
  ASSERT_EQ(page.size(), 4u);
  EXPECT_EQ(page.front().value, "4");
  EXPECT_EQ(page.back().seq, 7u);
  EXPECT_EQ(taken(store.read("a", 8, 100)).size(), 2u);
  EXPECT_TRUE(taken(store.read("a", 10, 100)).empty());
  EXPECT_TRUE(taken(store.read("a", std::numeric_limits<std::uint64_t>::max(), 100)).empty());
  EXPECT_EQ(taken(store.read("a", 0, std::numeric_limits<std::size_t>::max())).size(), 10u);
  EXPECT_TRUE(taken(store.read("a", 0, 0)).empty());
  EXPECT_TRUE(taken(store.read("nowhere", 0, 9)).empty());
}

constexpr auto kRunCases = std::to_array<StoreCase>({
    {"ClaimsExcludeEachOther", claims_exclude_each_other},
    {"ClaimsExpire", claims_expire},
    {"ADeadHolderIsReplaced", a_dead_holder_is_replaced},
    {"ClaimsAreRenewed", claims_are_renewed},
    {"ClaimsAreGivenBack", claims_are_given_back},
    {"ParksAndGivesBack", parks_and_gives_back},
    {"DoesNotParkWhenItIsThereAlready", does_not_park_when_it_is_there_already},
    {"WhatWasObservedDoesNotKeepItFromParking", what_was_observed_does_not_keep_it_from_parking},
    {"ALaterFactWakes", a_later_fact_wakes},
    {"AnyWriteWakes", any_write_wakes},
    {"ADeadlineWakes", a_deadline_wakes},
    {"WakesInTheOrderOfParking", wakes_in_the_order_of_parking},
    {"ANewerParkReplaces", a_newer_park_replaces},
    {"ARefusedParkLeavesTheOldOne", a_refused_park_leaves_the_old_one},
    {"ResumedKeepsWhatWasParked", resumed_keeps_what_was_parked},
    {"ARunThatGoesOnIsNotWoken", a_run_that_goes_on_is_not_woken},
    {"EndedRemovesWhatWasParked", ended_removes_what_was_parked},
    {"ARunThatIsOverStartsAgain", a_run_that_is_over_starts_again},
    {"NoLogNoEnd", no_log_no_end},
    {"TellsAboutRuns", tells_about_runs},
    {"ListsRunsPageByPage", lists_runs_page_by_page},
    {"ReadsPageByPage", reads_page_by_page},
});

}  // namespace

std::span<const StoreCase> store_run_cases() { return kRunCases; }

}  // namespace ptc
