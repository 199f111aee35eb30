// Two threads do the same at the same moment, many times. What is checked holds for every order in which it happens.
#include <array>
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

#include "tests/store/conformance.h"
#include "tests/store/store_facts.h"
#include "tests/support/sweep.h"

namespace ptc {
namespace {

constexpr int kRounds = 1'000 / static_cast<int>(kSweepStep);

// Both do round 0, then both round 1 …
void race(int rounds, const std::function<void(int)>& left, const std::function<void(int)>& right) {
  std::barrier ready(2);
  std::thread other([&] {
    for (int round = 0; round < rounds; ++round) {
      ready.arrive_and_wait();
      right(round);
    }
  });
  for (int round = 0; round < rounds; ++round) {
    ready.arrive_and_wait();
    left(round);
  }
  other.join();
}

void one_of_two_puts_wins(FactStore& store) {
  std::array<std::vector<Put>, 2> put{std::vector<Put>(kRounds), std::vector<Put>(kRounds)};
  const auto side = [&](std::size_t mine) {
    return [&, mine](int round) {
      put[mine][static_cast<std::size_t>(round)] =
          put_one(store, "a", 0, outside_fact("k" + std::to_string(round), std::to_string(mine)));
    };
  };
  race(kRounds, side(0), side(1));
  for (std::size_t round = 0; round < kRounds; ++round) {
    EXPECT_NE(put[0][round].mine, put[1][round].mine);
    EXPECT_EQ(put[0][round].fact, put[1][round].fact);
  }
  EXPECT_EQ(head_of(store, "a"), std::uint64_t{kRounds});
}

void one_of_two_claims_wins(FactStore& store) {
  std::array<std::vector<Claim>, 2> claims{std::vector<Claim>(kRounds), std::vector<Claim>(kRounds)};
  const auto side = [&](std::size_t mine) {
    return [&, mine](int round) {   // every round comes after the leases of the last one
      claims[mine][static_cast<std::size_t>(round)] = taken(store.claim("a", std::to_string(mine), round * 10, 10));
    };
  };
  race(kRounds, side(0), side(1));
  std::uint64_t last = 0;
  for (std::size_t round = 0; round < kRounds; ++round) {
    ASSERT_NE(claims[0][round].granted, claims[1][round].granted);
    const std::size_t winner = claims[0][round].granted ? 0 : 1;
    EXPECT_GT(claims[winner][round].token, last);
    last = claims[winner][round].token;
    EXPECT_EQ(claims[1 - winner][round].held_token, last);
    EXPECT_EQ(claims[1 - winner][round].owner, std::to_string(winner));
  }
}

void no_wake_is_lost(FactStore& store) {
  std::vector<std::string> logs;
  std::vector<std::uint64_t> tokens;
  for (int round = 0; round < kRounds; ++round) {
    logs.push_back("run " + std::to_string(round));
    tokens.push_back(started(store, logs.back()));
  }
  std::vector<ParkResult> parks(kRounds);
  race(
      kRounds,
      [&](int round) {
        const auto at = static_cast<std::size_t>(round);
        parks[at] = taken(store.park(logs[at], {tokens[at], 1}, {}, waiting_for({"answer"}, 1)));
      },
      [&](int round) { put_one(store, logs[static_cast<std::size_t>(round)], 0, outside_fact("answer")); });
  std::vector<std::string> expected;
  for (std::size_t round = 0; round < kRounds; ++round) {
    EXPECT_NE(parks[round].parked, parks[round].arrived.has_value());
    EXPECT_EQ(taken(store.info(logs[round]))->woken, parks[round].parked);
    if (parks[round].parked) expected.push_back(logs[round]);
  }
  EXPECT_EQ(taken(store.woken(kStoreNow, 2 * kRounds)), expected);
}

void decisions_meet_observations(FactStore& store) {
  constexpr int kFew = 300 / static_cast<int>(kSweepStep);
  const std::uint64_t token = started(store, "a");
  std::vector<Decided> decided(kFew);
  race(
      kFew,
      [&](int round) {
        const std::uint64_t seen = head_of(store, "a");
        decided[static_cast<std::size_t>(round)] =
            decide_one(store, "a", {token, seen}, step_fact("d" + std::to_string(round)));
      },
      [&](int round) { put_one(store, "a", 0, outside_fact("o" + std::to_string(round))); });
  std::uint64_t written = 0;
  for (std::size_t round = 0; round < kFew; ++round) {
    const bool there = taken(store.find("a", "d" + std::to_string(round))).has_value();
    EXPECT_NE(there, decided[round].conflict.has_value());
    written += there ? 1 : 0;
  }
  EXPECT_EQ(head_of(store, "a"), 1 + kFew + written);
}

void readers_see_whole_transactions(FactStore& store) {
  constexpr int kFew = 300 / static_cast<int>(kSweepStep);
  bool whole = true;
  const std::vector<Fact> pair{outside_fact(""), outside_fact("")};
  race(
      kFew, [&](int) { taken(store.put("a", Cut::blind(), pair)); },
      [&](int) {
        const auto facts = taken(store.read("a", 0, 10'000));
        whole = whole && facts.size() % 2 == 0 && (facts.empty() || facts.back().seq == facts.size());
      });
  EXPECT_TRUE(whole);
  EXPECT_EQ(head_of(store, "a"), 2u * kFew);
}

constexpr auto kThreadCases = std::to_array<StoreCase>({
    {"OneOfTwoPutsWins", one_of_two_puts_wins},
    {"OneOfTwoClaimsWins", one_of_two_claims_wins},
    {"NoWakeIsLost", no_wake_is_lost},
    {"DecisionsMeetObservations", decisions_meet_observations},
    {"ReadersSeeWholeTransactions", readers_see_whole_transactions},
});

}  // namespace

std::span<const StoreCase> store_thread_cases() { return kThreadCases; }

}  // namespace ptc
