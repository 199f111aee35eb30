// Runs that pause before and after calls of tools, what runs say about their calls, and lists of resolutions.
#include "run_fixture.h"

namespace ptcvm {
namespace {

class CallPausesTest : public ApiTest {
 protected:
  void SetUp() override {
    tool("twice", "(n :int) -> :int", [this](ToolCall& call) {
      ++made_;
      return call.value(*call.arg("n").as_int() * 2);
    });
    tools_.add("mail", "(to :string) -> :int", [](ToolCall& call) { return call.pending(); }, {.mode = ToolMode::Async})
        .value();
    options_.pauses_at_calls = true;
  }
  Resolution settled(std::string operation, ValueView value) {
    Resolution out;
    out.operation = std::move(operation);
    out.value = value;
    return out;
  }

  RunOptions options_;
  int made_ = 0;
};

TEST_F(CallPausesTest, AStepComesBackBeforeAndAfterACall) {
  Run run = started("(+ 1 (tool/twice {:n 4}))", options_);
  EXPECT_EQ(run.step(), RunState::Yielded);
  EXPECT_EQ(made_, 0);
  EXPECT_EQ(run.step(), RunState::Yielded);
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(run.step(), RunState::Completed);
  EXPECT_EQ(run.result().as_int(), 9);
}

TEST_F(CallPausesTest, WithoutTheOptionNothingPauses) {
  Run run = started("(+ 1 (tool/twice {:n 4}))");
  EXPECT_EQ(run.step(), RunState::Completed);
}

TEST_F(CallPausesTest, ARunThatMovesAtEveryPauseMakesEachCallOnce) {
  Run run = started("(pmap #(tool/twice {:n %}) [1 2 3])", options_);
  RestoreOptions elsewhere;
  elsewhere.pauses_at_calls = true;
  int pauses = 0;
  while (run.step() == RunState::Yielded) {
    ASSERT_LT(++pauses, 20);
    run = moved_elsewhere(std::move(run), elsewhere);
  }
  EXPECT_EQ(run.result().to_edn(), "[2 4 6]");
  EXPECT_EQ(pauses, 2);
  EXPECT_EQ(made_, 3);
}

TEST_F(CallPausesTest, ARunOutOfTimeExecutesNothing) {
  options_.is_out_of_time = true;
  Run run = started("(tool/twice {:n 4})", options_);
  EXPECT_EQ(run.step(), RunState::Failed);
  EXPECT_EQ(run.diagnostic()->kind, "timeout");
  EXPECT_EQ(made_, 0);
}

TEST_F(CallPausesTest, RecordsSayWhatWasCalled) {
  tool("fails", "() -> :any", [](ToolCall& call) { return call.error("no luck"); });
  Run run = started("(tool/twice {:n 4}) (tool/mail {:to \"a\"}) (tool/fails {})");
  EXPECT_TRUE(run.call_records().empty());
  run.step();
  const std::vector<CallRecord> records = run.call_records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].tool, "twice");
  EXPECT_EQ(records[0].args_edn, "{\"n\" 4}");
  EXPECT_EQ(records[0].result_edn, "8");
  EXPECT_FALSE(records[0].failed || records[0].cached);
  EXPECT_EQ(records[1].result_edn, "(pending \"op1\")");
  EXPECT_TRUE(records[2].failed);
  EXPECT_EQ(records[2].error, "Tool 'fails' failed: no luck");
  EXPECT_EQ(records[2].result_edn, "");
}

TEST_F(CallPausesTest, WarningsAndSummariesAreThoseOfTheOutcome) {
  options_.journal = false;
  Run run = started("(step-done \"b\" \"two\") (step-done \"a\" \"one\") (task \"t\" 1)", options_);
  run.step();
  EXPECT_EQ(run.summaries(), (std::vector<std::pair<std::string, std::string>>{{"a", "one"}, {"b", "two"}}));
  EXPECT_EQ(run.warnings().size(), 1u);
  EXPECT_EQ(run.warnings(), run.outcome().warnings);
  EXPECT_EQ(run.summaries(), run.outcome().summaries);
}

TEST_F(CallPausesTest, PendingRecordsOutliveTheRun) {
  options_.time_ms = 1'000;
  std::vector<PendingRecord> records;
  {
    Run run = started("(let [a (tool/mail {:to \"x\"})] [(await-signal \"go\") (await a)])", options_);
    while (run.step() == RunState::Yielded) {
    }
    EXPECT_FALSE(run.pending()[0].is_signal);
    EXPECT_TRUE(run.pending()[1].is_signal);
    records = run.pending_records();
  }
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].tool, "mail");
  EXPECT_EQ(records[0].args_edn, "{\"to\" \"x\"}");
  EXPECT_EQ(records[0].args_json, R"({"to":"x"})");
  EXPECT_EQ(records[0].progress_edn, "nil");
  EXPECT_EQ(records[0].since_ms, 1'000);
  EXPECT_FALSE(records[0].is_awaited);
  EXPECT_TRUE(records[1].is_awaited);
}

TEST_F(CallPausesTest, AListOfResolutionsIsTakenWholeOrNotAtAll) {
  Run run = started("(let [a (tool/mail {:to \"x\"}) b (tool/mail {:to \"y\"})] [(await a) (await b)])");
  ASSERT_EQ(run.step(), RunState::Suspended);
  const Value one = Value::of(1), text = Value::of("two"), two = Value::of(2);
  const auto refused = run.resolve_all(std::vector{settled("op1", one), settled("op2", text)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid_value);
  EXPECT_NE(refused.error().message.find("op2"), std::string::npos) << refused.error().message;
  EXPECT_EQ(run.pending().size(), 2u);
  EXPECT_EQ(run.resolve_all(std::vector{settled("op1", one), settled("op9", two)}).error().code,
            Errc::unknown_operation);
  EXPECT_EQ(run.pending().size(), 2u);
  EXPECT_TRUE(run.resolve_all({}));
  ASSERT_TRUE(run.resolve_all(std::vector{settled("op2", two), settled("op1", one)}));
  EXPECT_EQ(run.step(), RunState::Completed);
  EXPECT_EQ(run.result().to_edn(), "[1 2]");
}

TEST_F(CallPausesTest, ResolutionsOfEveryKind) {
  Run run = started("(mapv await-settled [(tool/mail {:to \"x\"}) (tool/mail {:to \"y\"})])");
  ASSERT_EQ(run.step(), RunState::Suspended);
  const Value half = Value::of(50);
  Resolution progress = settled("op1", half);
  progress.kind = Resolution::Kind::Progress;
  ASSERT_TRUE(run.resolve_all(std::vector{progress}));
  EXPECT_EQ(run.pending().size(), 2u);
  Resolution failed, cancelled;
  failed.operation = "op1";
  failed.kind = Resolution::Kind::Error;
  failed.reason = "lost";
  cancelled.operation = "op2";
  cancelled.kind = Resolution::Kind::Cancelled;
  ASSERT_TRUE(run.resolve_all(std::vector{failed, cancelled}));
  run.step();
  const std::string settled_edn = run.result().to_edn();
  EXPECT_NE(settled_edn.find("lost"), std::string::npos) << settled_edn;
  EXPECT_NE(settled_edn.find("cancelled"), std::string::npos) << settled_edn;
}

TEST_F(CallPausesTest, ASignatureCanBeADescriptionOnly) {
  tools_.add("free", "whatever ( it is", [](ToolCall& call) { return call.value(call.args()["n"]); },
             {.checks_signature = false})
      .value();
  EXPECT_EQ(answer("(tool/free {:n \"text\"})"), "\"text\"");
  EXPECT_EQ(tools_.find("free")->signature, "whatever ( it is");
  EXPECT_EQ(tools_.add("bad", "whatever ( it is", [] { return 1; }).error().code, Errc::invalid_signature);
}

TEST_F(CallPausesTest, ToolsAreFoundAsCallsFindThem) {
  tool("my_tool", "() -> :any", [] { return 1; });
  EXPECT_EQ(tools_.find("my-tool")->name, "my_tool");
  tool("my-tool", "() -> :any", [] { return 2; });
  EXPECT_EQ(tools_.find("my-tool")->name, "my-tool");
  EXPECT_FALSE(tools_.find("mytool"));
}

TEST_F(CallPausesTest, APartThatIsNotPlainDataIsFound) {
  EXPECT_FALSE(Value::from_edn("{:a [1 nil \"x\" :k #{2.5}]}").value().view().part_not_plain());
  EXPECT_FALSE(ValueView().part_not_plain());
  const Value dated = Value::from_edn("{:a [1 #ptc/instant \"2024-01-02T03:04:05Z\"]}").value();
  ASSERT_TRUE(dated.view().part_not_plain());
  EXPECT_EQ(dated.view().part_not_plain()->kind(), ValueKind::Instant);
}

}  // namespace
}  // namespace ptcvm
