// Which calls are open: intents that may or may not have been carried out.
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "tests/store/conformance.h"
#include "tests/store/store_facts.h"
#include "tests/support/sweep.h"

namespace ptc {
namespace {

std::string mark(const Fact& intent) { return intent.idempotency_key + "#" + std::to_string(intent.number); }

Fact call_fact(FactKind kind, const std::string& call, std::uint64_t attempt, std::string status = "") {
  Fact fact = fact_of(kind, "");
  fact.idempotency_key = call;
  fact.number = attempt;
  fact.status = std::move(status);
  return fact;
}
Fact intent_fact(const std::string& call, std::uint64_t attempt = 1, std::string task = "") {
  Fact fact = call_fact(FactKind::Intent, call, attempt);
  fact.key = "intent/" + mark(fact);
  fact.task = std::move(task);
  return fact;
}
Fact reset_fact(std::string task) {
  Fact fact = fact_of(FactKind::TaskReset, "");
  fact.id = std::move(task);
  return fact;
}

using Marks = std::vector<std::string>;
Marks open_in(FactStore& store, std::string_view log) {
  Marks out;
  for (const Fact& intent : taken(store.open_calls(log))) out.push_back(mark(intent));
  return out;
}

void intents_are_open_in_their_order(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  for (const char* call : {"c", "a", "b"}) put_one(store, "a", token, intent_fact(call));
  EXPECT_EQ(open_in(store, "a"), (Marks{"c#1", "a#1", "b#1"}));
  EXPECT_EQ(taken(store.open_calls("a")), taken(store.read("a", 1, 9)));
  EXPECT_TRUE(taken(store.open_calls("nowhere")).empty());
  started(store, "b");
  EXPECT_TRUE(taken(store.open_calls("b")).empty());
}

void what_settles_a_call_closes_it(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  for (const char* status : {"committed", "failed", "partial", "pending", "not_done", "given_up"}) {
    for (const FactKind kind : {FactKind::EffectSettled, FactKind::DoubtSettled}) {
      put_one(store, "a", token, intent_fact(status + std::string(fact_name(kind))));
      put_one(store, "a", token, intent_fact("other " + std::string(status) + std::string(fact_name(kind))));
      put_one(store, "a", token, call_fact(kind, status + std::string(fact_name(kind)), 1, status));
    }
  }
  const Marks open = open_in(store, "a");
  EXPECT_EQ(open.size(), 12u);
  EXPECT_TRUE(std::ranges::all_of(open, [](const std::string& call) { return call.starts_with("other "); }));
}

void a_doubt_leaves_a_call_open(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", token, intent_fact("c"));
  put_one(store, "a", token, call_fact(FactKind::EffectDoubted, "c", 1, "in_doubt"));
  put_one(store, "a", 0, call_fact(FactKind::DoubtSettled, "c", 1, "no such word"));
  EXPECT_EQ(open_in(store, "a"), Marks{"c#1"});
  put_one(store, "a", 0, call_fact(FactKind::DoubtSettled, "c", 1, "not_done"));
  EXPECT_TRUE(open_in(store, "a").empty());
}

void an_attempt_is_settled_by_its_number(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", token, intent_fact("c", 2));
  for (const std::uint64_t other : {1u, 3u}) {
    put_one(store, "a", token, call_fact(FactKind::EffectSettled, "c", other, "failed"));
  }
  EXPECT_EQ(open_in(store, "a"), Marks{"c#2"});
  put_one(store, "a", token, intent_fact("c", 3));
  EXPECT_EQ(open_in(store, "a"), Marks{"c#3"}) << "the next attempt takes the place of the one before";
}

void a_reset_closes_the_calls_of_its_task(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  put_one(store, "a", token, intent_fact("c1", 1, "x"));
  put_one(store, "a", token, intent_fact("c2", 1, "y"));
  put_one(store, "a", token, intent_fact("c3", 1));
  put_one(store, "a", token, intent_fact("c4", 1, "x"));
  put_one(store, "a", token, reset_fact(""));
  put_one(store, "a", token, reset_fact("x"));
  EXPECT_EQ(open_in(store, "a"), (Marks{"c2#1", "c3#1"}));
}

void an_intent_that_was_there_opens_nothing(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  const std::vector<Fact> both{intent_fact("c"), call_fact(FactKind::EffectSettled, "c", 1, "committed")};
  taken(store.put("a", Cut::blind(token), both));
  EXPECT_FALSE(put_one(store, "a", token, intent_fact("c")).mine);
  EXPECT_TRUE(open_in(store, "a").empty());
}

void an_open_call_is_found_whatever_came_after_it(FactStore& store) {
  const std::uint64_t dead = started(store, "a");
  for (const char* call : {"c1", "c2", "c3"}) put_one(store, "a", dead, intent_fact(call));
  put_one(store, "a", dead, call_fact(FactKind::EffectSettled, "c2", 1, "committed"));
  put_one(store, "a", dead, task_fact("t"));
  put_one(store, "a", 0, outside_fact("o"));
  const Claim next = taken(store.claim("a", "next", kStoreNow, kStoreLease, dead));
  put_one(store, "a", next.token, start_fact());
  EXPECT_EQ(open_in(store, "a"), (Marks{"c1#1", "c3#1"}));
  taken(store.ended("a", Cut::blind(next.token), {}));
  EXPECT_EQ(open_in(store, "a"), (Marks{"c1#1", "c3#1"})) << "also of a run that is over";
}

void a_refused_write_opens_nothing(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  const std::vector<Fact> facts{intent_fact("c")};
  EXPECT_EQ(error_of(store.put("a", Cut::blind(token + 1), facts)), "store_fenced");
  EXPECT_TRUE(open_in(store, "a").empty());
}

// The definition, word by word, from the whole log.
Marks open_by_definition(const std::vector<Fact>& facts) {
  Marks out;
  for (std::size_t at = 0; at < facts.size(); ++at) {
    const Fact& intent = facts[at];
    if (intent.kind != FactKind::Intent) continue;
    const auto closes = [&](const Fact& later) {
      if (later.kind == FactKind::TaskReset) return !later.id.empty() && later.id == intent.task;
      if (later.idempotency_key != intent.idempotency_key) return false;
      if (later.kind == FactKind::Intent) return later.number >= intent.number;
      return later.number == intent.number && (later.status == "committed" || later.status == "not_done");
    };
    const auto after = std::span(facts).subspan(at + 1);
    if (std::ranges::none_of(after, closes)) out.push_back(mark(intent));
  }
  return out;
}

void open_calls_are_those_of_the_definition(FactStore& store) {
  std::mt19937 random(11);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const std::uint64_t token = started(store, "a");
  for (int step = 0; step < 800 / static_cast<int>(kSweepStep); ++step) {
    const std::string call = "c" + std::to_string(below(12));
    const std::uint64_t attempt = 1 + below(3);
    const unsigned what = below(10);
    Fact fact = intent_fact(call, attempt, below(3) == 0 ? "" : "t" + std::to_string(below(4)));
    fact.key.clear();
    if (what == 5) fact = call_fact(FactKind::EffectSettled, call, attempt, "committed");
    if (what == 6) fact = call_fact(FactKind::EffectSettled, call, attempt, "no such state");
    if (what == 7) fact = call_fact(FactKind::EffectDoubted, call, attempt, "in_doubt");
    if (what == 8) fact = call_fact(FactKind::DoubtSettled, call, attempt, "not_done");
    if (what == 9) fact = reset_fact(below(3) == 0 ? "" : "t" + std::to_string(below(4)));
    put_one(store, "a", token, fact);
    ASSERT_EQ(open_in(store, "a"), open_by_definition(taken(store.read("a", 0, 10'000)))) << "step " << step;
  }
}

constexpr auto kCallCases = std::to_array<StoreCase>({
    {"IntentsAreOpenInTheirOrder", intents_are_open_in_their_order},
    {"WhatSettlesACallClosesIt", what_settles_a_call_closes_it},
    {"ADoubtLeavesACallOpen", a_doubt_leaves_a_call_open},
    {"AnAttemptIsSettledByItsNumber", an_attempt_is_settled_by_its_number},
    {"AResetClosesTheCallsOfItsTask", a_reset_closes_the_calls_of_its_task},
    {"AnIntentThatWasThereOpensNothing", an_intent_that_was_there_opens_nothing},
    {"AnOpenCallIsFoundWhateverCameAfterIt", an_open_call_is_found_whatever_came_after_it},
    {"ARefusedWriteOpensNothing", a_refused_write_opens_nothing},
    {"OpenCallsAreThoseOfTheDefinition", open_calls_are_those_of_the_definition},
});

}  // namespace

std::span<const StoreCase> store_call_cases() { return kCallCases; }

}  // namespace ptc
