// The writer of one claim: what it knows of its log without reading after its writes.
#include "runtime/log/log_writer.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/log/forwarding_store.h"
#include "runtime/log/memory_store.h"

namespace ptc {
namespace {

constexpr std::int64_t kNow = 1'767'225'600'000;

// Counts the calls of a store that write and those that read.
class CountingStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  StoreResult<Written> put(std::string_view log, Cut cut, std::span<const Fact> facts,
                           Durability durability) override {
    ++writes_;
    last_ = durability;
    return store_.put(log, cut, facts, durability);
  }
  StoreResult<Decided> decide(std::string_view log, Cut cut, std::span<const Fact> facts) override {
    ++writes_;
    return store_.decide(log, cut, facts);
  }
  StoreResult<std::vector<Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) override {
    ++reads_;
    return store_.read(log, after, most);
  }
  StoreResult<std::optional<Fact>> find(std::string_view log, std::string_view key) override {
    ++reads_;
    return store_.find(log, key);
  }
  StoreResult<std::monostate> flush() override {
    ++writes_;
    return store_.flush();
  }
  int take_writes() { return std::exchange(writes_, 0); }
  int reads() const { return reads_; }
  Durability last() const { return last_; }

 private:
  int writes_ = 0, reads_ = 0;
  Durability last_{};
};

class LogWriterTest : public testing::Test {
 protected:
  LogWriterTest() { open(writer_); }

  static void open(LogWriter& writer) {
    EXPECT_TRUE(writer.claim("tester")->granted);
    EXPECT_TRUE(writer.open());
  }
  Fact intent(const std::string& call, std::uint64_t attempt = 1, std::string task = "") const {
    Fact fact = writer_.made(FactKind::Intent, FactAuthor::Host);
    fact.key = intent_key(call, attempt);
    fact.idempotency_key = call;
    fact.number = attempt;
    fact.tool = "pay";
    fact.effect = "keyed";
    fact.task = std::move(task);
    return fact;
  }
  Fact settled(const std::string& call, std::uint64_t attempt = 1, std::string value = "1") const {
    Fact fact = writer_.made(FactKind::EffectSettled, FactAuthor::Host);
    fact.key = effect_key(call, attempt);
    fact.idempotency_key = call;
    fact.number = attempt;
    fact.status = "committed";
    fact.value = std::move(value);
    return fact;
  }
  Fact commit(const std::string& task, std::string value = "1") const {
    Fact fact = writer_.made(FactKind::TaskCommitted, FactAuthor::Program);
    fact.key = task_key(task, 1);
    fact.id = task;
    fact.value = std::move(value);
    return fact;
  }
  void say(const std::string& id, std::string value) {   // from outside
    Fact fact = writer_.made(FactKind::ExternalValue, FactAuthor::Outside);
    fact.key = external_key(id, 1);
    fact.id = id;
    fact.number = 1;
    fact.source = "ann";
    fact.value = std::move(value);
    ASSERT_EQ(memory_.put("r", Cut::blind(), {&fact, 1}).index(), 0u);
  }
  std::vector<FactKind> kinds() {
    std::vector<FactKind> out;
    const auto facts = memory_.read("r", 0, 10'000);
    for (const Fact& fact : std::get<0>(facts)) out.push_back(fact.kind);
    return out;
  }

  MemoryStore memory_;
  CountingStore store_{memory_};
  LogWriter writer_{store_, "r", [] { return kNow; }, 60'000};
};

TEST_F(LogWriterTest, ACommittedTaskWithOneCallIsTwoWritesAndNoRead) {
  writer_.put(writer_.made(FactKind::RunStarted, FactAuthor::Host));
  const int reads = store_.reads();
  store_.take_writes();
  ASSERT_TRUE(writer_.put(intent("c"), Durability::Now));
  EXPECT_EQ(store_.last(), Durability::Now);
  ASSERT_NE(writer_.write(std::vector{settled("c"), commit("t")}), nullptr);
  EXPECT_EQ(store_.take_writes(), 2);
  EXPECT_EQ(store_.reads(), reads);
  EXPECT_EQ(kinds(), (std::vector{FactKind::RunStarted, FactKind::Intent, FactKind::EffectSettled,
                                  FactKind::TaskCommitted}));
}

TEST_F(LogWriterTest, WhatOthersSaidIsKnownAfterTheNextWrite) {
  say("price", "30");
  const auto* const put = writer_.write(std::vector{commit("a"), commit("price", "31")});
  ASSERT_NE(put, nullptr);
  ASSERT_EQ(put->size(), 2u);
  EXPECT_TRUE(put->front().mine);
  EXPECT_EQ(writer_.log().task("price")->value_edn, "30") << "the first value of an id stays";
  EXPECT_EQ(writer_.log().head(), 3u);
}

TEST_F(LogWriterTest, ManyFactsOfOthersAreReadOn) {
  for (int i = 0; i < 2'500; ++i) say("x" + std::to_string(i), "1");
  ASSERT_TRUE(writer_.put(commit("t")));
  EXPECT_EQ(writer_.log().head(), 2'501u);
  EXPECT_EQ(writer_.log().tasks().size(), 2'501u);
}

TEST_F(LogWriterTest, SeveralFactsGiveBackWhatTheLogHolds) {
  writer_.put(commit("b", "old"));
  const auto* const put = writer_.write(std::vector{intent("c1"), commit("b", "new"), intent("c2")});
  ASSERT_NE(put, nullptr);
  ASSERT_EQ(put->size(), 3u);
  EXPECT_EQ((*put)[1].fact.value, "old");
  EXPECT_FALSE((*put)[1].mine);
  EXPECT_TRUE((*put)[2].mine);
  EXPECT_EQ(writer_.log().effects().size(), 2u);
}

// Logs as processes leave them behind: a writer that opens one with its notable facts finds the same open calls as one
// that reads all of it.
TEST_F(LogWriterTest, OpenCallsAreThoseOfTheWholeLog) {
  std::mt19937 random(5);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    const std::string name = "log " + std::to_string(round);
    LogWriter dead(store_, name, [] { return kNow; }, 60'000);
    open(dead);
    for (unsigned call = 0, calls = below(8); call < calls; ++call) {
      const std::string key = "c" + std::to_string(call), task = below(2) == 0 ? "" : "t" + std::to_string(below(3));
      std::uint64_t attempt = 1;
      for (; below(3) == 0; ++attempt) dead.write(std::vector{intent(key, attempt, task), settled(key, attempt)});
      dead.put(intent(key, attempt, task));
      Fact doubt = settled(key, attempt);
      doubt.kind = FactKind::EffectDoubted;
      doubt.status = "in_doubt";
      Fact said = settled(key, attempt);
      said.kind = FactKind::DoubtSettled;
      said.key = doubt_key(key, attempt);
      const unsigned end = below(4);
      if (end == 0) dead.put(settled(key, attempt));
      if (end == 1 || end == 2) dead.put(std::move(doubt));
      if (end == 2) dead.put(std::move(said));
      Fact reset = dead.made(FactKind::TaskReset, FactAuthor::Person);
      reset.id = "t" + std::to_string(below(3));
      if (below(5) == 0) dead.put(std::move(reset));
    }
    LogWriter quick(store_, name, [] { return kNow; }, 60'000), whole(store_, name, [] { return kNow; }, 60'000);
    ASSERT_TRUE(quick.open() && whole.open_whole());
    const auto found = quick.log().unsettled(0), wanted = whole.log().unsettled(0);
    ASSERT_EQ(found.size(), wanted.size()) << name;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k]->key, wanted[k]->key);
      EXPECT_EQ(found[k]->attempt, wanted[k]->attempt);
      EXPECT_EQ(found[k]->state, wanted[k]->state);
      EXPECT_EQ(found[k]->writer, wanted[k]->writer);
    }
  }
}

// The log in memory does not grow with what its run writes.
TEST_F(LogWriterTest, LongTextsOfOwnFactsAreLookedUp) {
  const std::string long_text(10'000, 'a');
  Fact commit = writer_.made(FactKind::TaskCommitted, FactAuthor::Program);
  commit.key = task_key("t", 1);
  commit.id = "t";
  commit.value = long_text;
  ASSERT_TRUE(writer_.put(commit));
  EXPECT_TRUE(writer_.log().task("t")->value_edn.empty());
  EXPECT_EQ(*writer_.task("t", 1).edn, long_text);

  ASSERT_TRUE(writer_.put(intent("call")));
  Fact settled = writer_.made(FactKind::EffectSettled, FactAuthor::Host);
  settled.key = effect_key("call", 1);
  settled.idempotency_key = "call";
  settled.number = 1;
  settled.status = "committed";
  settled.value = long_text;
  ASSERT_TRUE(writer_.put(settled));
  EXPECT_TRUE(writer_.log().effects()[0].value.empty());
  EXPECT_EQ(writer_.effect("call")->value, long_text);
  EXPECT_EQ(writer_.effect("call")->args, intent("call").args);
}

// A reset of such a task begins its next epoch, and the value of the epoch before is still found.
TEST_F(LogWriterTest, ALongValueIsFoundAfterAReset) {
  const std::string long_text(10'000, 'a');
  Fact commit = writer_.made(FactKind::TaskCommitted, FactAuthor::Program);
  commit.key = task_key("t", 1);
  commit.id = "t";
  commit.value = long_text;
  Fact reset = writer_.made(FactKind::TaskReset, FactAuthor::Program);
  reset.key = reset_key("t", 1);
  reset.id = "t";
  reset.number = 1;
  ASSERT_TRUE(writer_.put(commit));
  ASSERT_TRUE(writer_.put(reset));
  EXPECT_EQ(writer_.task("t", 2).edn, nullptr);
  EXPECT_EQ(*writer_.task("t", 1).edn, long_text);
}

// Many short texts are bounded by their sum.
TEST_F(LogWriterTest, ManyShortTextsAreLookedUpToo) {
  const std::string text(4'000, 'b');
  for (int i = 0; i < 400; ++i) {
    Fact commit = writer_.made(FactKind::TaskCommitted, FactAuthor::Program);
    commit.key = task_key(std::to_string(i), 1);
    commit.id = std::to_string(i);
    commit.value = text;
    ASSERT_TRUE(writer_.put(commit));
  }
  std::size_t held = 0;
  for (const LoggedTask& task : writer_.log().tasks()) held += task.value_edn.size();
  EXPECT_LE(held, std::size_t{1} << 20);
  for (int i = 0; i < 400; ++i) ASSERT_EQ(*writer_.task(std::to_string(i), 1).edn, text) << i;
}

}  // namespace
}  // namespace ptc
