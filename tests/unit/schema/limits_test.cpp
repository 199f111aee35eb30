#include "schema/limits.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

// A value of the limit that is not its default.
std::uint64_t another(const LimitInfo& limit) { return limit.initial + 1; }

TEST(Limits, DefaultsAreInTheirRange) { EXPECT_EQ(limits_problem(Limits{}), ""); }

TEST(Limits, TheEndsOfEachRangeAreTaken) {
  for (const LimitInfo& limit : kLimits) {
    Limits limits;
    EXPECT_EQ(set_limit(limits, limit, std::to_string(limit.least)), "");
    EXPECT_EQ(set_limit(limits, limit, std::to_string(limit.most)), "");
    EXPECT_EQ(limits_problem(limits), "");
  }
}

TEST(Limits, WhatIsNoNumberInTheRangeIsRefusedByName) {
  for (const LimitInfo& limit : kLimits) {
    for (const char* text : {"", "-1", "1.5", "1e3", " 1", "ten", "18446744073709551616"}) {
      Limits limits;
      EXPECT_NE(set_limit(limits, limit, text).find(limit.name), std::string::npos) << text;
      EXPECT_EQ(limits, Limits{}) << limit.name << text;
    }
  }
}

TEST(Limits, NumbersBesideTheRangeAreRefused) {
  Limits limits;
  EXPECT_EQ(set_limit(limits, *find_limit("depth", LimitPlace::Log), "0"),
            "the limit depth must be a whole number from 1 to 4294967295 (calls); found 0");
  EXPECT_NE(set_limit(limits, *find_limit("depth", LimitPlace::Log), "4294967296"), "");
  EXPECT_NE(set_limit(limits, *find_limit("timeout_ms", LimitPlace::Log), "1000000000001"), "");
  limits.depth = 0;
  EXPECT_EQ(limits_problem(limits), "the limit depth must be a whole number from 1 to 4294967295 (calls); found 0");
  limits.depth = 1;
  limits.operation_ttl_ms = -1;
  EXPECT_NE(limits_problem(limits), "");
}

TEST(Limits, TheSmallerOfTwoIsTakenForEachLimit) {
  for (const LimitInfo& limit : kLimits) {
    Limits more, less;
    ASSERT_EQ(set_limit(less, limit, std::to_string(limit.initial == 0 ? 7 : limit.initial - 1)), "");
    ASSERT_EQ(set_limit(more, limit, std::to_string(limit.initial == 0 ? 8 : another(limit))), "");
    EXPECT_EQ(smaller(more, less), less) << limit.name;
    EXPECT_EQ(smaller(less, more), less) << limit.name;
    EXPECT_EQ(smaller(less, largest_limits()), less) << limit.name;
    EXPECT_EQ(smaller(largest_limits(), less), less) << limit.name;
  }
}

TEST(Limits, NoLimitIsLargerThanEveryNumber) {
  Limits none, some;
  none.operation_ttl_ms = 0;
  some.operation_ttl_ms = 1'000'000'000'000'000;
  EXPECT_EQ(smaller(none, some).operation_ttl_ms, some.operation_ttl_ms);
  EXPECT_EQ(smaller(some, none).operation_ttl_ms, some.operation_ttl_ms);
}

TEST(Limits, EarlierSpellingsAreKnownWhereTheyWereWritten) {
  EXPECT_EQ(find_limit("max_parallel", LimitPlace::Snapshot), find_limit("parallel_branches", LimitPlace::Snapshot));
  EXPECT_EQ(find_limit("loop-limit", LimitPlace::Log), find_limit("loop", LimitPlace::Log));
  EXPECT_EQ(find_limit("max_parallel", LimitPlace::Batch), nullptr);
  EXPECT_EQ(find_limit("nothing", LimitPlace::Log), nullptr);
  EXPECT_EQ(find_limit("", LimitPlace::Batch), nullptr);
}

}  // namespace
}  // namespace ptc
