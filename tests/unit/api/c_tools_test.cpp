// Callbacks of C hosts: what they see, what they may say, and that their data is destroyed exactly once.
#include "c_fixture.h"

namespace ptcvm {
namespace {

class CToolsTest : public CApiTest {
 protected:
  static void count(void* counter) { ++*static_cast<int*>(counter); }
  static void nothing(void*, ptcvm_call*) {}
  std::string ended(ptcvm_run* run) {
    const ptcvm_state state = ptcvm_run_step(run, PTCVM_ALL_FUEL);
    return state == PTCVM_COMPLETED ? edn(ptcvm_run_result(run)) : fault(run);
  }
  int calls_ = 0;
};

TEST_F(CToolsTest, DataIsDestroyedOnce) {
  int destroyed = 0;
  const auto add = [&](const char* name, const char* signature, ptcvm_tools* to, ptcvm_call_fn callback) {
    return ptcvm_tools_add(to, text(name), text(signature), callback, &destroyed, count, nullptr, nullptr);
  };
  EXPECT_EQ(add("t", "(q :strin)", tools_, nothing), PTCVM_INVALID_SIGNATURE);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(add("t", "", nullptr, nothing), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(destroyed, 2);
  EXPECT_EQ(add("t", "", tools_, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(destroyed, 3);
  auto bad = initialised<ptcvm_tool_options>();
  bad.effect = 77;
  EXPECT_EQ(ptcvm_tools_add(tools_, text("t"), {}, nothing, &destroyed, count, &bad, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(destroyed, 4);
  EXPECT_EQ(add("t", "", tools_, nothing), PTCVM_OK);
  EXPECT_EQ(destroyed, 4);
  EXPECT_EQ(add("t", "", tools_, nothing), PTCVM_OK);         // replaces the first
  EXPECT_EQ(destroyed, 5);
  {
    CRun run = started("1");
    tools_ = CTools();
    EXPECT_EQ(destroyed, 5);                                  // the run keeps it
  }
  EXPECT_EQ(destroyed, 6);
}

TEST_F(CToolsTest, ACallShowsItself) {
  tool("look", "(a_b :int) -> :any", [](void* data, ptcvm_call* call) {
    EXPECT_EQ(str(ptcvm_call_name(call)), "look");
    EXPECT_EQ(edn(ptcvm_call_args(call)), "{\"a_b\" 1}");
    EXPECT_EQ(str(ptcvm_call_run_id(call)), "run");
    EXPECT_EQ(str(ptcvm_call_task_id(call)), "t");
    EXPECT_NE(str(ptcvm_call_idempotency_key(call)), "");
    EXPECT_EQ(ptcvm_call_attempt(call), 1u);
    EXPECT_EQ(ptcvm_call_is_expired(call), 0);
    *static_cast<int*>(data) += 1;
    ptcvm_call_answer_json(call, text("[1, 2]"), nullptr);
  }, &calls_);
  CRun run = started("(task \"t\" (tool/look {:a-b 1}))");
  EXPECT_EQ(ended(run), "[1 2]");
  EXPECT_EQ(calls_, 1);
}

TEST_F(CToolsTest, ACallHasOneAnswer) {
  tool("twice", "", [](void*, ptcvm_call* call) {
    EXPECT_EQ(ptcvm_call_answer_json(call, text("{bad"), nullptr), PTCVM_INVALID_VALUE);   // no answer yet
    EXPECT_EQ(ptcvm_call_did_not_happen(call), PTCVM_WRONG_STATE);
    EXPECT_EQ(ptcvm_call_ask(call, text("may I?")), PTCVM_WRONG_STATE);
    EXPECT_EQ(ptcvm_call_answer_json(call, text("1"), nullptr), PTCVM_OK);
    CError error;
    EXPECT_EQ(ptcvm_call_answer_json(call, text("2"), error.out()), PTCVM_WRONG_STATE);
    EXPECT_EQ(str(ptcvm_error_message(error)), "the call has its answer");
    EXPECT_EQ(ptcvm_call_answer_error(call, text("no")), PTCVM_WRONG_STATE);
    EXPECT_EQ(ptcvm_call_answer_pending(call, {}), PTCVM_WRONG_STATE);
    EXPECT_EQ(ptcvm_call_report_partial(call, {}), PTCVM_WRONG_STATE);
  });
  tool("silent", "", nothing);
  tool("wrong", "(n :int) -> :int", [](void*, ptcvm_call* call) {
    ptcvm_call_answer_json(call, text("\"text\""), nullptr);
  });
  CRun twice = started("(tool/twice {})"), silent = started("(tool/silent {})"), wrong = started("(tool/wrong {:n 1})");
  EXPECT_EQ(ended(twice), "1");
  EXPECT_EQ(ended(silent), "tool_error: Tool 'silent' failed: the tool gave no answer");
  EXPECT_NE(ended(wrong).find("expected int, got string"), std::string::npos);
}

TEST_F(CToolsTest, ErrorsPartialAnswersAndOperations) {
  tool("broken", "", [](void*, ptcvm_call* call) { ptcvm_call_answer_error(call, text("out of paper")); });
  tool("slow", "", [](void*, ptcvm_call* call) {
    CValue value;
    ptcvm_value_from_edn(text("[1 2]"), value.out(), nullptr);
    EXPECT_EQ(ptcvm_call_report_partial(call, {}), PTCVM_OK);
    EXPECT_EQ(ptcvm_call_report_partial(call, ptcvm_value_view(value)), PTCVM_OK);
    EXPECT_EQ(ptcvm_call_timed_out(call), PTCVM_OK);
  });
  auto options = initialised<ptcvm_tool_options>();
  options.mode = PTCVM_ASYNC;
  tool("mail", "", [](void*, ptcvm_call* call) { ptcvm_call_answer_pending(call, text("m1")); }, nullptr, options);
  CRun broken = started("(tool/broken {})"), slow = started("(tool/slow {})"), mail = started("(await (tool/mail {}))");
  EXPECT_EQ(ended(broken), "tool_error: Tool 'broken' failed: out of paper");
  EXPECT_EQ(ended(slow), "{:partial [1 2] :status :timed-out}");
  EXPECT_EQ(ptcvm_run_step(mail, PTCVM_ALL_FUEL), PTCVM_SUSPENDED);
  EXPECT_EQ(ptcvm_run_resolve_json(mail, text("m1"), text("7"), nullptr), PTCVM_OK);
  EXPECT_EQ(ended(mail), "7");
}

// A callback that steps or answers the run whose call it is: refused, and the run goes on.
TEST_F(CToolsTest, ARunIsNotEnteredTwice) {
  struct Inside {
    ptcvm_run* run;
    int tried;
  } inside = {nullptr, 0};
  tool("enter", "", [](void* data, ptcvm_call* call) {
    auto& seen = *static_cast<Inside*>(data);
    EXPECT_EQ(ptcvm_run_step(seen.run, 1), PTCVM_NO_STATE);
    EXPECT_EQ(ptcvm_run_resolve_json(seen.run, text("op1"), text("1"), nullptr), PTCVM_WRONG_STATE);
    EXPECT_EQ(ptcvm_run_pending_count(seen.run), 0u);
    CBuffer bytes;
    EXPECT_EQ(ptcvm_run_snapshot(seen.run, 0, bytes.out(), nullptr), PTCVM_WRONG_STATE);
    EXPECT_EQ(edn(ptcvm_run_result(seen.run)), "nil");
    ++seen.tried;
    ptcvm_call_answer_json(call, text("1"), nullptr);
  }, &inside);
  CRun run = started("(tool/enter {})");
  inside.run = run;
  EXPECT_EQ(ended(run), "1");
  EXPECT_EQ(inside.tried, 1);
}

TEST_F(CToolsTest, UnknownToolsAreFoundWhenCompiling) {
  deferred("known");
  auto options = initialised<ptcvm_compile_options>();
  options.tools = tools_;
  CProgram program;
  EXPECT_EQ(ptcvm_engine_compile(engine_, text("(tool/unknown {})"), &options, program.out(), nullptr),
            PTCVM_INVALID_PROGRAM);
  ASSERT_EQ(ptcvm_engine_compile(engine_, text("(tool/known {})"), &options, program.out(), nullptr), PTCVM_OK);
  CTexts names;
  ASSERT_EQ(ptcvm_program_tools(program, names.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(str(ptcvm_texts_at(names, 0)), "known");
}

}  // namespace
}  // namespace ptcvm
