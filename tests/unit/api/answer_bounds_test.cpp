// What people answer is read within the memory that the run leaves for it, and the log knows the limits of a run.
#include "ptcvm/answer_bounds.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ptcvm/engine.hpp"

namespace ptcvm {
namespace {

TEST(AnswerBounds, AValueThatDoesNotFitIsTooLargeAndNotRead) {
  std::string lists = "[";
  for (int i = 0; i < 10'000; ++i) lists += "{},";
  lists += "{}]";
  EXPECT_EQ(json_within(lists, 100'000).error().code, Errc::too_large);
  EXPECT_EQ(edn_within(lists, 100'000).error().code, Errc::too_large);
  const auto read = json_within(lists, 10'000'000);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->view().size(), 10'001U);
}

TEST(AnswerBounds, WhatIsNoTextOfAValueHasItsPlace) {
  const auto read = json_within("[1,\n x]", 1'000'000);
  ASSERT_FALSE(read);
  const Error error = read.error();
  EXPECT_EQ(error.code, Errc::invalid_value);
  ASSERT_TRUE(error.diagnostic);
  EXPECT_EQ(error.diagnostic->line, 2U);
}

TEST(AnswerBounds, TheLogKnowsTheLimitsOfItsRun) {
  Store store = Store::in_memory();
  EXPECT_FALSE(begun_limits(store, "r").value());
  StoredOptions options;
  options.id = "r";
  options.limits.result_bytes = 77;
  ASSERT_TRUE(run_stored(Engine(), store, Tools(), "(await-signal \"go\")", options));
  const auto limits = begun_limits(store, "r").value();
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->result_bytes, 77U);
  EXPECT_EQ(limits->memory_bytes, Limits().memory_bytes);
  const auto refused = store.resolve("r", "op1", Value::of(std::string(100, 'x')));
  EXPECT_EQ(refused.error().code, Errc::too_large);
  EXPECT_EQ(refused.error().detail, "result_too_large");
}

}  // namespace
}  // namespace ptcvm
