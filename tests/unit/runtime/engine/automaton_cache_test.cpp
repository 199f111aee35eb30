#include "runtime/engine/automaton_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "runtime/session/session.h"

namespace ptc {
namespace {

constexpr std::uint64_t kCacheBytes = std::uint64_t{1} << 20;

TEST(AutomatonCache, GivesTheSecondRunWhatTheFirstCompiled) {
  const auto cache = std::make_shared<AutomatonCache>(kCacheBytes);
  Automata first(cache), second(cache);
  EXPECT_EQ(first.of("a+b"), second.of("a+b"));
  EXPECT_NE(first.of("a+b"), second.of("a+c"));
}

TEST(AutomatonCache, KeepsWhatFitsAndForgetsTheOldest) {
  const auto cache = std::make_shared<AutomatonCache>(kCacheBytes);
  for (int i = 0; i < 100; ++i) {
    Automata(cache).of("a" + std::to_string(i));
    EXPECT_LE(cache->bytes(), kCacheBytes);
  }
  EXPECT_GT(cache->bytes(), kCacheBytes / 2);
  EXPECT_NE(cache->find("a99"), nullptr);
  EXPECT_EQ(cache->find("a0"), nullptr);
}

TEST(AutomatonCache, KeepsNothingThatIsInvalidOrTooLarge) {
  const auto cache = std::make_shared<AutomatonCache>(1'000);
  Automata run(cache);
  EXPECT_EQ(run.of("(")->program, nullptr);
  EXPECT_NE(run.of("a")->program, nullptr);
  EXPECT_EQ(cache->bytes(), 0u);
}

TEST(AutomatonCache, IsSharedByThreads) {
  const auto cache = std::make_shared<AutomatonCache>(kCacheBytes);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache] {
      for (int i = 0; i < 50; ++i) Automata(cache).of("b" + std::to_string(i % 12) + "+");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(cache->bytes(), kCacheBytes);
}

TEST(AutomatonCache, ChangesNeitherValueNorFuel) {
  constexpr std::string_view kProgram = R"((re-find (re-pattern "\\pL{9}") "neunbuchstabig"))";
  EngineOptions unshared;
  unshared.regex_cache_bytes = 0;
  const Engine with_cache, without_cache(unshared);
  for (const Engine* const engine : {&with_cache, &with_cache, &without_cache}) {
    Session session(*engine, {});
    const Outcome outcome = session.turn(kProgram);
    EXPECT_EQ(outcome.value_edn, "\"neunbuchs\"");
    Session again(with_cache, {});
    EXPECT_EQ(again.turn(kProgram).fuel, outcome.fuel);
  }
}

}  // namespace
}  // namespace ptc
