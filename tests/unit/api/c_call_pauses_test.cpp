// Runs of C hosts that pause at calls, records of calls, lists of resolutions.
#include <vector>

#include "c_fixture.h"

namespace ptcvm {
namespace {

class CCallPausesTest : public CApiTest {
 protected:
  void SetUp() override {
    CApiTest::SetUp();
    tool("count", "", [](void* made, ptcvm_call* call) {
      ++*static_cast<int*>(made);
      ptcvm_call_answer(call, ptcvm_view_get(ptcvm_call_args(call), text("n")));
    }, &made_);
  }
  ptcvm_resolution ok(std::string_view operation, ptcvm_view value) {
    ptcvm_resolution out = {};
    out.operation = text(operation);
    out.value = value;
    return out;
  }

  int made_ = 0;
};

TEST_F(CCallPausesTest, AStepComesBackBeforeAndAfterACall) {
  for (const std::size_t events : {0u, 100u}) {
    made_ = 0;
    auto options = initialised<ptcvm_run_options>();
    options.pauses_at_calls = 1;
    options.event_capacity = events;
    CRun run = started("(+ 1 (tool/count {:n 4}))", options);
    EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_YIELDED);
    EXPECT_EQ(made_, 0);
    EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_YIELDED);
    EXPECT_EQ(made_, 1);
    EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_COMPLETED);
    EXPECT_EQ(edn(ptcvm_run_result(run)), "5");
  }
}

TEST_F(CCallPausesTest, ARunOutOfTimeExecutesNothing) {
  auto options = initialised<ptcvm_run_options>();
  options.is_out_of_time = 1;
  CRun run = started("(tool/count {:n 4})", options);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_FAILED);
  EXPECT_EQ(fault(run), "timeout: execution exceeded 0ms limit");
  EXPECT_EQ(made_, 0);
}

TEST_F(CCallPausesTest, RecordsAndWarnings) {
  auto options = initialised<ptcvm_run_options>();
  options.no_journal = 1;
  CRun run = started("(tool/count {:n 4}) (task \"t\" 1)", options);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_COMPLETED) << fault(run);
  ASSERT_EQ(ptcvm_run_record_count(run), 1u);
  auto record = initialised<ptcvm_call_record>();
  ASSERT_EQ(ptcvm_run_record_at(run, 0, &record), PTCVM_OK);
  EXPECT_EQ(str(record.tool), "count");
  EXPECT_EQ(str(record.args_edn), "{\"n\" 4}");
  EXPECT_EQ(str(record.result_edn), "4");
  EXPECT_EQ(str(record.error), "");
  EXPECT_EQ(record.failed, 0);
  EXPECT_EQ(ptcvm_run_record_at(run, 1, &record), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_run_record_count(nullptr), 0u);
  CTexts warnings;
  ASSERT_EQ(ptcvm_run_warnings(run, warnings.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_texts_count(warnings), 1u);
}

TEST_F(CCallPausesTest, AListOfResolutionsIsTakenWholeOrNotAtAll) {
  deferred("mail", PTCVM_ASYNC);
  CRun run = started("(mapv await [(tool/mail {}) (tool/mail {})])");
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_YIELDED);
  while (ptcvm_run_call_count(run) > 0) {
    auto call = initialised<ptcvm_waiting_call>();
    ASSERT_EQ(ptcvm_run_call_at(run, 0, &call), PTCVM_OK);
    ASSERT_EQ(ptcvm_run_answer_pending(run, call.id, text(""), nullptr), PTCVM_OK);
    ptcvm_run_step(run, PTCVM_ALL_FUEL);
  }
  ASSERT_EQ(ptcvm_run_get_state(run), PTCVM_SUSPENDED);
  CValue one;
  ASSERT_EQ(ptcvm_value_from_edn(text("1"), one.out(), nullptr), PTCVM_OK);
  std::vector<ptcvm_resolution> list = {ok("op1", ptcvm_value_view(one)), ok("op9", ptcvm_value_view(one))};
  EXPECT_EQ(ptcvm_run_resolve_all(run, list.data(), list.size(), error_.out()), PTCVM_UNKNOWN_OPERATION);
  EXPECT_EQ(ptcvm_run_pending_count(run), 2u);
  list[1].kind = 9;
  EXPECT_EQ(ptcvm_run_resolve_all(run, list.data(), list.size(), nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_run_resolve_all(run, nullptr, 1, nullptr), PTCVM_INVALID_ARGUMENT);
  list[1] = ok("op2", ptcvm_value_view(one));
  list[1].kind = PTCVM_RESOLVE_ERROR;
  list[1].reason = text("lost");
  EXPECT_EQ(ptcvm_run_resolve_all(run, list.data(), list.size(), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_FAILED);
  EXPECT_NE(fault(run).find("lost"), std::string::npos) << fault(run);
}

TEST_F(CCallPausesTest, ASignatureCanBeADescriptionOnly) {
  auto options = initialised<ptcvm_tool_options>();
  options.no_signature_check = 1;
  tool("free", "whatever ( it is", [](void*, ptcvm_call* call) {
    ptcvm_call_answer(call, ptcvm_view_get(ptcvm_call_args(call), text("n")));
  }, nullptr, options);
  CRun run = started("(tool/free {:n :k})");
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_COMPLETED) << fault(run);
  EXPECT_EQ(edn(ptcvm_run_result(run)), ":k");
}

TEST_F(CCallPausesTest, AProgramCompiledPlainlyHasOtherInstructionsAndTheSameResult) {
  auto plain = initialised<ptcvm_compile_options>();
  plain.no_optimize = 1;
  CProgram folded = compiled("(+ 1 (* 2 3))"), kept;
  ASSERT_EQ(ptcvm_engine_compile(engine_, text("(+ 1 (* 2 3))"), &plain, kept.out(), nullptr), PTCVM_OK);
  CBuffer a, b;
  ASSERT_EQ(ptcvm_program_sha256(folded, a.out(), nullptr), PTCVM_OK);
  ASSERT_EQ(ptcvm_program_sha256(kept, b.out(), nullptr), PTCVM_OK);
  EXPECT_NE(str(ptcvm_buffer_text(a)), str(ptcvm_buffer_text(b)));
  CRun run;
  ASSERT_EQ(ptcvm_run_start(engine_, kept, nullptr, run.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_COMPLETED);
  EXPECT_EQ(edn(ptcvm_run_result(run)), "7");
}

}  // namespace
}  // namespace ptcvm
