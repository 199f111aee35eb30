// Rules of operations beyond the examples: resolving, time, sleeps, signals, auto tools, attaching, limits, ends of turns.
#include "tests/unit/runtime/await_fixture.h"

namespace ptc::test {
namespace {

class AwaitRules : public AwaitTest {
 protected:
  void SetUp() override {
    session();
    async_tool("call", "c");
  }

  // The kind of the refusal, or "done".
  std::string resolve(std::vector<Resolution> resolutions) {
    const auto refusal = session().resolve(std::move(resolutions));
    return refusal ? std::string(fault_name(refusal->kind)) : "done";
  }
  std::string resolve(Resolution resolution) {
    std::vector<Resolution> one;
    one.push_back(std::move(resolution));
    return resolve(std::move(one));
  }
};

TEST_F(AwaitRules, the_same_resolution_again_changes_nothing_another_is_refused) {
  EXPECT_EQ(run("(tool/call {}) (tool/call {}) (tool/call {}) nil"), "= nil");
  EXPECT_EQ(resolve(ok("c1", "{:a [1 2.0]}")), "done");
  EXPECT_EQ(resolve(ok("c1", "{:a [1 2.0]}")), "done");
  EXPECT_EQ(resolve(ok("c1", "{:a [1 2]}")), "already_resolved");
  EXPECT_EQ(resolve(error("c1", "x")), "already_resolved");
  EXPECT_EQ(resolve(Resolution::cancel("c1")), "already_resolved");
  EXPECT_EQ(resolve(Resolution::progress("c1", Value::nil())), "already_resolved");
  EXPECT_EQ(resolve(error("c2", "busy")), "done");
  EXPECT_EQ(resolve(error("c2", "busy")), "done");
  EXPECT_EQ(resolve(error("c2", "full")), "already_resolved");
  EXPECT_EQ(resolve(Resolution::cancel("c3", "why")), "done");
  EXPECT_EQ(resolve(Resolution::cancel("c3", "why")), "done");
  EXPECT_EQ(resolve(ok("c9", "1")), "unknown_operation");
  EXPECT_EQ(run("(await \"c1\")"), "= {:a [1 2.0]}");
  EXPECT_EQ(run("(await \"c2\")"), "!! tool_error Tool 'call' failed: busy (pending c2)");
  EXPECT_EQ(run("(await \"c3\")"), "!! await_cancelled c3 (call) was cancelled: why");
}

TEST_F(AwaitRules, resolutions_are_taken_together_or_not_at_all) {
  EXPECT_EQ(run("(let [a (tool/call {}) b (tool/call {})] [(await a) (await b)])"), "|| c1");
  std::vector<Resolution> some;
  some.push_back(ok("c1", "1"));
  some.push_back(ok("nope", "2"));
  EXPECT_EQ(resume(std::move(some)),
            "!! unknown_operation operation \"nope\" is unknown. Known: c1 (call), c2 (call)");
  EXPECT_EQ(waiting(), "c1 c2");
  EXPECT_TRUE(session().suspended());
  std::vector<Resolution> twice;
  twice.push_back(ok("c1", "1"));
  twice.push_back(ok("c1", "2"));
  EXPECT_EQ(resolve(std::move(twice)), "already_resolved");
  std::vector<Resolution> good;
  good.push_back(ok("c1", "1"));
  good.push_back(ok("c1", "1"));
  good.push_back(ok("c2", "2"));
  EXPECT_EQ(resume(std::move(good)), "= [1 2]");
}

TEST_F(AwaitRules, results_are_plain_data_of_a_bounded_size) {
  SessionOptions options;
  options.max_result_bytes = 100;
  open(options);
  async_tool("call", "c");
  EXPECT_EQ(run("(await (tool/call {}))"), "|| c1");
  EXPECT_EQ(resolve(ok("c1", '"' + std::string(200, 'x') + '"')), "result_too_large");
  EXPECT_EQ(resolve(Resolution::ok("c1", Value::date(1))), "invalid_tool");
  EXPECT_EQ(resume("c1", "\"x\""), "= \"x\"");
}

TEST_F(AwaitRules, nothing_runs_when_nothing_is_suspended) {
  EXPECT_EQ(resume_at(kStart), "!! bad_request no turn is suspended");
  EXPECT_EQ(run("1"), "= 1");
  EXPECT_EQ(resume_at(kStart), "!! bad_request no turn is suspended");
}

TEST_F(AwaitRules, results_and_progress_show_only_after_a_suspension) {
  add("now", AsyncMode::No, [this](const ToolCall&) {
    std::vector<Resolution> progress;
    progress.push_back(Resolution::progress("c1", value("{:status \"half\"}")));
    session().resolve(std::move(progress));
    std::vector<Resolution> result;
    result.push_back(ok("c2", "7"));
    session().resolve(std::move(result));
    return ToolReply::value(Value::nil());
  });
  EXPECT_EQ(run("(let [a (tool/call {}) b (tool/call {})] (tool/now {})"
                "  [(:status a) (resolved? b) (await b) (:status a) (resolved? b) (resolved? \"c1\")])"),
            "= [nil false 7 \"half\" true false]");
}

TEST_F(AwaitRules, fields_of_a_handle_in_every_way_to_read_them) {
  async_tool("dial", "d", "{:status \"dialing\" \"line\" {:n 1}}");
  EXPECT_EQ(run("(let [h (tool/dial {}) {:keys [status missing] :or {missing 5}} h]"
                "  [status missing (get h :line) (get-in h [:line :n]) (:nothing h 3) (select-keys h [:status])"
                "   (count (sort-by :status [h h])) (pluck :status [h])"
                "   (count (filter (where :status = \"dialing\") [h])) (h :status)])"),
            "!! type_error a pending operation is not callable; use (await …)");
  EXPECT_EQ(run("(let [h (tool/dial {}) {:keys [status missing] :or {missing 5}} h]"
                "  [status missing (get h :line) (get-in h [:line :n]) (:nothing h 3) (select-keys h [:status])"
                "   (count (sort-by :status [h h])) (pluck :status [h])"
                "   (count (filter (where :status = \"dialing\") [h]))])"),
            "= [\"dialing\" 5 {:n 1} 1 3 {:status \"dialing\"} 2 [\"dialing\"] 1]");
}

TEST_F(AwaitRules, handles_are_values) {
  EXPECT_EQ(run("(let [h (tool/call {})] [(= h (pending \"c1\")) (type h) (if h 1 2) (pr-str h) (pending? h)])"),
            "= [true :pending 1 \"(pending \\\"c1\\\")\" true]");
  EXPECT_EQ(run("(map (fn [f] (f \"c1\")) [resolved? pending])"), "= [false (pending \"c1\")]");
}

TEST_F(AwaitRules, plain_values_and_ids_inside_of_collections) {
  EXPECT_EQ(run("(do (tool/call {}) (await-all [1 \"c1\" \"c9\" nil]))"), "|| c1");
  EXPECT_EQ(resume("c1", "2"), "= [1 2 \"c9\" nil]");
  EXPECT_EQ(run("[(await-all []) (await-all {}) (await-all nil) (await-settled []) (await-any [\"c1\"])]"),
            "= [[] {} [] [] {:id \"c1\" :index 0 :value 2}]");
  EXPECT_EQ(run("(await-all [(pending \"c1\") [(tool/call {})]])"), "= [2 [(pending \"c2\")]]");
  EXPECT_EQ(run("(await-settled [(tool/call {}) 5])"), "|| c3");
  EXPECT_EQ(resume({Resolution::cancel("c3", "why")}),
            "= [{:reason \"cancelled: why\" :status :error} {:status :ok :value 5}]");
  EXPECT_EQ(run("(await-settled {:x (tool/call {})})"), "|| c4");
  EXPECT_EQ(resume("c4", "nil"), "= {:x {:status :ok :value nil}}");
  EXPECT_EQ(run("(await-settled \"c4\")"), "= {:status :ok :value nil}");
}

TEST_F(AwaitRules, wrong_arguments_are_named) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"(await {})", "!! type_error await: expected a pending handle or id, got map"},
      {"(await nil)", "!! type_error await: expected a pending handle or id, got nil"},
      {"(await-all \"c1\")", "!! type_error await-all: expected a vector or map of handles, got string"},
      {"(await-any {:a 1})", "!! type_error await-any: expected a vector of handles, got map"},
      {"(await-any [])", "!! type_error await-any: there is nothing to wait for"},
      {"(await-settled 5)",
       "!! type_error await-settled: expected a handle, or a vector or map of handles, got number"},
      {"(await (tool/call {}) 5)", "!! type_error await: arg 2 expected map of options, got number"},
      {"(await \"c1\" {:timeout 5})", "!! type_error await: unknown option :timeout"},
      {"(await \"c1\" {:timeout-ms -1})",
       "!! type_error await: :timeout-ms expected a whole number of milliseconds, got number"},
      {"(await-settled [] {:default 1})", "!! type_error await-settled: unknown option :default"},
      {"(sleep -1)", "!! type_error sleep: arg 1 expected a whole number of milliseconds, got -1"},
      {"(sleep :a)", "!! type_error sleep: arg 1 expected a whole number of milliseconds, got keyword"},
      {"(await-signal 5)", "!! type_error await-signal: arg 1 expected the name of a signal, got number"},
      {"(await)", "!! arity_error await expects 1 to 2 arguments, got 0"},
  };
  for (const auto& [program, expected] : cases) EXPECT_EQ(run(program), expected) << program;
}

TEST_F(AwaitRules, time_limits) {
  EXPECT_EQ(run("(await-all [(tool/call {}) (tool/call {})] {:timeout-ms 10})"), "|| c1 c2");
  EXPECT_EQ(resume("c1", "1"), "|| c2");
  EXPECT_EQ(resume_at(kStart + 10), "!! await_timeout c2 (call) not resolved within 10ms");
  EXPECT_EQ(run("(await-settled [\"c1\" \"c2\"] {\"timeout-ms\" 10})"), "|| c2");
  EXPECT_EQ(resume_at(kStart + 10), "= [{:status :ok :value 1} {:status :timeout}]");
  EXPECT_EQ(run("(await-any [\"c2\"] {:timeout-ms 0 :default nil})"), "|| c2");
  EXPECT_EQ(resume_at(kStart), "= nil");
  EXPECT_EQ(run("(await \"c2\" {:timeout-ms 9223372036854775807})"), "|| c2");
  EXPECT_EQ(resume({ok("c2", "2")}, kStart + 10), "= 2");
}

TEST_F(AwaitRules, a_result_wins_over_a_deadline_that_passes_with_it) {
  EXPECT_EQ(run("(await (tool/call {}) {:timeout-ms 10 :default :late})"), "|| c1");
  EXPECT_EQ(resume({ok("c1", "1")}, kStart + 99), "= 1");
}

TEST_F(AwaitRules, the_run_gives_a_time_limit_to_awaits_without_one) {
  SessionOptions options;
  options.limits.await_timeout_ms = 50;
  open(options);
  async_tool("call", "c");
  async_tool("slow", "s", "nil", AsyncMode::Auto);
  EXPECT_EQ(run("(await (tool/call {}))"), "|| c1");
  EXPECT_EQ(resume_at(kStart + 50), "!! await_timeout c1 (call) not resolved within 50ms");
  EXPECT_EQ(run("(tool/slow {})"), "|| s1");
  EXPECT_EQ(resume_at(kStart + 50), "|| s1");
}

TEST_F(AwaitRules, operations_expire) {
  add("brief", AsyncMode::Yes, [](const ToolCall&) { return ToolReply::pending("b1", Value::nil(), 20); });
  EXPECT_EQ(run("(await (tool/brief {}))"), "|| b1");
  EXPECT_EQ(last.next_deadline_ms, std::nullopt);
  EXPECT_EQ(resume_at(kStart + 19), "|| b1");
  EXPECT_EQ(resume_at(kStart + 20), "!! await_timeout b1 (brief) expired before it was resolved");
  EXPECT_EQ(resolve(ok("b1", "1")), "already_resolved");
  EXPECT_EQ(run("[(await-settled \"b1\") (await \"b1\" {:default 5})]"), "= [{:status :timeout} 5]");
}

TEST_F(AwaitRules, sleep_is_over_when_its_time_has_come) {
  EXPECT_EQ(run("(do (println 1) [(sleep 100) (System/currentTimeMillis)])"), "|| op1");
  ASSERT_EQ(last.pending.size(), 1u);
  EXPECT_EQ(last.pending[0].tool, "sleep");
  EXPECT_EQ(last.pending[0].args_json, "{\"ms\":100}");
  EXPECT_EQ(last.next_deadline_ms, kStart + 100);
  EXPECT_EQ(resume_at(kStart + 99), "|| op1");
  EXPECT_EQ(resume_at(kStart + 500), "= [nil " + std::to_string(kStart + 500) + "]");
  EXPECT_EQ(run("(sleep 0)"), "|| op2");
  EXPECT_EQ(resume_at(kStart), "= nil");
}

TEST_F(AwaitRules, a_signal_is_resolved_by_its_operation) {
  EXPECT_EQ(run("(await-signal \"approved\")"), "|| op1");
  EXPECT_EQ(last.pending[0].tool, "await-signal");
  EXPECT_EQ(last.pending[0].args_json, "{\"name\":\"approved\"}");
  EXPECT_EQ(resume("op1", "{:by \"me\"}"), "= {:by \"me\"}");
  EXPECT_EQ(run("(await-signal :go {:timeout-ms 5 :default 0})"), "|| op2");
  EXPECT_EQ(resume_at(kStart + 5), "= 0");
  EXPECT_EQ(run("(await-signal \"x\")"), "|| op3");
  EXPECT_EQ(resume({error("op3", "no")}), "!! tool_error await-signal failed: no (pending op3)");
}

TEST_F(AwaitRules, auto_tools_wait_at_their_call) {
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

TEST_F(AwaitRules, an_auto_tool_needs_a_frame) {
  SessionOptions options;
  options.limits.depth = 1;
  open(options);
  async_tool("look", "l", "nil", AsyncMode::Auto);
  EXPECT_EQ(run("(tool/look {})"), "!! recursion_limit_exceeded calls are nested more than 1 deep");
  EXPECT_EQ(waiting(), "l1");
}

TEST_F(AwaitRules, a_tool_that_is_not_async_may_not_give_an_operation) {
  async_tool("plain", "p", "nil", AsyncMode::No);
  EXPECT_EQ(run("(tool/plain {})"),
            "!! unexpected_pending tool/plain returned a pending operation but is not declared async");
  EXPECT_EQ(waiting(), "p1");
}

TEST_F(AwaitRules, an_async_tool_that_fails_at_once_fails_at_the_await) {
  add("bad", AsyncMode::Yes, [](const ToolCall&) { return ToolReply::error("down"); });
  EXPECT_EQ(run("(:status (await-settled (tool/bad {})))"), "= :error");
  EXPECT_EQ(run("(let [h (tool/bad {})] (println \"on\") (await h))"),
            "!! tool_error Tool 'bad' failed: down (pending op2)");
  EXPECT_EQ(last.prints, Texts{"on"});
  EXPECT_EQ(last.tool_calls[0].error, "Tool 'bad' failed: down (pending op2)");
}

TEST_F(AwaitRules, records_hold_what_a_call_came_to) {
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

TEST_F(AwaitRules, keys_of_calls_say_where_they_are) {
  sync_tool("t", "1");
  session().enable_journal();
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

class AwaitAttach : public AwaitRules {
 protected:
  // The same host after a crash: only the table of operations is left.
  void crash() {
    const std::string table = session().operations_json();
    open();
    async_tool("call", "n");
    session().enable_journal();
    ASSERT_EQ(session().load_operations(table), std::nullopt) << table;
  }
};

TEST_F(AwaitAttach, several_calls_of_one_task_are_found_by_their_places) {
  session().enable_journal();
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
  session().enable_journal();
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
  session().enable_journal();
  EXPECT_EQ(run("(task \"t\" (do (tool/call {}) (+ 1 nil)))").substr(0, 13), "!! type_error");
  EXPECT_EQ(run("(task \"t\" (await (tool/call {})))"), "|| c1");
  EXPECT_EQ(calls.size(), 1u);
}

TEST_F(AwaitAttach, what_a_committed_task_opened_is_done_with) {
  EXPECT_EQ(run("(task \"t\" (tool/call {}))"), "= (pending \"c1\")");
  EXPECT_EQ(run("(task \"t\" (tool/call {}))"), "= (pending \"c2\")");     // no journal: tasks run again
  session().enable_journal();
  EXPECT_EQ(run("(task \"u\" (return (do (tool/call {}) 1)))"), "return 1");
  EXPECT_EQ(run("(do (task-reset \"u\") (task \"u\" (tool/call {})))"), "= (pending \"c4\")");
}

TEST_F(AwaitAttach, calls_of_one_turn_are_apart_even_with_equal_names) {
  EXPECT_EQ(run("(pmap (fn [x] (task \"same\" (await (tool/call {:x x})))) [1 2])"), "|| c1 c2");
}

TEST_F(AwaitAttach, sleeps_signals_and_auto_calls_are_found_again) {
  const std::string_view program = "(task \"t\" (do (sleep 50) (await-signal \"go\")))";
  session().enable_journal();
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
  session().enable_journal();
  add("keyed", AsyncMode::Yes, [](const ToolCall&) { return ToolReply::pending("k"); });
  EXPECT_EQ(run("(task \"t\" (do (tool/keyed {}) (+ 1 nil)))").substr(0, 13), "!! type_error");
  EXPECT_EQ(run("(do (task-reset \"t\") (task \"t\" (pending-id (tool/keyed {}))))"), "= \"k\"");
  EXPECT_EQ(calls.size(), 2u);
  EXPECT_EQ(run("(tool/keyed {})").substr(0, 23), "!! duplicate_pending_id");
}

TEST_F(AwaitRules, a_table_of_operations_is_checked) {
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
    EXPECT_EQ(session().load_operations(text), problem) << text;
  }
}

TEST_F(AwaitRules, handles_do_not_leave_the_program) {
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
  EXPECT_EQ(session().memory_edn(), "{}");
}

TEST_F(AwaitRules, outstanding_operations_can_be_an_error) {
  SessionOptions options;
  options.limits.outstanding = Outstanding::Error;
  open(options);
  async_tool("call", "c");
  EXPECT_EQ(run("(def x 1) (tool/call {}) 5"),
            "!! pending_outstanding the program ended while operations are pending: c1");
  EXPECT_EQ(session().memory_edn(), "{}");
  EXPECT_EQ(run("(await \"c1\")"), "|| c1");
  EXPECT_EQ(resume("c1", "5"), "= 5");
}

TEST_F(AwaitRules, losers_of_await_any_are_cancelled_when_the_host_wants_it) {
  SessionOptions options;
  options.limits.outstanding = Outstanding::Cancel;
  open(options);
  async_tool("call", "c");
  EXPECT_EQ(run("(let [hs [(tool/call {}) (tool/call {}) (tool/call {})] w (await-any hs)] (sleep 1) w)"), "|| c1 c2 c3");
  std::vector<Resolution> two;
  two.push_back(ok("c3", "3"));
  two.push_back(ok("c1", "1"));
  EXPECT_EQ(resume(std::move(two)), "|| op1");
  EXPECT_EQ(last.cancelled, Texts{"c2"});
  EXPECT_EQ(resolve(ok("c2", "2")), "already_resolved");
  EXPECT_EQ(resume_at(kStart + 1), "= {:id \"c3\" :index 2 :value 3}");
}

TEST_F(AwaitRules, waiting_too_often_is_a_fault) {
  SessionOptions options;
  options.limits.suspensions = 2;
  open(options);
  async_tool("call", "c");
  EXPECT_EQ(run("(map #(await (tool/call {:n %})) [1 2 3])"), "|| c1");
  EXPECT_EQ(resume("c1", "1"), "|| c2");
  EXPECT_EQ(resume("c2", "2"),
            "!! suspension_limit_exceeded the program waited 2 times, which is the limit");
}

TEST_F(AwaitRules, limits_of_the_whole_run_end_it_from_inside_of_a_branch) {
  SessionOptions options;
  options.limits.pending = 2;
  open(options);
  async_tool("call", "c");
  EXPECT_EQ(run("(pmap #(await (tool/call {:n %})) (range 5))").substr(0, 25), "!! pending_limit_exceeded");
  EXPECT_EQ(calls.size(), 2u);
}

TEST_F(AwaitRules, a_failing_branch_ends_the_form_and_keeps_the_records_of_the_others) {
  EXPECT_EQ(run("(pmap (fn [n] (println n) (let [r (await (tool/call {:n n}))] (if (= r 0) (+ 1 nil) r))) [1 2 3])"),
            "|| c1 c2 c3");
  EXPECT_EQ(resume("c2", "0").substr(0, 40), "!! pmap_error pmap: element 1: type_erro");
  EXPECT_EQ(waiting(), "c1 c3");
  EXPECT_EQ(last.prints, (Texts{"1", "2", "3"}));
  EXPECT_EQ(last.tool_calls.size(), 3u);
  EXPECT_EQ(run("(await \"c3\")"), "|| c3");
}

TEST_F(AwaitRules, one_branch_evaluates_a_task_while_the_others_wait) {
  session().enable_journal();
  EXPECT_EQ(run("(pmap (fn [n] (task \"once\" (await (tool/call {})))) [1 2 3])"), "|| c1");
  EXPECT_EQ(resume("c1", "9"), "= [9 9 9]");
  EXPECT_EQ(calls.size(), 1u);
}

TEST_F(AwaitRules, a_time_limit_of_the_turn_counts_running_time_only) {
  SessionOptions options;
  options.timeout = std::chrono::milliseconds(60'000);
  open(options);
  async_tool("call", "c");
  EXPECT_EQ(run("(await (tool/call {}))"), "|| c1");
  EXPECT_EQ(resume({ok("c1", "1")}, kStart + 100'000'000), "= 1");
}

TEST_F(AwaitRules, cancelling_the_program_ends_its_wait) {
  std::atomic<bool> cancelled{false};
  session().set_cancel_flag(&cancelled);
  EXPECT_EQ(run("(def x 1) (await (tool/call {}))"), "|| c1");
  cancelled = true;
  EXPECT_EQ(resume_at(kStart).substr(0, 12), "!! cancelled");
  cancelled = false;
  EXPECT_EQ(session().memory_edn(), "{}");
  EXPECT_EQ(run("(await \"c1\")"), "|| c1");
}

TEST_F(AwaitRules, a_new_turn_gives_a_suspended_one_up) {
  EXPECT_EQ(run("(def x 1) (await (tool/call {}))"), "|| c1");
  EXPECT_EQ(run("2"), "= 2");
  EXPECT_EQ(session().memory_edn(), "{}");
  EXPECT_EQ(waiting(), "c1");
}

TEST_F(AwaitRules, parallel_forms_inside_of_each_other_are_bounded) {
  EXPECT_EQ(run("(defn f [n] (pmap (fn [x] (f (inc n))) [1])) (f 0)").substr(0, 13), "!! pmap_error");
  EXPECT_NE(last.fault.message.find("nested more than 256 deep"), std::string::npos);
  sync_tool("t", "1");
  EXPECT_EQ(run("(pmap tool/t [{:a 1} {:a 2}])"), "= [1 1]");
}

}  // namespace
}  // namespace ptc::test
