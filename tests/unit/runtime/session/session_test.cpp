// Sessions: what carries over from turn to turn, what does not, and what the host adds to a run.
#include "runtime/session/session.h"

#include <gtest/gtest.h>

#include <thread>

#include "runtime/text/edn.h"
#include "schema/builtin_id.h"

namespace ptc {
namespace {

class SessionTest : public ::testing::Test {
 protected:
  std::unique_ptr<Session> make(SessionOptions options = {}) { return std::make_unique<Session>(engine_, options); }

  // The value, or "kind: message".
  static std::string text_of(const Outcome& outcome) {
    if (outcome.status != OutcomeStatus::Error) return outcome.value_edn;
    return std::string(fault_name(outcome.fault.kind)) + ": " + outcome.fault.message;
  }

  static std::string kind_of(const Outcome& outcome) {
    return outcome.status == OutcomeStatus::Error ? std::string(fault_name(outcome.fault.kind)) : "none";
  }

  static void add_tool(Session& session, std::string name, bool cache, ToolHandler handler) {
    ToolDefinition definition;
    definition.name = std::move(name);
    definition.cache = cache;
    session.tools().add(std::move(definition), std::move(handler));
  }

  Engine engine_;
};

TEST_F(SessionTest, definitions_journal_and_results_carry_over) {
  const auto session = make();
  session->journal().enable();
  EXPECT_EQ(text_of(session->turn("(def n 1) (task \"a\" 10)")), "10");
  EXPECT_EQ(text_of(session->turn("[(+ n 1) (task \"a\" 20) *1]")), "[2 10 10]");
  EXPECT_EQ(session->definitions().edn(), "{:n 1}");
  EXPECT_EQ(session->journal().edn(), "{\"a\" 10}");
}

TEST_F(SessionTest, a_depth_of_0_is_a_fault_even_behind_the_entrances) {
  SessionOptions options;
  options.limits.depth = 0;
  const auto session = make(options);
  EXPECT_EQ(kind_of(session->turn("(inc 1)")), "recursion_limit_exceeded");
  EXPECT_EQ(kind_of(session->turn("(pmap inc [1])")), "recursion_limit_exceeded");
}

TEST_F(SessionTest, prints_summaries_and_fuel_are_of_one_turn) {
  const auto session = make();
  session->turn("(println 1) (step-done \"a\" \"b\")");
  const Outcome second = session->turn("(println 2)");
  EXPECT_EQ(second.prints, std::vector<std::string>{"2"});
  EXPECT_TRUE(second.summaries.empty());
  EXPECT_EQ(second.fuel, session->turn("(println 2)").fuel);
}

TEST_F(SessionTest, an_error_takes_definitions_back_and_keeps_the_rest) {
  const auto session = make();
  session->journal().enable();
  session->turn("(def n 1)");
  const Outcome outcome = session->turn("(println \"p\") (task \"a\" 5) (def n 2) (+ n nil)");
  EXPECT_EQ(kind_of(outcome), "type_error");
  EXPECT_EQ(outcome.prints, std::vector<std::string>{"p"});
  EXPECT_EQ(session->definitions().edn(), "{:n 1}");
  EXPECT_EQ(session->journal().edn(), "{\"a\" 5}");
  EXPECT_EQ(text_of(session->turn("*1")), "#'n");
}

TEST_F(SessionTest, a_result_that_does_not_fit_takes_definitions_back) {
  SessionOptions options;
  options.signature = "{n :int}";
  const auto session = make(options);
  EXPECT_EQ(text_of(session->turn("(def n 1) {:n n}")), "{:n 1}");
  EXPECT_EQ(text_of(session->turn("(def n 2) (def m 3) {:n \"x\"}")),
            "validation_error: return.n: expected int, got string");
  EXPECT_EQ(session->definitions().edn(), "{:n 1}");
  EXPECT_EQ(kind_of(session->turn("m")), "unbound_var");
  EXPECT_EQ(text_of(session->turn("(fail 1)")), "1");
}

TEST_F(SessionTest, a_bad_signature_refuses_every_turn) {
  SessionOptions options;
  options.signature = "{n";
  EXPECT_EQ(kind_of(make(options)->turn("1")), "parse_error");
}

TEST_F(SessionTest, stored_functions_are_compiled_with_what_they_captured) {
  const auto session = make();
  EXPECT_EQ(session->definitions().load(
                "{:a 1 :f #ptc/fn \"(fn [x] (+ x a (g 1)))\" :g #ptc/closure {:src \"#(* k %)\" "
                ":captured {:k 100}} :h #ptc/fn \"map\" :d #ptc/fn \"(defn d [x] (* 2 x))\"}"),
            std::nullopt);
  EXPECT_EQ(text_of(session->turn("[(f 10) (h d [1 2])]")), "[111 [2 4]]");
  const std::string memory = session->definitions().edn();
  const auto again = make();
  EXPECT_EQ(again->definitions().load(memory), std::nullopt) << memory;
  EXPECT_EQ(text_of(again->turn("[(f 10) (h d [1 2])]")), "[111 [2 4]]");
}

TEST_F(SessionTest, stored_text_cannot_run_anything) {
  for (const std::string_view function :
       {"(println 1)", "(fn [] 1) (println 2)", "", "(", "(do (fn [] 1))", "no-such-name"}) {
    const auto session = make();
    EXPECT_NE(session->definitions().load("{:f #ptc/fn \"" + std::string(function) + "\"}"), std::nullopt) << function;
    EXPECT_TRUE(session->turn("1").prints.empty());
  }
}

TEST_F(SessionTest, inputs_are_checked) {
  const auto session = make();
  EXPECT_NE(session->definitions().load("[1]"), std::nullopt);
  EXPECT_NE(session->definitions().load("{1 2}"), std::nullopt);
  EXPECT_NE(session->inputs().load_context("7"), std::nullopt);
  EXPECT_NE(session->inputs().load_history("{}"), std::nullopt);
  EXPECT_NE(session->journal().load("{:a"), std::nullopt);
  EXPECT_EQ(session->inputs().load_context("nil"), std::nullopt);
  EXPECT_EQ(text_of(session->turn("data/x")), "nil");
}

TEST_F(SessionTest, a_cached_tool_is_called_once_an_error_is_not_kept) {
  const auto session = make();
  int calls = 0;
  add_tool(*session, "count-up", true, [&calls](const ToolCall&) {
    ++calls;
    return calls == 1 ? ToolReply::error("not yet") : ToolReply::value(Value::integer(calls));
  });
  EXPECT_EQ(text_of(session->turn("(tool/count_up {:a 1})")), "tool_error: Tool 'count-up' failed: not yet");
  EXPECT_EQ(text_of(session->turn("(tool/count_up {:a 1})")), "2");
  const Outcome third = session->turn("(tool/count-up {:a 1})");
  EXPECT_EQ(text_of(third), "2");
  ASSERT_EQ(third.tool_calls.size(), 1u);
  EXPECT_TRUE(third.tool_calls[0].cached);
  EXPECT_EQ(calls, 2);
}

TEST_F(SessionTest, tool_answers_must_be_data) {
  const auto session = make();
  add_tool(*session, "f", false, [](const ToolCall&) { return ToolReply::value(Value::of(*find_builtin("inc"))); });
  EXPECT_EQ(kind_of(session->turn("(tool/f)")), "tool_error");
  EXPECT_EQ(kind_of(session->turn("(tool/g)")), "unknown_tool");
}

TEST_F(SessionTest, deadline_and_cancel_flag_stop_a_program) {
  SessionOptions options;
  options.limits.fuel = UINT64_MAX / 4;
  options.limits.loop = UINT32_MAX;
  options.limits.timeout_ms = 20;
  EXPECT_EQ(kind_of(make(options)->turn("(loop [i 0] (recur (inc i)))")), "timeout");

  options.limits.timeout_ms = 0;
  const auto session = make(options);
  std::atomic<bool> cancelled{false};
  session->clock().set_cancel_flag(&cancelled);
  std::thread stopper([&cancelled] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancelled = true;
  });
  EXPECT_EQ(kind_of(session->turn("(loop [i 0] (recur (inc i)))")), "cancelled");
  stopper.join();
  cancelled = false;
  EXPECT_EQ(text_of(session->turn("1")), "1");
}

TEST_F(SessionTest, the_clock_can_be_fixed) {
  SessionOptions options;
  options.fixed_clock_millis = 1234;
  EXPECT_EQ(text_of(make(options)->turn("(System/currentTimeMillis)")), "1234");
}

TEST_F(SessionTest, a_result_that_explodes_when_written_is_refused) {
  const Outcome outcome = make()->turn("(reduce (fn [v _] [v v]) [] (range 60))");
  EXPECT_EQ(kind_of(outcome), "memory_exceeded");
}

TEST_F(SessionTest, stored_values_that_explode_when_written_are_refused) {
  const std::string_view exploding = "(def v (reduce (fn [v _] [v v]) [] (range 60)))";
  const auto session = make();
  session->turn("(def n 1)");
  EXPECT_EQ(kind_of(session->turn(exploding)), "memory_limit_exceeded");
  EXPECT_EQ(session->definitions().edn(), "{:n 1}");

  session->journal().enable();
  const Outcome outcome = session->turn("(task \"a\" 1) (task \"b\" (reduce (fn [v _] [v v]) [] (range 60))) 7");
  EXPECT_EQ(text_of(outcome), "7");
  EXPECT_EQ(session->journal().edn(), "{\"a\" 1}");
  EXPECT_EQ(outcome.warnings.size(), 1u);

  add_tool(*session, "f", true, [](const ToolCall&) { return ToolReply::value(Value::nil()); });
  EXPECT_NE(kind_of(session->turn("(tool/f {:a (reduce (fn [v _] [v v]) [] (range 60))})")), "none");
}

TEST_F(SessionTest, an_engine_serves_many_threads) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, &good] {
      for (int i = 0; i < 50; ++i) {
        const std::string source = "(reduce + (map inc (range " + std::to_string(i % 7) + ")))";
        if (make()->turn(source).value_edn == std::to_string((i % 7) * (i % 7 + 1) / 2)) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 200);
  EXPECT_GT(engine_.statistics().cache_hits, 100u);
}

}  // namespace
}  // namespace ptc
