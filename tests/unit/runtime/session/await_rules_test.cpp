// Rules of operations beyond the examples: resolving, what a handle shows, arguments, time, sleeps, signals.
#include "tests/unit/runtime/session/await_fixture.h"

namespace ptc::test {
namespace {

class AwaitRules : public AwaitTest {
 protected:
  void SetUp() override {
    session();
    async_tool("call", "c");
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
  EXPECT_TRUE(session().run().suspended());
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
  options.limits.result_bytes = 100;
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
    session().operations().resolve(std::move(progress));
    std::vector<Resolution> result;
    result.push_back(ok("c2", "7"));
    session().operations().resolve(std::move(result));
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
       "!! type_error await: :timeout-ms expected a whole number of milliseconds, got -1"},
      {"(await \"c1\" {:timeout-ms \"1\"})",
       "!! type_error await: :timeout-ms expected a whole number of milliseconds, got string"},
      {"(await-settled [] {:default 1})", "!! type_error await-settled: unknown option :default"},
      {"(sleep -1)", "!! type_error sleep: arg 1 expected a whole number of milliseconds, got -1"},
      {"(sleep :a)", "!! type_error sleep: arg 1 expected a whole number of milliseconds, got keyword"},
      {"(await-signal 5)", "!! type_error await-signal: arg 1 expected the name of a signal, got number"},
      {"(await)", "!! arity_error await expects 1 to 2 arguments, got 0"},
  };
  for (const auto& [program, expected] : cases) EXPECT_EQ(run(program), expected) << program;
}

TEST_F(AwaitRules, timers) {
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

}  // namespace
}  // namespace ptc::test
