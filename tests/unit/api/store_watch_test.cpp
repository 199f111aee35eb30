// Hosts watch the writes of a store, and give a stored run a clock of their own.
#include <gtest/gtest.h>

#include <map>

#include "ptcvm/store_watch.hpp"

namespace ptcvm {
namespace {

// Writes down what it is told.
class Listing final : public StoreWatcher {
 public:
  void before_write(const StoreWrite& write) override { begun_.emplace_back(write.what); }
  void after_write(const StoreWrite& write, std::span<const WrittenFact> added) override {
    EXPECT_EQ(write.what, begun_.back());
    EXPECT_EQ(write.run, write.what == "flush" ? "" : "r");
    ++done_;
    for (const WrittenFact& fact : added) {
      EXPECT_TRUE(facts_.emplace(fact.key, fact.value).second) << fact.key << " was added twice";
    }
  }
  bool saw(const std::string& what) const { return std::find(begun_.begin(), begun_.end(), what) != begun_.end(); }
  std::size_t begun() const { return begun_.size(); }
  std::size_t done() const { return done_; }
  const std::map<std::string, std::string>& facts() const { return facts_; }

 private:
  std::vector<std::string> begun_;
  std::size_t done_ = 0;
  std::map<std::string, std::string> facts_;
};

Tools paying(int& calls) {
  Tools tools;
  tools.add("pay", "() -> :int", [&calls] { return ++calls; }, {.effect = Effect::Keyed}).value();
  return tools;
}

constexpr const char* kWatchedPayment = "(task \"wire\" (tool/pay))";

TEST(StoreWatch, TellsOfEachWriteAndOfTheFactsThatItAdded) {
  const Engine engine;
  const Store memory = Store::in_memory();
  Listing listing;
  Store watched = watch_store(memory, listing);
  int calls = 0;
  const auto done = run_stored(engine, watched, paying(calls), kWatchedPayment, {.id = "r"});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(listing.begun(), listing.done());
  EXPECT_TRUE(listing.saw("claim"));
  EXPECT_EQ(listing.facts().at("task/wire#1"), "1");
  const std::string log = memory.log_json("r").value();
  for (const auto& [key, value] : listing.facts()) {
    EXPECT_NE(log.find("\"key\":\"" + key + "\""), std::string::npos) << key;
  }
}

TEST(StoreWatch, TellsOfAFactOnceHoweverOftenItIsWritten) {
  const Store memory = Store::in_memory();
  Listing listing;
  Store watched = watch_store(memory, listing);
  for (int time = 0; time < 2; ++time) ASSERT_TRUE(watched.resolve("r", "op1", Value::of(1)));
  EXPECT_EQ(listing.begun(), 2u);
  EXPECT_EQ(listing.facts().size(), 1u);   // Listing complains about a fact that it is told of twice
  EXPECT_EQ(listing.facts().at("resolved/op1"), "1");
}

TEST(StoreWatch, SeesWritesOfItsOwnHandleOnly) {
  Store memory = Store::in_memory();
  Listing listing;
  Store watched = watch_store(memory, listing);
  ASSERT_TRUE(memory.put("r", "signal", Value::of(1)));
  EXPECT_EQ(listing.begun(), 0u);
  ASSERT_TRUE(watched.put("r", "other", Value::of(2)));
  EXPECT_EQ(listing.begun(), 1u);
  EXPECT_EQ(memory.log_json("r").value(), watched.log_json("r").value());
}

// The program sleeps for an hour of the host's clock.
TEST(StoredClock, SaysWhenADeadlineHasPassed) {
  const Engine engine;
  Store store = Store::in_memory();
  std::int64_t now = 1'000'000;
  const StoredOptions options{.id = "r", .time_ms = now, .clock = [&now] { return now; }};
  const auto asleep = run_stored(engine, store, {}, "(do (sleep 3600000) :awake)", options);
  ASSERT_TRUE(asleep) << asleep.error().message;
  ASSERT_EQ(asleep->end, StoredEnd::Suspended);
  EXPECT_EQ(asleep->wake_time_ms, now + 3'600'000);
  EXPECT_EQ(store.runs()->front().changed_ms, now);
  EXPECT_EQ(run_stored(engine, store, {}, "", options)->end, StoredEnd::Suspended);
  now += 3'600'000;
  const auto awake = run_stored(engine, store, {}, "", options);
  ASSERT_TRUE(awake) << awake.error().message;
  EXPECT_EQ(awake->outcome.value.to_edn(), ":awake");
}

}  // namespace
}  // namespace ptcvm
