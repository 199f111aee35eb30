#include <array>
#include <vector>

#include "tests/store/conformance.h"
#include "tests/store/store_facts.h"

namespace ptc {
namespace {

constexpr auto kPuttable = std::to_array<FactKind>({FactKind::RunStarted, FactKind::TaskCommitted, FactKind::Intent,
                                                    FactKind::ExternalValue, FactKind::OperationResolved});

void numbers_facts_without_gaps(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  for (int i = 0; i < 20; ++i) {
    put_one(store, "a", token, task_fact("k" + std::to_string(i % 15)));   // the last five are there already
    put_one(store, "b", 0, outside_fact(""));
  }
  const auto facts = taken(store.read("a", 0, 100));
  ASSERT_EQ(facts.size(), 16u);
  for (std::size_t i = 0; i < facts.size(); ++i) EXPECT_EQ(facts[i].seq, i + 1);
  EXPECT_EQ(head_of(store, "a"), 16u);
  EXPECT_EQ(head_of(store, "b"), 20u);
}

void gives_back_what_was_written(FactStore& store) {
  const std::uint64_t token = claimed(store, "a");
  Fact fact = task_fact("task/x#0", "{:a [1 2]}");
  fact.author = FactAuthor::Person;
  fact.source = "s";
  fact.id = "x";
  fact.text = "t";
  fact.status = "ok";
  fact.tool = "tool";
  fact.args = "{}";
  fact.effect = "keyed";
  fact.idempotency_key = "i";
  fact.task = "o";
  fact.number = 12;
  fact.seq = 77;
  fact.writer = 99;
  const Put put = put_one(store, "a", token, fact);
  fact.seq = 1;           // the log's
  fact.writer = token;    // the claim's
  EXPECT_TRUE(put.mine);
  EXPECT_EQ(put.fact, fact);
  EXPECT_EQ(taken(store.find("a", "task/x#0")), fact);
  EXPECT_EQ(taken(store.read("a", 0, 5)), std::vector{fact});
}

void first_writer_wins(FactStore& store) {
  const std::uint64_t token = claimed(store, "a");
  for (const FactKind kind : kPuttable) {
    const std::string key = "key of " + std::string(fact_name(kind));
    EXPECT_TRUE(put_one(store, "a", token, fact_of(kind, key, "1")).mine);
    const Put second = put_one(store, "a", token, fact_of(kind, key, "2"));
    EXPECT_FALSE(second.mine);
    EXPECT_EQ(second.fact.value, "1");
  }
  EXPECT_EQ(head_of(store, "a"), kPuttable.size());
  EXPECT_FALSE(put_one(store, "a", 0, outside_fact("key of intent", "3")).mine) << "another kind, another author";
}

void keys_belong_to_a_log(FactStore& store) {
  EXPECT_TRUE(put_one(store, "a", 0, outside_fact("k", "1")).mine);
  EXPECT_TRUE(put_one(store, "b", 0, outside_fact("k", "2")).mine);
  EXPECT_EQ(taken(store.find("a", "k"))->value, "1");
  EXPECT_EQ(taken(store.find("b", "k"))->value, "2");
  EXPECT_FALSE(taken(store.find("c", "k")));
  EXPECT_FALSE(taken(store.find("a", "K")));
}

void without_a_key_all_stay(FactStore& store) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(put_one(store, "a", 0, outside_fact("")).mine);
  EXPECT_EQ(head_of(store, "a"), 3u);
  EXPECT_FALSE(taken(store.find("a", "")));
}

void puts_several_facts_at_once(FactStore& store) {
  put_one(store, "a", 0, outside_fact("there", "old"));
  const std::vector<Fact> facts{outside_fact("x", "1"), outside_fact("there", "new"), outside_fact(""),
                                outside_fact("x", "2")};
  const auto put = taken(store.put("a", Cut::blind(), facts)).puts;
  ASSERT_EQ(put.size(), 4u);
  EXPECT_TRUE(put[0].mine && put[2].mine);
  EXPECT_EQ(put[1].fact.value, "old");
  EXPECT_FALSE(put[1].mine || put[3].mine);
  EXPECT_EQ(put[3].fact, put[0].fact);
  EXPECT_EQ(put[2].fact.seq, 3u);
  EXPECT_EQ(head_of(store, "a"), 3u);
}

void nothing_put_writes_nothing(FactStore& store) {
  EXPECT_TRUE(taken(store.put("a", Cut::blind(), {})).puts.empty());
  EXPECT_FALSE(taken(store.info("a")));
  const std::uint64_t token = claimed(store, "a");
  EXPECT_TRUE(taken(store.put("a", Cut::blind(token), {})).puts.empty());
  EXPECT_EQ(taken(store.decide("a", {token, 0}, {})).head, 0u);
  EXPECT_FALSE(taken(store.info("a"))) << "a claim alone is no log";
  EXPECT_TRUE(taken(store.runs("", 9)).empty());
}

void effects_are_never_refused(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", 0, outside_fact("o"));
  EXPECT_FALSE(decide_one(store, "a", {token, 2}, step_fact()).conflict);
  for (const FactKind kind : {FactKind::TaskCommitted, FactKind::TaskReset, FactKind::Intent, FactKind::EffectSettled,
                              FactKind::OperationOpened, FactKind::EffectDoubted}) {
    EXPECT_TRUE(put_one(store, "a", token, fact_of(kind, std::string(fact_name(kind)))).mine);
  }
}

void a_decision_is_outdated_by_observations(FactStore& store) {
  for (const FactKind kind : {FactKind::ExternalValue, FactKind::OperationResolved, FactKind::DoubtSettled}) {
    const std::string log(fact_name(kind));
    const std::uint64_t token = started(store, log);
    put_one(store, log, 0, fact_of(kind, "o"));
    const Decided late = decide_one(store, log, {token, 1}, step_fact("d"));
    ASSERT_TRUE(late.conflict);
    EXPECT_EQ(late.conflict->key, "o");
    EXPECT_EQ(late.conflict->seq, 2u);
    EXPECT_EQ(late.head, 2u);
    EXPECT_EQ(head_of(store, log), 2u);
    EXPECT_FALSE(taken(store.find(log, "d")));
    const Decided again = decide_one(store, log, {token, 2}, step_fact("d"));
    EXPECT_FALSE(again.conflict);
    EXPECT_EQ(again.head, 3u);
  }
}

void a_decision_is_outdated_by_others_decisions(FactStore& store) {
  const std::uint64_t first = started(store, "a");
  EXPECT_FALSE(decide_one(store, "a", {first, 1}, step_fact("d1")).conflict);
  EXPECT_TRUE(taken(store.release("a", first)));
  const std::uint64_t second = claimed(store, "a");
  const Decided late = decide_one(store, "a", {second, 1}, step_fact("d2"));
  ASSERT_TRUE(late.conflict);
  EXPECT_EQ(late.conflict->key, "d1");
  EXPECT_FALSE(decide_one(store, "a", {second, 2}, step_fact("d2")).conflict);
}

void a_decision_is_not_outdated_by_effects_or_control(FactStore& store) {
  const std::uint64_t first = started(store, "a");
  put_one(store, "a", first, task_fact("t"));
  put_one(store, "a", 0, fact_of(FactKind::RunResumed, ""));
  EXPECT_TRUE(taken(store.release("a", first)));
  const std::uint64_t second = claimed(store, "a");
  EXPECT_FALSE(decide_one(store, "a", {second, 0}, step_fact()).conflict);
}

void a_decision_is_not_outdated_by_its_own_writer(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", token, outside_fact("mine"));
  EXPECT_FALSE(decide_one(store, "a", {token, 0}, step_fact()).conflict);
  EXPECT_FALSE(decide_one(store, "a", {token, 0}, step_fact()).conflict);
  put_one(store, "a", 0, outside_fact("theirs"));
  const Decided late = decide_one(store, "a", {token, 0}, step_fact());
  ASSERT_TRUE(late.conflict);
  EXPECT_EQ(late.conflict->key, "theirs");
}

void control_alone_is_not_outdated(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", 0, outside_fact("o"));
  EXPECT_FALSE(decide_one(store, "a", {token, 0}, fact_of(FactKind::TurnEnded, "")).conflict);
  EXPECT_EQ(head_of(store, "a"), 3u);
}

void a_taken_key_refuses_a_decision(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  EXPECT_FALSE(decide_one(store, "a", {token, 1}, step_fact("plan")).conflict);
  const std::vector<Fact> both{step_fact("new"), step_fact("plan")};
  const Decided late = taken(store.decide("a", {token, 2}, both));
  ASSERT_TRUE(late.conflict);
  EXPECT_EQ(late.conflict->seq, 2u);
  EXPECT_FALSE(taken(store.find("a", "new"))) << "all or none";
}

void old_tokens_are_fenced(FactStore& store) {
  const std::uint64_t old = started(store, "a");
  const Claim next = taken(store.claim("a", "other", kStoreNow + kStoreLease, kStoreLease));
  ASSERT_TRUE(next.granted);
  const Fact effect = task_fact("t"), control = start_fact(), decision = step_fact();
  const Parked run = waiting_for({"k"}, 1);
  for (const std::uint64_t token : {old, next.token + 1}) {
    EXPECT_EQ(error_of(store.put("a", Cut::blind(token), {&effect, 1})), "store_fenced");
    EXPECT_EQ(error_of(store.put("a", Cut::blind(token), {&control, 1})), "store_fenced");
    EXPECT_EQ(error_of(store.decide("a", {token, 1}, {&decision, 1})), "store_fenced");
    EXPECT_EQ(error_of(store.park("a", {token, 1}, {}, run)), "store_fenced");
    EXPECT_EQ(error_of(store.resumed("a", Cut::blind(token), {})), "store_fenced");
    EXPECT_EQ(error_of(store.ended("a", Cut::blind(token), {})), "store_fenced");
  }
  EXPECT_EQ(error_of(store.put("nowhere", Cut::blind(1), {&effect, 1})), "store_fenced");
  EXPECT_EQ(head_of(store, "a"), 1u);
  EXPECT_EQ(taken(store.info("a"))->state, LogState::Running);
  put_one(store, "a", 0, outside_fact("from outside"));
  put_one(store, "a", next.token, effect);
}

void a_token_given_back_is_fenced(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  EXPECT_TRUE(taken(store.release("a", token)));
  const Fact effect = task_fact("t");
  EXPECT_EQ(error_of(store.put("a", Cut::blind(token), {&effect, 1})), "store_fenced");
}

void an_expired_token_still_writes(FactStore& store) {
  const std::uint64_t token = taken(store.claim("a", "slow", kStoreNow, 0)).token;
  EXPECT_TRUE(put_one(store, "a", token, task_fact("t")).mine);
}

constexpr auto kCases = std::to_array<StoreCase>({
    {"NumbersFactsWithoutGaps", numbers_facts_without_gaps},
    {"GivesBackWhatWasWritten", gives_back_what_was_written},
    {"FirstWriterWins", first_writer_wins},
    {"KeysBelongToALog", keys_belong_to_a_log},
    {"WithoutAKeyAllStay", without_a_key_all_stay},
    {"PutsSeveralFactsAtOnce", puts_several_facts_at_once},
    {"NothingPutWritesNothing", nothing_put_writes_nothing},
    {"EffectsAreNeverRefused", effects_are_never_refused},
    {"ADecisionIsOutdatedByObservations", a_decision_is_outdated_by_observations},
    {"ADecisionIsOutdatedByOthersDecisions", a_decision_is_outdated_by_others_decisions},
    {"ADecisionIsNotOutdatedByEffectsOrControl", a_decision_is_not_outdated_by_effects_or_control},
    {"ADecisionIsNotOutdatedByItsOwnWriter", a_decision_is_not_outdated_by_its_own_writer},
    {"ControlAloneIsNotOutdated", control_alone_is_not_outdated},
    {"ATakenKeyRefusesADecision", a_taken_key_refuses_a_decision},
    {"OldTokensAreFenced", old_tokens_are_fenced},
    {"ATokenGivenBackIsFenced", a_token_given_back_is_fenced},
    {"AnExpiredTokenStillWrites", an_expired_token_still_writes},
});

}  // namespace

std::span<const StoreCase> store_write_cases() { return kCases; }

}  // namespace ptc
