// Answers as JSON text, and arguments as JSON text: both belong to the memory of the run.
#include "run_fixture.h"

namespace ptcvm {
namespace {

constexpr std::uint64_t kMemory = 1 << 20;

// Returns an array of so many empty objects: its values take many times the bytes of its text.
std::string empty_objects(std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += i == 0 ? "{}" : ",{}";
  return text + "]";
}

class AnswerJsonTest : public ApiTest {
 protected:
  void SetUp() override {
    tools_.defer("fetch", "(x :any?) -> :any", {.effect = Effect::Idempotent}).value();
    tools_.defer("mail", "() -> :any", {.effect = Effect::Idempotent, .mode = ToolMode::Async}).value();
    options_.limits.memory_bytes = stored_options_.limits.memory_bytes = kMemory;
  }
  Run waiting(std::string_view source) {
    Run run = started(source, options_);
    EXPECT_EQ(run.step(), RunState::Yielded);
    return run;
  }
  StoredRun waiting_stored(std::string_view source) {
    auto run = StoredRun::start(engine_, store_, tools_, source, stored_options_);
    EXPECT_EQ(*run->step(), StoredStep::Waits);
    return std::move(*run);
  }
  static std::string fault_of(Run& run) {
    run.step();
    return run.diagnostic() ? run.diagnostic()->kind : "none";
  }

  Store store_ = Store::in_memory();
  RunOptions options_;
  StoredOptions stored_options_{.id = "r"};
};

TEST_F(AnswerJsonTest, TheAnswerIsAValue) {
  Run run = waiting("(tool/fetch {})");
  ASSERT_TRUE(run.answer_json(run.calls()[0].id, R"({"a": [1, 2.5, null]})"));
  EXPECT_EQ(run.step(), RunState::Completed);
  EXPECT_EQ(run.result().to_edn(), R"({"a" [1 2.5 nil]})");
}

TEST_F(AnswerJsonTest, TextThatIsNoJsonLeavesTheCallOpen) {
  Run run = waiting("(tool/fetch {})");
  const std::uint64_t call = run.calls()[0].id;
  EXPECT_EQ(run.answer_json(call, "{oops").error().code, Errc::invalid_value);
  ASSERT_TRUE(run.answer_json(call, "7"));
  EXPECT_EQ(run.answer_json(call, "8").error().code, Errc::wrong_state);
  EXPECT_EQ(run.step(), RunState::Completed);
}

TEST_F(AnswerJsonTest, AnAnswerThatDoesNotFitEndsTheTurn) {
  Run run = waiting("(count (tool/fetch {}))");
  const std::string text = empty_objects(100'000);
  ASSERT_LT(text.size(), kMemory);
  ASSERT_TRUE(run.answer_json(run.calls()[0].id, text));
  EXPECT_EQ(fault_of(run), "memory_exceeded");
}

TEST_F(AnswerJsonTest, AStoredRunNotesThatTheCallHappened) {
  StoredRun run = waiting_stored("(count (tool/fetch {}))");
  ASSERT_TRUE(run.answer_json(run.calls()[0].id, empty_objects(100'000)));
  ASSERT_EQ(*run.step(), StoredStep::Done);
  EXPECT_EQ(run.outcome().outcome.diagnostic->kind, "memory_exceeded");
}

TEST_F(AnswerJsonTest, AStoredRunTakesValuesAndRefusesText) {
  StoredRun run = waiting_stored("(:a (tool/fetch {:x {:b [1]}}))");
  const std::uint64_t call = run.calls()[0].id;
  EXPECT_EQ(*run.args_json(call), R"({"x":{"b":[1]}})");
  EXPECT_EQ(run.answer_json(call, "").error().code, Errc::invalid_value);
  ASSERT_TRUE(run.answer_json(call, R"({"a": 5})"));
  ASSERT_EQ(*run.step(), StoredStep::Done);
  EXPECT_EQ(run.outcome().value_edn, "5");
  EXPECT_EQ(run.args_json(call).error().code, Errc::wrong_state);
}

TEST_F(AnswerJsonTest, AnAnnouncementStartsAnOperation) {
  Run run = waiting("(let [m (tool/mail {})] [(:percent m) (await m)])");
  AnswerDetails details;
  details.announces = true;
  ASSERT_TRUE(run.answer_json(run.calls()[0].id, R"({"pending": "m1", "immediate": {"percent": 9}})", details));
  ASSERT_EQ(run.step(), RunState::Suspended);
  ASSERT_TRUE(run.resolve("m1", Value::of(1)));
  EXPECT_EQ(run.step(), RunState::Completed);
  EXPECT_EQ(run.result().to_edn(), "[9 1]");
}

TEST_F(AnswerJsonTest, AMapWithOtherMembersIsNoAnnouncement) {
  Run run = waiting("(tool/fetch {})");
  AnswerDetails details;
  details.announces = true;
  ASSERT_TRUE(run.answer_json(run.calls()[0].id, R"({"pending": "m1", "total": 3})", details));
  EXPECT_EQ(run.step(), RunState::Completed);
  EXPECT_EQ(run.result().to_edn(), R"({"pending" "m1" "total" 3})");
}

TEST_F(AnswerJsonTest, ArgumentsThatDoNotFitEndTheTurn) {
  Run run = waiting("(tool/fetch {:x (reduce (fn [s _] (str s s)) \"0123456789\" (range 16))})");
  EXPECT_EQ(run.args_json(run.calls()[0].id).error().code, Errc::too_large);
  EXPECT_TRUE(run.calls().empty()) << "the call has failed";
  EXPECT_EQ(fault_of(run), "memory_exceeded");
}

TEST_F(AnswerJsonTest, WhatTheHostHoldsCounts) {
  Run run = waiting("(tool/fetch {})");
  const std::uint64_t before = run.memory_left();
  run.hold_memory(1'000);
  EXPECT_EQ(run.memory_left(), before - 1'000);
  run.hold_memory(before - 2'000);
  EXPECT_EQ(run.memory_left(), 2'000u);
  ASSERT_TRUE(run.answer_json(run.calls()[0].id, '"' + std::string(10'000, 'a') + '"'));
  run.hold_memory(0);
  EXPECT_EQ(fault_of(run), "memory_exceeded");
}

TEST_F(AnswerJsonTest, TheHostSaysThatAnAnswerIsTooLarge) {
  Run run = waiting("(tool/fetch {})");
  ASSERT_TRUE(run.answer_too_large(run.calls()[0].id));
  EXPECT_EQ(fault_of(run), "memory_exceeded");
}

TEST_F(AnswerJsonTest, DataThatDoesNotFitEndsTheTurn) {
  const std::string text = R"({"a": )" + empty_objects(100'000) + "}";
  options_.data_json = text;
  Run run = started("(count data/a)", options_);
  EXPECT_EQ(fault_of(run), "memory_exceeded");

  options_.data_json = {};
  Session session = Session::create(engine_, options_).value();
  EXPECT_TRUE(session.inputs_fit());
  ASSERT_TRUE(session.load_data_json(text));
  EXPECT_FALSE(session.inputs_fit());
  EXPECT_EQ(session.eval("1").diagnostic->kind, "memory_exceeded");
}

}  // namespace
}  // namespace ptcvm
