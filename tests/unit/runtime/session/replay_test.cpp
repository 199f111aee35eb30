// Recorded tool answers: first unused, then the last again, then an error.
#include "runtime/session/replay.h"

#include <gtest/gtest.h>

#include "runtime/text/edn.h"
#include "vm/value/print.h"

namespace ptc {
namespace {

class ReplayTest : public ::testing::Test {
 protected:
  void record(std::string tool, std::string args, std::string result) {
    EXPECT_EQ(replay_.add({std::move(tool), std::move(args), std::move(result), std::nullopt}), std::nullopt);
  }

  // The answer as EDN, or "error: …".
  std::string ask(std::string_view tool, std::string_view args) {
    const auto value = read_edn(heap_, args);
    const Owned owner(heap_, std::get<Value>(value));
    const ToolReply reply = replay_.answer({tool, owner.get(), heap_, std::nullopt, nullptr});
    if (reply.failed) return "error: " + reply.message;
    const Owned result(heap_, reply.result);
    std::string text;
    append_edn(text, reply.result, heap_);
    return text;
  }

  Heap heap_;
  ToolReplay replay_;
};

TEST_F(ReplayTest, takes_unused_records_in_order_and_repeats_the_last) {
  record("next", "{}", "1");
  record("next", "{}", "2");
  EXPECT_EQ(ask("next", "{}"), "1");
  EXPECT_EQ(ask("next", "{}"), "2");
  EXPECT_EQ(ask("next", "{}"), "2");
}

TEST_F(ReplayTest, compares_names_and_arguments) {
  record("f", "{\"a\" 1 \"b\" [1 2]}", ":one");
  record("g", "{\"a\" 1}", ":two");
  EXPECT_EQ(ask("f", "{\"b\" [1 2] \"a\" 1}"), ":one");
  EXPECT_EQ(ask("f", "{\"a\" 1.0 \"b\" [1 2]}"), ":one");
  EXPECT_EQ(ask("g", "{\"a\" 1}"), ":two");
  EXPECT_EQ(ask("g", "{\"a\" 2}").substr(0, 6), "error:");
  EXPECT_EQ(ask("h", "{\"a\" 1}").substr(0, 6), "error:");
}

TEST_F(ReplayTest, dates_and_keywords_match_their_text) {
  record("at", "{\"t\" #ptc/datetime \"2024-01-02T03:04:05Z\"}", "1");
  EXPECT_EQ(ask("at", "{\"t\" \"2024-01-02T03:04:05Z\"}"), "1");
  record("kw", "{\"k\" :a}", "2");
  EXPECT_EQ(ask("kw", "{\"k\" \"a\"}"), "2");
}

TEST_F(ReplayTest, gives_recorded_errors) {
  EXPECT_EQ(replay_.add({"bad", "{}", std::nullopt, "\"no \\\"luck\\\"\""}), std::nullopt);
  EXPECT_EQ(replay_.add({"worse", "{}", std::nullopt, "{:code 1}"}), std::nullopt);
  EXPECT_EQ(ask("bad", "{}"), "error: no \"luck\"");
  EXPECT_EQ(ask("worse", "{}"), "error: {:code 1}");
}

TEST_F(ReplayTest, functions_are_no_answers) {
  record("f", "{}", "#ptc/fn \"(fn [x] x)\"");
  EXPECT_EQ(ask("f", "{}").substr(0, 6), "error:");
}

TEST_F(ReplayTest, refuses_arguments_that_cannot_be_read) {
  EXPECT_NE(replay_.add({"f", "{", "1", std::nullopt}), std::nullopt);
}

std::string arranged(ResolveOrder& order, int count) {
  std::vector<Resolution> resolutions;
  for (int k = 0; k < count; ++k) resolutions.push_back(Resolution::cancel(std::to_string(k)));
  order.arrange(resolutions);
  std::string text;
  for (const Resolution& resolution : resolutions) text += resolution.operation;
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
}  // namespace ptc
