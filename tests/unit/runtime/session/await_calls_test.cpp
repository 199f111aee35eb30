// Calls that open operations: auto tools, records, keys, attaching after a crash, limits, what is left at the end.
#include "tests/unit/runtime/session/await_fixture.h"

namespace ptc::test {
namespace {

class AwaitCalls : public AwaitTest {
 protected:
  void SetUp() override {
    session();
    async_tool("call", "c");
  }
};

TEST_F(AwaitCalls, auto_tools_wait_at_their_call) {
  int calls_made = 0;
  add("look", AsyncMode::Auto, [&calls_made](const ToolCall&) {
    return ++calls_made == 1 ? ToolReply::value(Value::integer(1)) : ToolReply::pending();
  });
  EXPECT_EQ(run("[(tool/look {}) (tool/look {}) (map tool/look [{:a 1}])]"), "|| op1");
  EXPECT_EQ(resume("op1", "2"), "|| op2");
  EXPECT_EQ(resume("op2", "3"), "= [1 2 [3]]");
  EXPECT_EQ(run("(+ 1\n (tool/look {}))"), "|| op3");
  EXPECT_EQ(resume({error("op3", "busy")}), "!! tool_error Tool 'look' failed: busy (pending op3)");
  EXPECT_EQ(place(), "2:2");
  EXPECT_EQ(run("(pmap tool/look [{:a 1} {:a 2}])"), "|| op4.0.1 op4.1.1");
  EXPECT_EQ(resume("op4.1.1", "2"), "|| op4.0.1");
  EXPECT_EQ(resume("op4.0.1", "1"), "= [1 2]");
}

TEST_F(AwaitCalls, an_auto_tool_needs_a_frame) {
  SessionOptions options;
  options.limits.depth = 1;
  open(options);
  async_tool("look", "l", "nil", AsyncMode::Auto);
  EXPECT_EQ(run("(tool/look {})"), "!! recursion_limit_exceeded calls are nested more than 1 deep");
  EXPECT_EQ(waiting(), "l1");
}

TEST_F(AwaitCalls, a_tool_that_is_not_async_may_not_give_an_operation) {
  async_tool("plain", "p", "nil", AsyncMode::No);
  EXPECT_EQ(run("(tool/plain {})"),
            "!! unexpected_pending tool/plain returned a pending operation but is not declared async");
  EXPECT_EQ(waiting(), "p1");
}

TEST_F(AwaitCalls, an_async_tool_that_fails_at_once_fails_at_the_await) {
  add("bad", AsyncMode::Yes, [](const ToolCall&) { return ToolReply::error("down"); });
  EXPECT_EQ(run("(:status (await-settled (tool/bad {})))"), "= :error");
  EXPECT_EQ(run("(let [h (tool/bad {})] (println \"on\") (await h))"),
            "!! tool_error Tool 'bad' failed: down (pending op2)");
  EXPECT_EQ(last.prints, Texts{"on"});
  EXPECT_EQ(last.tool_calls[0].error, "Tool 'bad' failed: down (pending op2)");
}

TEST_F(AwaitCalls, records_hold_what_a_call_came_to) {
  EXPECT_EQ(run("(let [a (tool/call {:n 1}) b (tool/call {:n 2}) c (tool/call {:n 3})]"
                "  (await-settled b) (await a))"),
            "|| c2");
  ASSERT_EQ(last.tool_calls.size(), 3u);
  EXPECT_EQ(last.tool_calls[0].result_edn, "(pending \"c1\")");
  EXPECT_EQ(resume({error("c2", "busy")}), "|| c1");
  EXPECT_EQ(resume("c1", "5"), "= 5");
  EXPECT_EQ(last.tool_calls[0].result_edn, "5");
  EXPECT_EQ(last.tool_calls[1].error, "Tool 'call' failed: busy (pending c2)");
  EXPECT_EQ(last.tool_calls[2].result_edn, "(pending \"c3\")");
}

TEST_F(AwaitCalls, keys_of_calls_say_where_they_are) {
  sync_tool("t", "1");
  session().journal().enable();
  EXPECT_EQ(run("(tool/t {}) (task \"a\" (do (tool/t {}) (task \"b\" (tool/t {})) (tool/t {})))"
                "(pmap (fn [x] (tool/t {:x x}) (pmap tool/t [{:y 1}])) [1 2]) (pcalls (fn [] (task \"c\" (tool/t {}))))"
                "(task \"d\" (pmap tool/t [{:z 1} {:z 2}])) (tool/t {}) nil"),
            "= nil");
  EXPECT_EQ(keys, (Texts{"run:run@1#0", "task:a#0", "task:b#0", "task:a#1", "run:run@1#1.0.0", "run:run@1#1.1.0",
                         "run:run@1#1.0.1.0.0", "run:run@1#1.1.1.0.0", "task:c#0", "task:d#0.0.0", "task:d#0.1.0",
                         "run:run@1#3"}));
  EXPECT_EQ(run("(tool/t {}) nil"), "= nil");
  EXPECT_EQ(keys.back(), "run:run@2#0");
}

class AwaitAttach : public AwaitCalls {
 protected:
  // The same host after a crash: only the table of operations is left.
  void crash() {
    const std::string table = session().operations().json();
    open();
    async_tool("call", "n");
    session().journal().enable();
    ASSERT_EQ(session().operations().load(table), std::nullopt) << table;
  }
};

TEST_F(AwaitAttach, several_calls_of_one_task_are_found_by_their_places) {
  session().journal().enable();
  const std::string_view program =
      "(task \"t\" (let [a (tool/call {:n 1}) b (tool/call {:n 2})] (await-all (conj (pmap tool/call [{:n 3}]) b a))))";
  EXPECT_EQ(run(program), "|| c1 c2 c3");
  crash();
  EXPECT_EQ(run(program), "|| c1 c2 c3");
  EXPECT_TRUE(calls.empty());
  EXPECT_EQ(last.tool_calls.size(), 3u);
  EXPECT_TRUE(last.tool_calls[0].cached);
}

TEST_F(AwaitAttach, another_call_at_the_same_place_diverges) {
  session().journal().enable();
  EXPECT_EQ(run("(task \"t\" (await (tool/call {:to \"a\"})))"), "|| c1");
  crash();
  EXPECT_EQ(run("(task \"t\" (await (tool/call {:to \"b\"})))"),
            "!! task_diverged task \"t\" first called call {\"to\" \"a\"}, now call {\"to\" \"b\"}");
  EXPECT_EQ(last.fault.hint, "use (task-reset \"t\") to start over");
  EXPECT_TRUE(calls.empty());
  EXPECT_EQ(run("(task-reset \"t\") (task \"t\" (await (tool/call {:to \"b\"})))"), "|| n1");
  EXPECT_EQ(calls.size(), 1u);
}

TEST_F(AwaitAttach, a_failed_turn_is_tried_again_with_the_same_operation) {
  session().journal().enable();
  EXPECT_EQ(run("(task \"t\" (do (tool/call {}) (+ 1 nil)))").substr(0, 13), "!! type_error");
  EXPECT_EQ(run("(task \"t\" (await (tool/call {})))"), "|| c1");
  EXPECT_EQ(calls.size(), 1u);
}

TEST_F(AwaitAttach, what_a_committed_task_opened_is_done_with) {
  EXPECT_EQ(run("(task \"t\" (tool/call {}))"), "= (pending \"c1\")");
  EXPECT_EQ(run("(task \"t\" (tool/call {}))"), "= (pending \"c2\")");     // no journal: tasks run again
  session().journal().enable();
  EXPECT_EQ(run("(task \"u\" (return (do (tool/call {}) 1)))"), "return 1");
  EXPECT_EQ(run("(do (task-reset \"u\") (task \"u\" (tool/call {})))"), "= (pending \"c4\")");
}

TEST_F(AwaitAttach, calls_of_one_turn_are_apart_even_with_equal_names) {
  EXPECT_EQ(run("(pmap (fn [x] (task \"same\" (await (tool/call {:x x})))) [1 2])"), "|| c1 c2");
}

TEST_F(AwaitAttach, sleeps_signals_and_auto_calls_are_found_again) {
  const std::string_view program = "(task \"t\" (do (sleep 50) (await-signal \"go\")))";
  session().journal().enable();
  EXPECT_EQ(run(program), "|| op1");
  crash();
  EXPECT_EQ(run(program), "|| op1");
  EXPECT_EQ(last.pending[0].deadline_ms, kStart + 50);
  EXPECT_EQ(resume_at(kStart + 50), "|| op2");
  crash();
  EXPECT_EQ(run(program), "|| op2");
  EXPECT_EQ(resume("op2", "7"), "= 7");

  async_tool("auto", "a", "nil", AsyncMode::Auto);
  EXPECT_EQ(run("(task \"x\" (+ 1 (tool/auto {})))"), "|| a1");
  crash();
  EXPECT_EQ(run("(task \"x\" (+ 1 (tool/auto {})))").substr(0, 15), "!! unknown_tool");
  async_tool("auto", "a", "nil", AsyncMode::Auto);
  EXPECT_EQ(run("(task \"x\" (+ 1 (tool/auto {})))"), "|| a1");
  EXPECT_TRUE(calls.empty());
  EXPECT_EQ(resume("a1", "1"), "= 2");
}

TEST_F(AwaitAttach, the_same_id_with_the_same_key_attaches_another_key_is_refused) {
  session().journal().enable();
  add("keyed", AsyncMode::Yes, [](const ToolCall&) { return ToolReply::pending("k"); });
  EXPECT_EQ(run("(task \"t\" (do (tool/keyed {}) (+ 1 nil)))").substr(0, 13), "!! type_error");
  EXPECT_EQ(run("(do (task-reset \"t\") (task \"t\" (pending-id (tool/keyed {}))))"), "= \"k\"");
  EXPECT_EQ(calls.size(), 2u);
  EXPECT_EQ(run("(tool/keyed {})").substr(0, 23), "!! duplicate_pending_id");
}

TEST_F(AwaitCalls, a_table_of_operations_is_checked) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"{}", "the operations must be a JSON list"},
      {"[1]", "operation 1: must be an object"},
      {"[{}]", "operation 1: id must be a string that is not empty"},
      {R"([{"id":"a","kind":"x","status":"ok"}])", "operation 1: kind must be one of the known words"},
      {R"([{"id":"a","kind":"tool","status":"ok"}])", "operation 1: sequence must be above 0"},
      {R"([{"id":"a","kind":"tool","status":"waiting","args_edn":"7"}])", "operation 1: args_edn must be a map"},
      {R"([{"id":"a","kind":"tool","status":"waiting","immediate_edn":"#inst \"x\""}])",
       "operation 1: immediate_edn must be EDN text"},
      {R"([{"id":"a","kind":"tool","status":"waiting"},{"id":"a","kind":"tool","status":"waiting"}])",
       "operation 2: another one has its id"},
  };
  for (const auto& [text, problem] : cases) {
    open();
    EXPECT_EQ(session().operations().load(text), problem) << text;
  }
}

TEST_F(AwaitCalls, handles_do_not_leave_the_program) {
  EXPECT_EQ(run("(return {:a [(tool/call {})]})"),
            "!! pending_in_return return: the value at [:a 0] is a pending operation (c1); await it first");
  EXPECT_EQ(run("(fail (pending \"c1\"))"),
            "!! pending_in_return fail: the value is a pending operation (c1); await it first");
  SessionOptions options;
  options.signature = "{h :any}";
  open(options);
  async_tool("call", "c");
  EXPECT_EQ(run("(def x 1) {:h (tool/call {})}"),
            "!! pending_in_return the result at [:h] is a pending operation (c1); await it first");
  EXPECT_EQ(session().definitions().edn(), "{}");
}

TEST_F(AwaitCalls, outstanding_operations_can_be_an_error) {
  SessionOptions options;
  options.limits.outstanding = Outstanding::Error;
  open(options);
  async_tool("call", "c");
  EXPECT_EQ(run("(def x 1) (tool/call {}) 5"),
            "!! pending_outstanding the program ended while operations are pending: c1");
  EXPECT_EQ(session().definitions().edn(), "{}");
  EXPECT_EQ(run("(await \"c1\")"), "|| c1");
  EXPECT_EQ(resume("c1", "5"), "= 5");
}

TEST_F(AwaitCalls, losers_of_await_any_are_cancelled_when_the_host_wants_it) {
  SessionOptions options;
  options.limits.outstanding = Outstanding::Cancel;
  open(options);
  async_tool("call", "c");
  EXPECT_EQ(run("(let [hs [(tool/call {}) (tool/call {}) (tool/call {})] w (await-any hs)] (sleep 1) w)"),
            "|| c1 c2 c3");
  std::vector<Resolution> two;
  two.push_back(ok("c3", "3"));
  two.push_back(ok("c1", "1"));
  EXPECT_EQ(resume(std::move(two)), "|| op1");
  EXPECT_EQ(last.cancelled, Texts{"c2"});
  EXPECT_EQ(resolve(ok("c2", "2")), "already_resolved");
  EXPECT_EQ(resume_at(kStart + 1), "= {:id \"c3\" :index 2 :value 3}");
}

TEST_F(AwaitCalls, waiting_too_often_is_a_fault) {
  SessionOptions options;
  options.limits.suspensions = 2;
  open(options);
  async_tool("call", "c");
  EXPECT_EQ(run("(map #(await (tool/call {:n %})) [1 2 3])"), "|| c1");
  EXPECT_EQ(resume("c1", "1"), "|| c2");
  EXPECT_EQ(resume("c2", "2"),
            "!! suspension_limit_exceeded the program waited 2 times, which is the limit");
}

TEST_F(AwaitCalls, limits_of_the_whole_run_end_it_from_inside_of_a_branch) {
  SessionOptions options;
  options.limits.pending_operations = 2;
  open(options);
  async_tool("call", "c");
  EXPECT_EQ(run("(pmap #(await (tool/call {:n %})) (range 5))").substr(0, 25), "!! pending_limit_exceeded");
  EXPECT_EQ(calls.size(), 2u);
}

TEST_F(AwaitCalls, a_failing_branch_ends_the_form_and_keeps_the_records_of_the_others) {
  EXPECT_EQ(run("(pmap (fn [n] (println n) (let [r (await (tool/call {:n n}))] (if (= r 0) (+ 1 nil) r))) [1 2 3])"),
            "|| c1 c2 c3");
  EXPECT_EQ(resume("c2", "0").substr(0, 40), "!! pmap_error pmap: element 1: type_erro");
  EXPECT_EQ(waiting(), "c1 c3");
  EXPECT_EQ(last.prints, (Texts{"1", "2", "3"}));
  EXPECT_EQ(last.tool_calls.size(), 3u);
  EXPECT_EQ(run("(await \"c3\")"), "|| c3");
}

TEST_F(AwaitCalls, one_branch_evaluates_a_task_while_the_others_wait) {
  session().journal().enable();
  EXPECT_EQ(run("(pmap (fn [n] (task \"once\" (await (tool/call {})))) [1 2 3])"), "|| c1");
  EXPECT_EQ(resume("c1", "9"), "= [9 9 9]");
  EXPECT_EQ(calls.size(), 1u);
}

TEST_F(AwaitCalls, a_time_limit_of_the_turn_counts_running_time_only) {
  SessionOptions options;
  options.limits.timeout_ms = 60'000;
  open(options);
  async_tool("call", "c");
  EXPECT_EQ(run("(await (tool/call {}))"), "|| c1");
  EXPECT_EQ(resume({ok("c1", "1")}, kStart + 100'000'000), "= 1");
}

TEST_F(AwaitCalls, cancelling_the_program_ends_its_wait) {
  std::atomic<bool> cancelled{false};
  session().clock().set_cancel_flag(&cancelled);
  EXPECT_EQ(run("(def x 1) (await (tool/call {}))"), "|| c1");
  cancelled = true;
  EXPECT_EQ(resume_at(kStart).substr(0, 12), "!! cancelled");
  cancelled = false;
  EXPECT_EQ(session().definitions().edn(), "{}");
  EXPECT_EQ(run("(await \"c1\")"), "|| c1");
}

TEST_F(AwaitCalls, a_new_turn_gives_a_suspended_one_up) {
  EXPECT_EQ(run("(def x 1) (await (tool/call {}))"), "|| c1");
  EXPECT_EQ(run("2"), "= 2");
  EXPECT_EQ(session().definitions().edn(), "{}");
  EXPECT_EQ(waiting(), "c1");
}

TEST_F(AwaitCalls, parallel_forms_inside_of_each_other_are_bounded) {
  EXPECT_EQ(run("(defn f [n] (pmap (fn [x] (f (inc n))) [1])) (f 0)").substr(0, 13), "!! pmap_error");
  EXPECT_NE(last.fault.message.find("nested more than 256 deep"), std::string::npos);
  sync_tool("t", "1");
  EXPECT_EQ(run("(pmap tool/t [{:a 1} {:a 2}])"), "= [1 1]");
}

}  // namespace
}  // namespace ptc::test
