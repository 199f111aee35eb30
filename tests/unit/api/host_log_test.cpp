// Logs of hosts, in memory and in SQLite, through public headers only.
#include "ptcvm/host_log.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "ptcvm/sqlite.hpp"
#include "ptcvm/stored_run.hpp"

namespace ptcvm {
namespace {

HostFact fact(HostFactClass of, std::string name, std::string key = {}, std::string body = {}) {
  HostFact out;
  out.fact_class = of;
  out.name = std::move(name);
  out.key = std::move(key);
  out.body = std::move(body);
  out.by = "a test";
  out.time_ms = 1'000;
  return out;
}
HostFact seen(std::string key, std::string body = {}) {
  return fact(HostFactClass::Observation, "seen", std::move(key), std::move(body));
}
HostFact decided(std::string name) { return fact(HostFactClass::Decision, std::move(name)); }

class HostLogTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string folder = (std::filesystem::temp_directory_path() / "ptcvm_host_log_XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  bool is_sqlite() const { return std::string_view(GetParam()) == "sqlite"; }
  Store open() const { return is_sqlite() ? open_sqlite(folder_ / "logs.db").value() : Store::in_memory(); }

  static std::uint64_t claimed(HostLog& log) {
    const HostClaim claim = log.claim("", 0, 60'000).value();
    EXPECT_TRUE(claim.is_granted) << claim.owner;
    return claim.token;
  }
  static HostWritten put(HostLog& log, HostCut cut, HostFact given) { return log.put(cut, {&given, 1}).value(); }
  static HostWritten decide(HostLog& log, HostCut cut, HostFact given) { return log.decide(cut, {&given, 1}).value(); }
  template <class Answer>
  static std::string_view detail_of(const Answer& answer) {
    return answer ? std::string_view("no error") : answer.error().detail;
  }

  std::filesystem::path folder_;
};

TEST_P(HostLogTest, AFactComesBackAsItWasPut) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  const std::uint64_t token = claimed(log);
  HostFact given = fact(HostFactClass::Effect, "model_asked", "ask/1", R"({"tokens":12})");
  const HostWritten done = put(log, HostCut::blind(token), given);
  ASSERT_EQ(done.puts.size(), 1u);
  EXPECT_TRUE(done.puts[0].is_mine);
  EXPECT_EQ(done.head, 1u);
  const HostFact held = log.read().value().at(0);
  EXPECT_EQ(held.seq, 1u);
  EXPECT_EQ(held.writer, token);
  EXPECT_EQ(held.fact_class, HostFactClass::Effect);
  EXPECT_EQ(held.name, given.name);
  EXPECT_EQ(held.key, given.key);
  EXPECT_EQ(held.body, given.body);
  EXPECT_EQ(held.by, given.by);
  EXPECT_EQ(held.time_ms, given.time_ms);
  EXPECT_TRUE(held.is_of_host);
}

TEST_P(HostLogTest, AKeyKeepsItsFirstFact) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  put(log, {}, seen("answer/q1", "yes"));
  const HostWritten second = put(log, {0, 1}, seen("answer/q1", "no"));
  EXPECT_FALSE(second.puts.at(0).is_mine);
  EXPECT_EQ(second.puts.at(0).fact.body, "yes");
  EXPECT_EQ(second.head, 1u);
  EXPECT_EQ(log.find("answer/q1").value()->body, "yes");
  EXPECT_FALSE(log.find("answer/q2").value());
}

TEST_P(HostLogTest, AWriteTellsWhatOthersWrote) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  put(log, {}, seen("a"));
  put(log, {}, seen("b"));
  const HostWritten told = put(log, {0, 1}, seen("c"));
  ASSERT_EQ(told.others.size(), 1u);
  EXPECT_EQ(told.others[0].key, "b");
  EXPECT_TRUE(put(log, HostCut::blind(), seen("d")).others.empty());
}

TEST_P(HostLogTest, ADecisionIsRefusedWhenSomebodyElseObservedSomething) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  const std::uint64_t token = claimed(log);
  put(log, {token, 0}, fact(HostFactClass::Control, "began"));
  put(log, {}, seen("message/1"));
  const HostWritten refused = decide(log, {token, 1}, decided("draft"));
  ASSERT_TRUE(refused.conflict);
  EXPECT_EQ(refused.conflict->key, "message/1");
  EXPECT_TRUE(refused.puts.empty());
  ASSERT_EQ(refused.others.size(), 1u);
  EXPECT_EQ(log.head().value(), 2u);
  EXPECT_FALSE(decide(log, {token, 2}, decided("draft")).conflict);
  EXPECT_EQ(log.head().value(), 3u);
}

TEST_P(HostLogTest, OwnFactsAndEffectsRefuseNoDecision) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  const std::uint64_t token = claimed(log);
  put(log, {token, 0}, seen("mine"));
  put(log, {token, 1}, fact(HostFactClass::Effect, "sent"));
  put(log, {}, fact(HostFactClass::Control, "looked at"));
  EXPECT_FALSE(decide(log, {token, 0}, decided("draft")).conflict);
}

TEST_P(HostLogTest, OneOfTwoHandlesGetsTheClaim) {
  const Store store = open();
  HostLog first = HostLog::of(store, "talk"), second = HostLog::of(store, "talk");
  const std::uint64_t token = claimed(first);
  const HostClaim late = second.claim("", 120'000, 60'000).value();
  EXPECT_FALSE(late.is_granted) << "the first one lives, although its lease is over";
  EXPECT_EQ(late.token, 0u);
  EXPECT_FALSE(late.owner.empty());
  EXPECT_TRUE(first.release(token).value());
  EXPECT_FALSE(first.release(token).value());
  EXPECT_TRUE(second.claim("", 0, 60'000).value().is_granted);
}

TEST_P(HostLogTest, TheClaimOfAHandleThatIsGoneIsTakenOver) {
  const Store store = open();
  std::uint64_t token = 0;
  {
    HostLog first = HostLog::of(store, "talk");
    token = claimed(first);
    const HostLog copy = first;
    EXPECT_FALSE(HostLog::of(store, "talk").claim("", 0, 60'000).value().is_granted);
  }
  HostLog second = HostLog::of(store, "talk");
  const HostClaim claim = second.claim("", 0, 60'000).value();
  EXPECT_TRUE(claim.is_granted);
  EXPECT_GT(claim.token, token);
}

TEST_P(HostLogTest, AnOwnerOfAnotherNameHoldsByItsLease) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  const HostClaim first = log.claim("worker 1", 0, 1'000).value();
  ASSERT_TRUE(first.is_granted);
  const HostClaim early = log.claim("worker 2", 500, 1'000).value();
  EXPECT_FALSE(early.is_granted);
  EXPECT_EQ(early.owner, "worker 1");
  EXPECT_EQ(early.until_ms, 1'000);
  EXPECT_TRUE(log.renew(first.token, 900, 1'000).value());
  EXPECT_FALSE(log.claim("worker 2", 1'500, 1'000).value().is_granted);
  EXPECT_TRUE(log.claim("worker 2", 1'900, 1'000).value().is_granted);
  EXPECT_FALSE(log.renew(first.token, 1'900, 1'000).value());
}

TEST_P(HostLogTest, AWriteUnderAnOldClaimIsRefused) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  const std::uint64_t old = log.claim("worker 1", 0, 0).value().token;
  ASSERT_TRUE(log.claim("worker 2", 10, 1'000).value().is_granted);
  const HostFact late = fact(HostFactClass::Effect, "sent");
  EXPECT_EQ(detail_of(log.put({old, 0}, {&late, 1})), "store_fenced");
  EXPECT_TRUE(log.read().value().empty());
}

TEST_P(HostLogTest, WhatMakesNoSenseIsRefused) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  const std::uint64_t token = claimed(log);
  const HostFact effect = fact(HostFactClass::Effect, "sent"), draft = decided("draft"), observed = seen("a");
  HostFact broken = seen("a", "\xff");
  EXPECT_EQ(detail_of(log.put({}, {&effect, 1})), "store_misuse");
  EXPECT_EQ(detail_of(log.put({token, 0}, {&draft, 1})), "store_misuse");
  EXPECT_EQ(detail_of(log.decide({token, 0}, {&observed, 1})), "store_misuse");
  EXPECT_EQ(detail_of(log.decide({}, {&draft, 1})), "store_misuse");
  EXPECT_EQ(detail_of(log.decide(HostCut::blind(token), {&draft, 1})), "store_misuse");
  EXPECT_EQ(detail_of(log.put({}, {&broken, 1})), "store_misuse");
  broken = observed;
  broken.fact_class = HostFactClass{9};
  EXPECT_EQ(detail_of(log.put({}, {&broken, 1})), "store_misuse");
  EXPECT_EQ(detail_of(HostLog::of(store, "").put({}, {&observed, 1})), "store_misuse");
  EXPECT_EQ(detail_of(log.resumed({token, 0}, {})), "store_missing");
  EXPECT_TRUE(log.read().value().empty());
}

HostParked waiting_for(std::string key, std::uint64_t observed) {
  HostParked out;
  out.snapshot = {std::byte{1}, std::byte{0}, std::byte{255}};
  out.wait_keys = {std::move(key)};
  out.observed_seq = observed;
  return out;
}

TEST_P(HostLogTest, AParkedLogIsWokenByItsKey) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  const std::uint64_t token = claimed(log);
  const HostFact asks = decided("question");
  const HostParkResult parked = log.park({token, 0}, {&asks, 1}, waiting_for("answer/q1", 0)).value();
  ASSERT_TRUE(parked.is_parked);
  EXPECT_EQ(parked.head, 1u);
  EXPECT_TRUE(log.release(token).value());
  EXPECT_TRUE(store.woken(0).value().empty());
  put(log, {}, seen("answer/q2"));
  EXPECT_TRUE(store.woken(0).value().empty());
  put(log, {}, seen("answer/q1"));
  EXPECT_EQ(store.woken(0).value(), std::vector<std::string>{"talk"});

  const std::uint64_t next = claimed(log);
  const HostParked held = log.parked().value().value();
  EXPECT_EQ(held.snapshot, waiting_for("", 0).snapshot);
  EXPECT_EQ(held.wait_keys, std::vector<std::string>{"answer/q1"});
  ASSERT_TRUE(log.resumed(HostCut::blind(next), {}));
  EXPECT_TRUE(store.woken(0).value().empty());
  EXPECT_TRUE(log.parked().value()) << "a process that dies now goes on from the same state";
  ASSERT_TRUE(log.ended(HostCut::blind(next), {}));
  EXPECT_FALSE(log.parked().value());
  EXPECT_EQ(store.find("talk").value()->state, StoredState::Ended);
}

TEST_P(HostLogTest, ALogIsWokenByItsDeadline) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  const std::uint64_t token = claimed(log);
  const HostFact sleeps = decided("sleep");
  HostParked wanted = waiting_for("answer/q1", 0);
  wanted.deadline_ms = 500;
  ASSERT_TRUE(log.park({token, 0}, {&sleeps, 1}, wanted).value().is_parked);
  EXPECT_TRUE(store.woken(499).value().empty());
  EXPECT_EQ(store.woken(500).value().size(), 1u);
}

TEST_P(HostLogTest, AnAnswerThatCameBeforeTheParkIsNotLost) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  const std::uint64_t token = claimed(log);
  put(log, {token, 0}, fact(HostFactClass::Control, "began"));
  put(log, {}, seen("answer/q1", "yes"));
  const HostParkResult refused = log.park({token, 1}, {}, waiting_for("answer/q1", 1)).value();
  EXPECT_FALSE(refused.is_parked);
  ASSERT_TRUE(refused.arrived);
  EXPECT_EQ(refused.arrived->body, "yes");
  EXPECT_FALSE(log.parked().value());
}

TEST_P(HostLogTest, ALogGoesToAnotherStoreAndBack) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  const std::uint64_t token = claimed(log);
  put(log, {}, seen("answer/q1", "yes"));
  put(log, {token, 1}, fact(HostFactClass::Effect, "sent", "send/1", "body"));
  ASSERT_FALSE(decide(log, {token, 2}, decided("draft")).conflict);
  put(log, {token, 3}, fact(HostFactClass::Control, "passed"));
  const std::string lines = store.log_json("talk").value();

  Store other = Store::in_memory();
  ASSERT_TRUE(other.import_log("talk", lines));
  const std::vector<HostFact> before = log.read().value(), after = HostLog::of(other, "talk").read().value();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].fact_class, before[i].fact_class);
    EXPECT_EQ(after[i].name, before[i].name);
    EXPECT_EQ(after[i].key, before[i].key);
    EXPECT_EQ(after[i].body, before[i].body);
  }
}

TEST_P(HostLogTest, TheStoreListsALogOfAHost) {
  const Store store = open();
  HostLog log = HostLog::of(store, "talk");
  put(log, {}, seen("a"));
  const auto runs = store.runs().value();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].id, "talk");
  EXPECT_EQ(runs[0].facts, 1u);
  EXPECT_TRUE(store.find("talk").value());
  EXPECT_TRUE(store.journal("talk"));
  EXPECT_TRUE(store.detail("talk"));
}

TEST_P(HostLogTest, NoRunOpensTheLogOfAHost) {
  const Engine engine;
  const Tools tools;
  Store store = open();
  HostLog log = HostLog::of(store, "talk");
  put(log, {}, seen("a"));
  const auto opened = StoredRun::open(engine, store, tools, {.id = "talk"});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::wrong_state);
  const auto started = run_stored(engine, store, tools, "(+ 1 2)", {.id = "talk"});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::refused);
  EXPECT_EQ(log.head().value(), 1u);
  EXPECT_TRUE(log.claim("", 0, 1).value().is_granted) << "the refused run has given its claim back";
}

TEST_P(HostLogTest, FactsOfOtherCallsAreToldApart) {
  Store store = open();
  HostLog log = HostLog::of(store, "talk");
  put(log, {}, seen("a"));
  ASSERT_TRUE(store.put("talk", "decision", Value::of(7), "anna"));
  const HostFact foreign = log.read(1).value().at(0);
  EXPECT_FALSE(foreign.is_of_host);
  EXPECT_EQ(foreign.name, "external_value");
  EXPECT_EQ(foreign.by, "anna");
  EXPECT_EQ(foreign.key, "");
  EXPECT_NE(store.log_json("talk").value().find(foreign.body), std::string::npos);
}

class HostLogProcessTest : public HostLogTest {};

TEST_P(HostLogProcessTest, TheClaimOfAProcessThatDiedIsTakenOver) {
  const pid_t child = fork();
  if (child == 0) {
    const Store store = open();
    HostLog log = HostLog::of(store, "talk");
    _exit(log.claim("", 0, 1'000'000).value().is_granted ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  HostLog log = HostLog::of(open(), "talk");
  EXPECT_TRUE(log.claim("", 10, 1'000).value().is_granted);
}

INSTANTIATE_TEST_SUITE_P(Stores, HostLogTest, ::testing::Values("memory", "sqlite"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Stores, HostLogProcessTest, ::testing::Values("sqlite"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace ptcvm
