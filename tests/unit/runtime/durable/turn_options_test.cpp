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
  options.max_symbols = 9;
  options.strict_task_ids = true;
  options.signature = "{a :string \"x\"}";
  options.float_precision = 0;
  options.timeout = std::chrono::milliseconds(250);
  const std::string text = turn_options_edn(options);
  SessionOptions read;
  const auto complaint = read_turn_options(text, read);
  EXPECT_FALSE(complaint) << *complaint << text;
  EXPECT_EQ(read.limits, options.limits);
  EXPECT_EQ(turn_options_edn(read), text);
  EXPECT_EQ(read.timeout, options.timeout);
  EXPECT_EQ(read.float_precision, options.float_precision);
  EXPECT_EQ(read.signature, options.signature);
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
