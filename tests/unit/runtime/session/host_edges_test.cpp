// What leaves a run and what comes in is within its memory: results, commits, answers, inputs.
#include <gtest/gtest.h>

#include <atomic>

#include "runtime/session/session.h"
#include "runtime/text/value_builder.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr const char* kDoubledNest = "(reduce (fn [a _] [a a]) 1 (range 40))";

class HostEdgesTest : public ::testing::Test {
 protected:
  // `keeps_commits`: somebody writes each commit out, as durable runs do.
  std::unique_ptr<Session> make(std::uint64_t memory_bytes, bool keeps_commits = false) {
    SessionOptions options;
    options.yields_at_commits = keeps_commits;
    options.limits.memory_bytes = memory_bytes;
    return std::make_unique<Session>(engine_, std::move(options));
  }
  static std::string kind_of(const Outcome& outcome) {
    return outcome.status == OutcomeStatus::Error ? std::string(fault_name(outcome.fault.kind)) : "none";
  }

  Engine engine_;
};

TEST_F(HostEdgesTest, a_long_function_is_written_once) {
  const std::string filler(1'000, 'x');
  const std::string program = "(reduce (fn [a _] (fn [] \"" + filler + "\" a)) 1 (range 50))";
  const Outcome nest = make(1u << 24)->turn(program);
  EXPECT_LT(nest.value_edn.size(), 2 * filler.size() + 50 * 60) << nest.value_edn.substr(0, 200);
  const Outcome list = make(1u << 24)->turn("(map (fn [a] (fn [] \"" + filler + "\" a)) (range 50))");
  EXPECT_LT(list.value_edn.size(), 2 * filler.size() + 50 * 60);
  EXPECT_NE(list.value_edn.find("#ptc/closure {:same 1 :captured {:a 49}}"), std::string::npos);
}

// 1,000 closures hold one integer of 19,567 digits.
TEST_F(HostEdgesTest, a_result_longer_than_the_memory_is_not_begun) {
  const Outcome outcome =
      make(1u << 24)->turn("(let [v (dec (bit-shift-left 1 65000))] (map (fn [i] (fn [] [i v])) (range 1000)))");
  EXPECT_EQ(kind_of(outcome), "memory_exceeded");
  EXPECT_LT(outcome.peak_bytes, 1u << 21) << "no piece of the text was kept";
}

TEST_F(HostEdgesTest, functions_by_reference_are_read_back) {
  const std::string filler(100, 'x');
  const auto writer = make(1u << 24);
  writer->turn("(def outer (fn [] (fn [] 7)))"
               "(def fs (map (fn [a] (fn [b] (if (= b \"" + filler + "\") 0 [a b (outer)]))) (range 3)))"
               "(def gs (map (fn [f] (fn [] \"" + filler + "\" (f 1))) fs))");
  const std::string memory = writer->definitions().edn();
  EXPECT_NE(memory.find(":same"), std::string::npos) << memory;
  const auto reader = make(1u << 24);
  ASSERT_EQ(reader->definitions().load(memory), std::nullopt);
  const char* const calls = "(map (fn [f] (f 5)) fs)";
  EXPECT_EQ(reader->turn(calls).value_edn, writer->turn(calls).value_edn);
  EXPECT_EQ(reader->turn("(count (map (fn [g] (g)) gs))").value_edn, "3");
  EXPECT_EQ(reader->definitions().edn(), writer->definitions().edn());
}

TEST_F(HostEdgesTest, a_reference_to_no_function_is_refused) {
  for (const char* text : {"{:f #ptc/closure {:same 1 :captured {}}}", "{:f #ptc/closure {:same 0}}",
                           "{:f #ptc/closure {:same -1}}", "{:f #ptc/closure {:same \"1\"}}"}) {
    EXPECT_TRUE(make(1u << 24)->definitions().load(text).has_value()) << text;
  }
}

TEST_F(HostEdgesTest, a_result_whose_text_does_not_fit_is_refused) {
  EXPECT_EQ(kind_of(make(1u << 24)->turn(kDoubledNest)), "memory_exceeded");
  EXPECT_EQ(kind_of(make(1u << 24)->turn("(repeat 2000 (bit-shift-left 1 65000))")), "memory_exceeded");
  const auto session = make(1u << 24);
  EXPECT_EQ(kind_of(session->turn("(def n 1) (reduce (fn [a _] (fn [] [a a])) 1 (range 40))")), "none");
  EXPECT_EQ(kind_of(session->turn("(def n 2) (reduce (fn [a b] (fn [] [a b])) 1 (range 40))")), "none");
  EXPECT_EQ(kind_of(session->turn("(def n 3) " + std::string(kDoubledNest))), "memory_exceeded");
  EXPECT_EQ(session->turn("n").value_edn, "2") << "a refused result takes the definitions of its turn back";
}

TEST_F(HostEdgesTest, functions_that_hold_each_other_twice_are_counted_where_they_are_written) {
  const char* const program = "(reduce (fn [a _] (let [b a] (fn [] [a b]))) 1 (range 40))";
  EXPECT_EQ(kind_of(make(1u << 24)->turn(program)), "memory_exceeded");
  EXPECT_EQ(kind_of(make(1u << 24)->turn("(def f " + std::string(program) + ") 1")), "memory_limit_exceeded");
}

TEST_F(HostEdgesTest, a_turn_that_is_cancelled_while_its_result_is_written_ends_so) {
  const auto session = make(std::uint64_t{1} << 32);
  std::atomic<bool> flag = false;
  session->clock().set_cancel_flag(&flag);
  ASSERT_TRUE(session->begin(session->compile("(repeat 1000 (bit-shift-left 1 65000))").program));
  while (session->step(1'000'000) != SessionStep::Over) {
  }
  ASSERT_EQ(session->status(), OutcomeStatus::Ok);
  flag = true;
  EXPECT_EQ(kind_of(session->outcome()), "cancelled");
  flag = false;
  EXPECT_EQ(session->turn("1").value_edn, "1") << "the next turn is not cancelled";
}

TEST_F(HostEdgesTest, a_task_commits_nothing_that_cannot_be_written_out) {
  const std::string nest = kDoubledNest;
  for (const std::string& program :
       {"(task \"a\" " + nest + ") 1", "(task \"b\" (task \"a\" " + nest + ")) 1", "(task \"a\" (return " + nest + "))",
        "(pcalls (fn [] (task \"a\" " + nest + ")) (fn [] 1))"}) {
    const auto session = make(1u << 24, true);
    session->journal().enable();
    EXPECT_EQ(kind_of(session->turn(program)), "memory_exceeded") << program;
    EXPECT_EQ(session->journal().edn(), "{}") << program;
  }
  EXPECT_EQ(kind_of(make(1u << 24)->turn("(task \"a\" " + nest + ") 1")), "none") << "nobody writes it";
}

TEST_F(HostEdgesTest, an_answer_that_does_not_fit_fails_its_call) {
  const auto session = make(1u << 20);
  ToolDefinition large;
  large.name = "large";
  session->tools().add(std::move(large), [](const ToolCall& call) {
    ValueBuilder answer(call.heap);
    answer.open();
    for (int i = 0; i < 200'000; ++i) answer.add(string_of(call.heap, "text"));
    answer.close(ValueBuilder::Shape::Vector);
    return ToolReply::value(answer.take());
  });
  const Outcome outcome = session->turn("(count (tool/large {}))");
  EXPECT_EQ(kind_of(outcome), "memory_exceeded");
  EXPECT_EQ(outcome.fault.span.column, 8U) << "the place of the call";
  EXPECT_EQ(session->turn("1").value_edn, "1");
}

TEST_F(HostEdgesTest, inputs_that_do_not_fit_end_the_turn) {
  std::string list = "{:a [";
  for (int i = 0; i < 200'000; ++i) list += "{} ";
  const auto session = make(1u << 20);
  EXPECT_EQ(session->inputs().load_context(list + "]}"), std::nullopt);
  const Outcome outcome = session->turn("1");
  EXPECT_EQ(kind_of(outcome), "memory_exceeded");
  EXPECT_LE(outcome.peak_bytes, (1u << 20) + (64u << 10));
}

TEST_F(HostEdgesTest, a_large_result_costs_fuel_for_each_part) {
  const auto fuel_of = [&](const char* program) { return make(1u << 26)->turn(program).fuel; };
  EXPECT_LT(fuel_of("(vec (range 2000))") - fuel_of("(count (vec (range 2000)))"), 50u) << "small results are free";
  const std::uint64_t more = fuel_of("(vec (range 100000))") - fuel_of("(count (vec (range 100000)))");
  EXPECT_NEAR(static_cast<double>(more), 100'000 - 4096, 50);
  const auto wide = [&](const char* bits) {
    return fuel_of(("(let [v (bit-shift-left 1 " + std::string(bits) + ")] (vec (repeat 100 v)))").c_str());
  };
  EXPECT_GT(wide("60000"), 3 * wide("30000")) << "decimal digits take the square of the width";
}

TEST_F(HostEdgesTest, a_result_that_takes_more_fuel_than_is_left_is_refused) {
  for (const char* program : {"(vec (range 100000))", kDoubledNest}) {
    SessionOptions options;
    options.limits.fuel = 60'000;
    Session session(engine_, std::move(options));
    const Outcome outcome = session.turn("(def kept 1) " + std::string(program));
    EXPECT_EQ(kind_of(outcome), "fuel_exhausted") << program;
    EXPECT_EQ(outcome.fuel, 60'000u);
    EXPECT_EQ(session.definitions().edn(), "{}") << "a turn that fails defines nothing";
  }
}

TEST_F(HostEdgesTest, text_that_is_too_long_is_charged_although_nobody_gets_it) {
  for (const char* form : {"(str v)", "(pr-str v)", "(format \"%s\" v)", "(join \",\" [v])"}) {
    const Outcome outcome =
        make(1u << 26)->turn("(let [v " + std::string(kDoubledNest) + "] " + std::string(form) + ")");
    EXPECT_EQ(kind_of(outcome), "string_limit_exceeded") << form;
    EXPECT_GT(outcome.fuel, 60'000u) << form;
    EXPECT_EQ(kind_of(make(1u << 19)->turn("(let [v " + std::string(kDoubledNest) + "] " + std::string(form) + ")")),
              "memory_exceeded")
        << form;
  }
}

TEST_F(HostEdgesTest, entries_of_the_journal_are_memory_of_the_run) {
  const auto session = make(1u << 20);
  session->journal().enable();
  EXPECT_EQ(kind_of(session->turn("(reduce (fn [a i] (task (str i) 1) a) 0 (range 100000))")), "memory_exceeded");
  const auto roomy = make(1u << 20);
  roomy->journal().enable();
  const Outcome outcome = roomy->turn("(reduce (fn [a i] (task (str i) 1) a) 0 (range 1000))");
  EXPECT_EQ(kind_of(outcome), "none");
  EXPECT_GT(outcome.peak_bytes, 300'000u);
}

TEST_F(HostEdgesTest, a_value_that_no_text_can_hold_is_charged_with_and_without_a_store) {
  const std::string program = "(do (task \"a\" " + std::string(kDoubledNest) + ") 1)";
  for (const bool keeps_commits : {false, true}) {
    const auto session = make(1u << 26, keeps_commits);
    session->journal().enable();
    const Outcome outcome = session->turn(program);
    EXPECT_EQ(kind_of(outcome), keeps_commits ? "memory_exceeded" : "none");
    EXPECT_GT(outcome.fuel, 1'000'000u);
  }
}

}  // namespace
}  // namespace ptc
