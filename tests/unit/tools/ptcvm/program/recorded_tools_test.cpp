// Recorded answers of tools: first unused, then the last again, then an error.
#include "tools/ptcvm/program/recorded_tools.h"

#include <gtest/gtest.h>

namespace ptcvm::cli {
namespace {

class RecordedToolsTest : public ::testing::Test {
 protected:
  void record(std::string tool, std::string args, std::string result) {
    EXPECT_EQ(recorded_.add({std::move(tool), std::move(args), std::move(result), std::nullopt}), std::nullopt);
  }

  // The answer as EDN, or "error: …".
  std::string ask(std::string_view tool, std::string_view args) {
    const RecordedAnswer answer = recorded_.answer(tool, Value::from_edn(args).value());
    return answer.error ? "error: " + *answer.error : answer.value.to_edn();
  }

  RecordedTools recorded_;
};

TEST_F(RecordedToolsTest, takes_unused_records_in_order_and_repeats_the_last) {
  record("next", "{}", "1");
  record("next", "{}", "2");
  EXPECT_EQ(ask("next", "{}"), "1");
  EXPECT_EQ(recorded_.state(), "10");
  EXPECT_EQ(ask("next", "{}"), "2");
  EXPECT_EQ(ask("next", "{}"), "2");
  recorded_.set_state("00");
  EXPECT_EQ(ask("next", "{}"), "1");
}

TEST_F(RecordedToolsTest, compares_names_and_arguments) {
  record("f", "{\"a\" 1 \"b\" [1 2]}", ":one");
  record("g", "{\"a\" 1}", ":two");
  EXPECT_EQ(ask("f", "{\"b\" [1 2] \"a\" 1}"), ":one");
  EXPECT_EQ(ask("f", "{\"a\" 1.0 \"b\" [1 2]}"), ":one");
  EXPECT_EQ(ask("g", "{\"a\" 1}"), ":two");
  EXPECT_EQ(ask("g", "{\"a\" 2}"), "error: no recorded answer for these arguments");
  EXPECT_EQ(ask("h", "{\"a\" 1}"), "error: no recorded answer for these arguments");
}

TEST_F(RecordedToolsTest, dates_and_keywords_match_their_text) {
  record("at", "{\"t\" #ptc/datetime \"2024-01-02T03:04:05Z\"}", "1");
  EXPECT_EQ(ask("at", "{\"t\" \"2024-01-02T03:04:05Z\"}"), "1");
  record("kw", "{\"k\" :a}", "2");
  EXPECT_EQ(ask("kw", "{\"k\" \"a\"}"), "2");
}

TEST_F(RecordedToolsTest, gives_recorded_errors) {
  EXPECT_EQ(recorded_.add({"bad", "{}", std::nullopt, "\"no \\\"luck\\\"\""}), std::nullopt);
  EXPECT_EQ(recorded_.add({"worse", "{}", std::nullopt, "{:code 1}"}), std::nullopt);
  EXPECT_EQ(ask("bad", "{}"), "error: no \"luck\"");
  EXPECT_EQ(ask("worse", "{}"), "error: {:code 1}");
}

TEST_F(RecordedToolsTest, only_plain_data_is_an_answer) {
  record("f", "{}", "#ptc/fn \"(fn [x] x)\"");
  record("g", "{}", "[1 #ptc/instant \"2024-01-02T03:04:05.123456Z\"]");
  record("h", "{}", "(");
  EXPECT_EQ(ask("f", "{}").substr(0, 6), "error:");
  EXPECT_EQ(ask("g", "{}"), "error: its answer holds a instant, which is not plain data");
  EXPECT_EQ(ask("h", "{}"), "error: its recorded answer cannot be read: unexpected end of text");
}

TEST_F(RecordedToolsTest, refuses_arguments_that_cannot_be_read) {
  EXPECT_NE(recorded_.add({"f", "{", "1", std::nullopt}), std::nullopt);
}

std::string arranged(ResolveOrder& order, int count) {
  std::vector<std::string> names;
  for (int k = 0; k < count; ++k) names.push_back(std::to_string(k));
  order.arrange(names);
  std::string text;
  for (const std::string& name : names) text += name;
  return text;
}

TEST(ResolveOrderTest, a_seed_gives_the_same_permutations_everywhere) {
  ResolveOrder fifo = ResolveOrder::fifo(), lifo = ResolveOrder::lifo(), shuffled = ResolveOrder::shuffled(1);
  EXPECT_EQ(arranged(fifo, 5), "01234");
  EXPECT_EQ(arranged(lifo, 5), "43210");
  const std::string first = arranged(shuffled, 9), second = arranged(shuffled, 9);
  EXPECT_NE(first, second);
  EXPECT_EQ(first, "243068175");
  EXPECT_EQ(second, "837254160");
  EXPECT_EQ(arranged(shuffled, 0), "");
}

}  // namespace
}  // namespace ptcvm::cli
