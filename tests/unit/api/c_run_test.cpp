// Runs of C hosts: every way in which a host answers, and what happens when it answers twice or at the wrong time.
#include <vector>

#include "c_fixture.h"
#include "ptcvm/call_stack.h"

namespace ptcvm {
namespace {

class CRunTest : public CApiTest {
 protected:
  // The id of the only call that waits.
  static std::uint64_t waiting_call(ptcvm_run* run) {
    EXPECT_EQ(ptcvm_run_call_count(run), 1u);
    auto call = initialised<ptcvm_waiting_call>();
    EXPECT_EQ(ptcvm_run_call_at(run, 0, &call), PTCVM_OK);
    return call.id;
  }
};

TEST_F(CRunTest, EveryWayToEnd) {
  CRun completed = started("(+ 1 2)"), returned = started("(do (return 7) 8)"), failed = started("(fail {:why 1})"),
       faulted = started("(+ 1 \"x\")");
  EXPECT_EQ(edn(ptcvm_run_result(completed)), "nil");       // not over
  EXPECT_EQ(ptcvm_run_step(completed, PTCVM_ALL_FUEL), PTCVM_COMPLETED);
  EXPECT_EQ(edn(ptcvm_run_result(completed)), "3");
  EXPECT_EQ(ptcvm_run_step(completed, 0), PTCVM_COMPLETED);
  EXPECT_EQ(ptcvm_run_step(returned, PTCVM_ALL_FUEL), PTCVM_RETURNED);
  EXPECT_EQ(edn(ptcvm_run_result(returned)), "7");
  EXPECT_EQ(ptcvm_run_step(failed, PTCVM_ALL_FUEL), PTCVM_FAILED);
  EXPECT_EQ(edn(ptcvm_run_result(failed)), "{:why 1}");
  EXPECT_EQ(fault(failed), "");
  EXPECT_EQ(ptcvm_run_step(faulted, PTCVM_ALL_FUEL), PTCVM_FAILED);
  EXPECT_EQ(fault(faulted).substr(0, 10), "type_error");
  EXPECT_EQ(ptcvm_run_get_state(faulted), PTCVM_FAILED);
}

TEST_F(CRunTest, FuelCancelAndUsage) {
  CRun run = started("(loop [i 0] (if (< i 5000) (recur (inc i)) i))");
  EXPECT_EQ(ptcvm_run_step(run, 100), PTCVM_YIELDED);
  EXPECT_EQ(ptcvm_run_call_count(run), 0u);
  ptcvm_run_cancel(run);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_FAILED);
  EXPECT_EQ(fault(run).substr(0, 9), "cancelled");
  auto usage = initialised<ptcvm_usage>();
  EXPECT_EQ(ptcvm_run_get_usage(run, &usage), PTCVM_OK);
  EXPECT_GE(usage.fuel, 100u);
  EXPECT_LT(usage.fuel, 5000u);
}

TEST_F(CRunTest, DataPrintsAndJournal) {
  auto options = initialised<ptcvm_run_options>();
  options.id = text("order-7");
  options.data_json = text(R"({"n": 41})");
  CRun run = started("(do (println \"a\") (println \"b\") (task \"t\" (inc data/n)))", options);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_COMPLETED) << fault(run);
  CTexts prints;
  ASSERT_EQ(ptcvm_run_prints(run, prints.out(), nullptr), PTCVM_OK);
  ASSERT_EQ(ptcvm_texts_count(prints), 2u);
  EXPECT_EQ(str(ptcvm_texts_at(prints, 1)), "b");
  EXPECT_EQ(str(ptcvm_texts_at(prints, 2)), "");
  CBuffer journal;
  ASSERT_EQ(ptcvm_run_journal_edn(run, journal.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(str(ptcvm_buffer_text(journal)), "{\"t\" 42}");
  EXPECT_EQ(str(ptcvm_run_id(run)), "order-7");

  CRun refused;
  options.data_json = text("[1]");
  EXPECT_EQ(ptcvm_run_start(engine_, compiled("1"), &options, refused.out(), nullptr), PTCVM_INVALID_VALUE);
  options.data_json = {};
  options.signature = text("(");
  EXPECT_EQ(ptcvm_run_start(engine_, compiled("1"), &options, refused.out(), nullptr), PTCVM_INVALID_SIGNATURE);
}

// ---- Calls of deferred tools

TEST_F(CRunTest, CallsAreAnsweredOnce) {
  deferred("a");
  deferred("b");
  CRun run = started("(pcalls #(tool/a {:n 1}) #(tool/b {:n 2}))");
  ASSERT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_YIELDED);
  ASSERT_EQ(ptcvm_run_call_count(run), 2u);
  for (std::size_t i = 0; i < 2; ++i) {           // the list does not shift while it is answered
    auto call = initialised<ptcvm_waiting_call>();
    ASSERT_EQ(ptcvm_run_call_at(run, i, &call), PTCVM_OK);
    EXPECT_EQ(str(call.tool), i == 0 ? "a" : "b");
    EXPECT_EQ(edn(ptcvm_view_get(call.args, text("n"))), i == 0 ? "1" : "2");
    EXPECT_EQ(ptcvm_run_answer_edn(run, call.id, text(i == 0 ? ":x" : ":y"), nullptr), PTCVM_OK);
    EXPECT_EQ(ptcvm_run_answer_json(run, call.id, text("5"), error_.out()), PTCVM_WRONG_STATE);
    EXPECT_NE(message(), "");
  }
  auto call = initialised<ptcvm_waiting_call>();
  EXPECT_EQ(ptcvm_run_call_at(run, 2, &call), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_COMPLETED) << fault(run);
  EXPECT_EQ(edn(ptcvm_run_result(run)), "[:x :y]");
  EXPECT_EQ(ptcvm_run_call_at(run, 0, &call), PTCVM_INVALID_ARGUMENT);   // what was seen died with the step
  EXPECT_EQ(ptcvm_run_answer(run, call.id, {}, nullptr), PTCVM_WRONG_STATE);
}

TEST_F(CRunTest, AnErrorIsOfTheTool) {
  deferred("a");
  CRun run = started("(tool/a {})");
  ptcvm_run_step(run, PTCVM_ALL_FUEL);
  EXPECT_EQ(ptcvm_run_answer_error(run, waiting_call(run), text("no such order"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_FAILED);
  EXPECT_EQ(fault(run), "tool_error: Tool 'a' failed: no such order");
}

// ---- Operations

TEST_F(CRunTest, OperationsAreResolvedElsewhere) {
  deferred("ask", PTCVM_ASYNC);
  CRun run = started("(let [h (tool/ask {:q \"why\"})] [(:decision (await h)) 1])");
  ptcvm_run_step(run, PTCVM_ALL_FUEL);
  EXPECT_EQ(ptcvm_run_answer_pending(run, waiting_call(run), text("letter-1"), nullptr), PTCVM_OK);
  ASSERT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_SUSPENDED);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_SUSPENDED);
  ASSERT_EQ(ptcvm_run_pending_count(run), 1u);
  auto seen = initialised<ptcvm_pending_operation>();
  ASSERT_EQ(ptcvm_run_pending_at(run, 0, &seen), PTCVM_OK);
  EXPECT_EQ(str(seen.id), "letter-1");
  EXPECT_EQ(str(seen.tool), "ask");
  EXPECT_EQ(edn(seen.args), "{\"q\" \"why\"}");
  EXPECT_EQ(seen.is_awaited, 1);

  const std::string state = snapshot(run);
  run = CRun();
  CRun again = restored(state);
  EXPECT_EQ(snapshot(again), state);
  EXPECT_EQ(ptcvm_run_resolve_json(again, text("letter-2"), text("1"), nullptr), PTCVM_UNKNOWN_OPERATION);
  EXPECT_EQ(ptcvm_run_resolve_json(again, text("letter-1"), text("{"), nullptr), PTCVM_INVALID_VALUE);
  EXPECT_EQ(ptcvm_run_resolve_json(again, text("letter-1"), text(R"({"decision": "yes"})"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_resolve_json(again, text("letter-1"), text(R"({"decision": "yes"})"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_resolve_error(again, text("letter-1"), text("lost"), nullptr), PTCVM_ALREADY_RESOLVED);
  EXPECT_EQ(ptcvm_run_step(again, PTCVM_ALL_FUEL), PTCVM_COMPLETED) << fault(again);
  EXPECT_EQ(edn(ptcvm_run_result(again)), "[\"yes\" 1]");
}

TEST_F(CRunTest, AParkedRunGoesOnAsIfNothingHappened) {
  deferred("ask", PTCVM_ASYNC);
  CRun run = started("(let [kept (str \"a\" 1)] (str kept (await (tool/ask {:n 1}))))");
  EXPECT_EQ(ptcvm_run_park(run), 0);      // has not begun
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_YIELDED);
  EXPECT_EQ(ptcvm_run_answer_pending(run, waiting_call(run), text("op-7"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_SUSPENDED);
  const std::string before = snapshot(run);
  EXPECT_EQ(ptcvm_run_park(run), 1);
  EXPECT_EQ(ptcvm_run_park(run), 1);
  EXPECT_EQ(ptcvm_run_get_state(run), PTCVM_SUSPENDED);
  EXPECT_EQ(snapshot(run), before);
  EXPECT_EQ(ptcvm_run_park(run), 1);
  EXPECT_EQ(ptcvm_run_resolve_edn(run, text("op-7"), text("\"b\""), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_COMPLETED);
  EXPECT_EQ(edn(ptcvm_run_result(run)), "\"a1b\"");
  EXPECT_EQ(ptcvm_run_park(run), 0);      // is over
  EXPECT_EQ(ptcvm_run_park(nullptr), 0);
}

TEST_F(CRunTest, CancelledAndFailedOperationsAndSleep) {
  deferred("ask", PTCVM_ASYNC);
  CRun run = started("(await (tool/ask {}))");
  ptcvm_run_step(run, PTCVM_ALL_FUEL);
  EXPECT_EQ(ptcvm_run_answer_pending(run, waiting_call(run), text("op-x"), nullptr), PTCVM_OK);
  ASSERT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_SUSPENDED);
  EXPECT_EQ(ptcvm_run_resolve_cancelled(run, text("op-x"), text("nobody there"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_FAILED);
  EXPECT_NE(fault(run).find("nobody there"), std::string::npos);

  auto options = initialised<ptcvm_run_options>();
  options.has_time = 1;
  options.time_ms = 1'000;
  CRun sleeper = started("(do (sleep 500) :awake)", options);
  EXPECT_EQ(ptcvm_run_step(sleeper, PTCVM_ALL_FUEL), PTCVM_SUSPENDED);
  int64_t wake = 0;
  ASSERT_EQ(ptcvm_run_wake_time(sleeper, &wake), 1);
  EXPECT_EQ(wake, 1'500);
  ptcvm_run_set_time(sleeper, wake);
  EXPECT_EQ(ptcvm_run_step(sleeper, PTCVM_ALL_FUEL), PTCVM_COMPLETED) << fault(sleeper);
}

// ---- Questions

TEST_F(CRunTest, AToolThatAsksWaitsForADecision) {
  auto options = initialised<ptcvm_tool_options>();
  options.question = text("pay?");
  tool("pay", "(cents :int) -> :string", [](void*, ptcvm_call* call) {
    ptcvm_call_answer_json(call, text("\"paid\""), nullptr);
  }, nullptr, options);
  for (const bool is_allowed : {true, false}) {
    CRun run = started("(tool/pay {:cents 5})");
    ASSERT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_SUSPENDED);
    CRun elsewhere = restored(snapshot(run));
    ASSERT_EQ(ptcvm_run_question_count(elsewhere), 1u);
    EXPECT_EQ(ptcvm_run_call_count(elsewhere), 0u);
    auto seen = initialised<ptcvm_waiting_call>();
    ASSERT_EQ(ptcvm_run_question_at(elsewhere, 0, &seen), PTCVM_OK);
    EXPECT_EQ(str(seen.question), "pay?");
    const ptcvm_text other = text("{\"cents\" 6}"), shown = text("{\"cents\" 5}");
    EXPECT_EQ(ptcvm_run_decide(elsewhere, seen.key, 1, {}, &other, nullptr), PTCVM_REFUSED);
    EXPECT_EQ(ptcvm_run_decide(elsewhere, text("nokey"), 1, {}, nullptr, nullptr), PTCVM_REFUSED);
    EXPECT_EQ(ptcvm_run_decide(elsewhere, seen.key, is_allowed, text("too much"), &shown, error_.out()), PTCVM_OK)
        << message();
    EXPECT_EQ(ptcvm_run_decide(elsewhere, seen.key, !is_allowed, {}, nullptr, nullptr), PTCVM_REFUSED);
    EXPECT_EQ(ptcvm_run_step(elsewhere, PTCVM_ALL_FUEL), is_allowed ? PTCVM_COMPLETED : PTCVM_FAILED);
    EXPECT_EQ(fault(elsewhere).find("too much") != std::string::npos, !is_allowed);
  }
}

TEST_F(CRunTest, AHookJudgesCalls) {
  tool("echo", "(n :int) -> :int", [](void*, ptcvm_call* call) {
    ptcvm_call_answer(call, ptcvm_view_get(ptcvm_call_args(call), text("n")));
  });
  auto options = initialised<ptcvm_run_options>();
  options.before_tool = [](void* judged, ptcvm_call* call) {
    ++*static_cast<int*>(judged);
    int64_t n = 0;
    ptcvm_view_int(ptcvm_view_get(ptcvm_call_args(call), text("n")), &n);
    EXPECT_EQ(ptcvm_call_answer(call, {}), PTCVM_WRONG_STATE);          // it judges, and does not answer
    if (n == 1) {
      CValue args;
      EXPECT_EQ(ptcvm_value_from_json(text(R"({"n": 10})"), args.out(), nullptr), PTCVM_OK);
      EXPECT_EQ(ptcvm_call_change(call, {}), PTCVM_INVALID_VALUE);      // no map
      EXPECT_EQ(ptcvm_call_change(call, ptcvm_value_view(args)), PTCVM_OK);
      EXPECT_EQ(ptcvm_call_deny(call, text("twice")), PTCVM_WRONG_STATE);
    }
    if (n == 3) ptcvm_call_deny(call, text("not three"));
  };
  int judged = 0;
  options.before_tool_data = &judged;
  CRun run = started("[(tool/echo {:n 1}) (tool/echo {:n 2})]", options);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_COMPLETED) << fault(run);
  EXPECT_EQ(edn(ptcvm_run_result(run)), "[10 2]");
  CRun denied = started("(tool/echo {:n 3})", options);
  EXPECT_EQ(ptcvm_run_step(denied, PTCVM_ALL_FUEL), PTCVM_FAILED);
  EXPECT_NE(fault(denied).find("not three"), std::string::npos);
  EXPECT_EQ(judged, 3);
}

// ---- Events

TEST_F(CRunTest, EventsArePulledFromABoundedQueue) {
  tool("t", "", [](void*, ptcvm_call* call) { ptcvm_call_answer(call, {}); });
  auto options = initialised<ptcvm_run_options>();
  options.event_capacity = 4;
  CRun run = started("(doseq [i (range 200)] (tool/t {:i i}))", options);
  std::vector<std::string> names;
  std::size_t full = 0, most = 0;
  for (ptcvm_state state = PTCVM_YIELDED; state == PTCVM_YIELDED; ++full) {
    state = ptcvm_run_step(run, PTCVM_ALL_FUEL);
    EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), state);    // full: nothing goes on
    auto event = initialised<ptcvm_event>();
    std::size_t taken = 0;
    while (ptcvm_run_next_event(run, &event) == 1) {
      ++taken;
      EXPECT_EQ(event.sequence, names.size() + 1);
      names.push_back(str(ptcvm_event_name(event.kind)));
      if (event.kind == PTCVM_EVENT_TOOL_START) {
        EXPECT_EQ(edn(event.args), "{\"i\" " + std::to_string(names.size() / 2 - 1) + "}");
        CBuffer json;
        ASSERT_EQ(ptcvm_run_event_json(run, json.out(), nullptr), PTCVM_OK);
        EXPECT_NE(str(ptcvm_buffer_text(json)).find("\"tool_start\""), std::string::npos);
      }
    }
    most = std::max(most, taken);
  }
  ASSERT_EQ(names.size(), 402u);
  EXPECT_EQ(names.front() + ' ' + names[1] + ' ' + names[2] + ' ' + names.back(),
            "run_start tool_start tool_end run_end");
  EXPECT_GT(full, 2u);
  EXPECT_LT(most, 402u);

  CRun quiet = started("1");
  auto event = initialised<ptcvm_event>();
  ptcvm_run_step(quiet, PTCVM_ALL_FUEL);
  EXPECT_EQ(ptcvm_run_next_event(quiet, &event), 0);
  CBuffer json;
  EXPECT_EQ(ptcvm_run_event_json(quiet, json.out(), nullptr), PTCVM_INVALID_ARGUMENT);
  CRun unread = started("(tool/t {})", options);              // dropped with what waits
  ptcvm_run_step(unread, PTCVM_ALL_FUEL);
}

TEST_F(CRunTest, LinesOfEventsHaveEverythingThatTheEventHad) {
  tool("t", "", [](void*, ptcvm_call* call) { ptcvm_call_answer(call, {}); });
  auto options = initialised<ptcvm_run_options>();
  options.event_capacity = 100;
  CRun run = started("(defn f [x] (+ x 1)) (tool/t {:i 1}) (f :a)", options);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_FAILED);
  std::string lines;
  auto event = initialised<ptcvm_event>();
  while (ptcvm_run_next_event(run, &event) == 1) {
    CBuffer json;
    ASSERT_EQ(ptcvm_run_event_json(run, json.out(), nullptr), PTCVM_OK);
    lines += str(ptcvm_buffer_text(json)) + '\n';
  }
  EXPECT_NE(lines.find(R"("event":"tool_start","run":"run","turn":1,"name":"t","id":"c1","path":"0",)"),
            std::string::npos)
      << lines;
  EXPECT_NE(lines.find(R"("stack":"f 1:13 < program 1:38","found":":a")"), std::string::npos) << lines;
}

// ---- Sessions

TEST_F(CRunTest, ASessionGoesFromTurnToTurn) {
  deferred("ask", PTCVM_ASYNC);
  auto options = initialised<ptcvm_run_options>();
  options.tools = tools_;
  CSession session;
  ASSERT_EQ(ptcvm_session_new(engine_, &options, session.out(), nullptr), PTCVM_OK);
  ptcvm_run* const run = ptcvm_session_run(session);
  EXPECT_EQ(ptcvm_session_eval(session, text("(def x 20)"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_session_eval(session, text("(+ x 1)"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_get_state(run), PTCVM_COMPLETED);
  EXPECT_EQ(edn(ptcvm_run_result(run)), "21");
  ptcvm_run_free(run);                                        // the session's: nothing happens
  EXPECT_EQ(ptcvm_session_eval(session, text("(+ y 1)"), error_.out()), PTCVM_INVALID_PROGRAM);
  auto diagnostic = initialised<ptcvm_diagnostic>();
  EXPECT_EQ(ptcvm_error_diagnostic(error_, &diagnostic), 1);

  EXPECT_EQ(ptcvm_session_eval(session, text("(defn f [x] (+ x nil))\n(f 1)"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_diagnostic(run, &diagnostic), 1);
  auto frame = initialised<ptcvm_call_frame>();
  ASSERT_EQ(ptcvm_run_call_frame(run, 0, &frame), 1);
  EXPECT_EQ(std::string_view(frame.name.data, frame.name.size), "f");
  EXPECT_EQ(frame.column, 13u);
  ASSERT_EQ(ptcvm_run_call_frame(run, 1, &frame), 1);
  EXPECT_EQ(std::string_view(frame.name.data, frame.name.size), "program");
  EXPECT_EQ(frame.line, 2u);
  EXPECT_EQ(ptcvm_run_call_frame(run, 2, &frame), 0);
  EXPECT_EQ(ptcvm_run_call_frame(nullptr, 0, &frame), 0);

  EXPECT_EQ(ptcvm_session_eval(session, text("(await (tool/ask {}))"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_get_state(run), PTCVM_YIELDED);
  EXPECT_EQ(ptcvm_session_begin(session, text("1"), error_.out()), PTCVM_WRONG_STATE);
  EXPECT_EQ(ptcvm_run_answer_pending(run, waiting_call(run), {}, nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_SUSPENDED);
  const std::string state = snapshot(run);
  auto restore = initialised<ptcvm_restore_options>();
  restore.tools = tools_;
  CSession again;
  ASSERT_EQ(ptcvm_session_restore(engine_, text(state), &restore, again.out(), error_.out()), PTCVM_OK) << message();
  ptcvm_run* const there = ptcvm_session_run(again);
  ASSERT_EQ(ptcvm_run_pending_count(there), 1u);
  auto seen = initialised<ptcvm_pending_operation>();
  ASSERT_EQ(ptcvm_run_pending_at(there, 0, &seen), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_resolve_edn(there, seen.id, text("5"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_run_step(there, PTCVM_ALL_FUEL), PTCVM_COMPLETED) << fault(there);
  CBuffer definitions;
  ASSERT_EQ(ptcvm_session_definitions_edn(again, definitions.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(str(ptcvm_buffer_text(definitions)), "{:x 20}");
}

}  // namespace
}  // namespace ptcvm
