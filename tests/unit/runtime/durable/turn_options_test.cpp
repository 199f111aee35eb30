#include "runtime/durable/turn_options.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

TEST(TurnOptions, DefaultsNeedNoText) {
  EXPECT_EQ(turn_options_edn({}), "");
  SessionOptions options;
  EXPECT_FALSE(read_turn_options("", options));
}

TEST(TurnOptions, WhatDiffersComesBack) {
  SessionOptions options;
  options.limits.fuel = UINT64_MAX;
  options.limits.memory_bytes = 1'000'000;
  options.limits.depth = 7;
  options.limits.loop = 8;
  options.limits.tool_calls = 0;
  options.limits.symbols = 9;
  options.strict_task_ids = true;
  options.resets_need_reasons = true;
  options.signature = "{a :string \"x\"}";
  options.float_precision = 0;
  options.limits.timeout_ms = 250;
  options.limits.pending_operations = 12;
  options.limits.operation_ttl_ms = 0;
  options.limits.regex_pattern_bytes = 77;
  const std::string text = turn_options_edn(options);
  SessionOptions read;
  const auto complaint = read_turn_options(text, read);
  EXPECT_FALSE(complaint) << *complaint << text;
  EXPECT_EQ(read.limits, options.limits);
  EXPECT_EQ(turn_options_edn(read), text);
  EXPECT_TRUE(read.resets_need_reasons);
  EXPECT_EQ(read.float_precision, options.float_precision);
  EXPECT_EQ(read.signature, options.signature);
}

TEST(TurnOptions, EveryLimitIsInTheLog) {
  for (const LimitInfo& limit : kLimits) {
    SessionOptions options;
    ASSERT_EQ(set_limit(options.limits, limit, std::to_string(limit.initial + 1)), "");
    const std::string text = turn_options_edn(options);
    EXPECT_EQ(text, "{:" + dashed_name(limit) + " " + std::to_string(limit.initial + 1) + "}");
    SessionOptions read;
    EXPECT_FALSE(read_turn_options(text, read)) << text;
    EXPECT_EQ(read.limits, options.limits) << text;
  }
}

TEST(TurnOptions, EarlierLogsAreRead) {
  SessionOptions read;
  EXPECT_FALSE(read_turn_options(
      "{:memory-limit 5 :depth-limit 6 :loop-limit 7 :tool-calls 8 :max-symbols 9 :timeout 10}", read));
  Limits wanted;
  wanted.memory_bytes = 5;
  wanted.depth = 6;
  wanted.loop = 7;
  wanted.tool_calls = 8;
  wanted.symbols = 9;
  wanted.timeout_ms = 10;
  EXPECT_EQ(static_cast<const Limits&>(read.limits), wanted);
}

TEST(TurnOptions, ALimitOutOfItsRangeIsRefusedByName) {
  SessionOptions options;
  EXPECT_EQ(read_turn_options("{:depth 0}", options).value_or(""),
            "the limit depth must be a whole number from 1 to 4294967295 (calls); found 0");
  EXPECT_EQ(options.limits, RunLimits{});
}

TEST(TurnOptions, OtherTextsAreRefused) {
  for (const char* text : {"[", "[]", "{:nothing 1}", "{\"fuel\" 1}", "{:fuel -1}", "{:fuel 1.5}",
                           "{:loop-limit 4294967296}",
                           "{:strict-task-ids 1}", "{:signature 1}", "{:float-precision 301}", "{:timeout nil}"}) {
    SessionOptions options;
    EXPECT_TRUE(read_turn_options(text, options)) << text;
  }
}

}  // namespace
}  // namespace ptc
