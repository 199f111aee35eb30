// The examples of the language's text on await, one by one: what is called, where the program stops, what it comes to.
#include "tests/unit/runtime/session/await_fixture.h"

namespace ptc::test {
namespace {

class AwaitExamples : public AwaitTest {
 protected:
  void SetUp() override {
    session();
    async_tool("call", "c", "{\"status\" \"dialing\"}");
    async_tool("ask", "q");
  }
};

TEST_F(AwaitExamples, e1_two_calls_are_in_flight_at_once) {
  EXPECT_EQ(run("(let [a (tool/call {:to \"alice\"}) b (tool/call {:to \"bob\"}) ta (await a) tb (await b)]"
                "  (str ta \" / \" tb))"),
            "|| c1");
  EXPECT_EQ(waiting(), "c1 c2");
  EXPECT_EQ(calls, (Texts{"call {\"to\" \"alice\"}", "call {\"to\" \"bob\"}"}));
  const std::uint64_t fuel = last.fuel;
  EXPECT_EQ(resume("c2", "\"hi from bob\""), "|| c1");
  EXPECT_EQ(last.fuel, fuel);
  EXPECT_EQ(resume("c1", "\"hi from alice\""), "= \"hi from alice / hi from bob\"");
}

TEST_F(AwaitExamples, e2_awaiting_at_once_makes_calls_serial) {
  EXPECT_EQ(run("(let [ta (await (tool/call {:to \"alice\"})) tb (await (tool/call {:to \"bob\"}))] [ta tb])"),
            "|| c1");
  EXPECT_EQ(calls.size(), 1u);
  EXPECT_EQ(resume("c1", "\"A\""), "|| c2");
  EXPECT_EQ(resume("c2", "\"B\""), "= [\"A\" \"B\"]");
}

TEST_F(AwaitExamples, e3_await_all_keeps_the_order_of_its_input) {
  EXPECT_EQ(run("(->> [\"ann\" \"bo\" \"cy\"] (map #(tool/call {:to %})) await-all (map count))"), "|| c1 c2 c3");
  EXPECT_EQ(resume("c3", "\"zzz\""), "|| c1 c2");
  std::vector<Resolution> rest;
  rest.push_back(ok("c1", "\"x\""));
  rest.push_back(ok("c2", "\"yy\""));
  EXPECT_EQ(resume(std::move(rest)), "= [1 2 3]");
}

TEST_F(AwaitExamples, e4_the_first_failure_ends_await_all) {
  session().turn("(def n 1)");
  EXPECT_EQ(run("(def n 2) (await-all {:a (tool/call {:to \"a\"}) :b (tool/call {:to \"b\"})})"), "|| c1 c2");
  EXPECT_EQ(resume({error("c2", "busy")}), "!! tool_error Tool 'call' failed: busy (pending c2)");
  EXPECT_EQ(place(), "1:11");
  EXPECT_EQ(waiting(), "c1");
  EXPECT_EQ(session().definitions().edn(), "{:n 1}");
}

TEST_F(AwaitExamples, e5_await_settled_gives_failures_as_data) {
  EXPECT_EQ(run("(->> (await-settled [(tool/call {:to \"a\"}) (tool/call {:to \"b\"})])"
                "  (map (fn [{:keys [status value reason]}] (if (= status :ok) value (str \"failed: \" reason)))))"),
            "|| c1 c2");
  EXPECT_EQ(resume("c1", "\"A\""), "|| c2");
  EXPECT_EQ(resume({error("c2", "busy")}), "= [\"A\" \"failed: busy\"]");
}

TEST_F(AwaitExamples, e6_await_any_gives_the_first) {
  EXPECT_EQ(run("(let [hs [(tool/ask {:who \"x\"}) (tool/ask {:who \"y\"})] w (await-any hs)]"
                "  (return {:winner (:index w) :answer (:value w)}))"),
            "|| q1 q2");
  EXPECT_EQ(resume("q2", "\"yes\""), "return {:answer \"yes\" :winner 1}");
  EXPECT_EQ(waiting(), "q1");
}

TEST_F(AwaitExamples, e7_a_default_after_the_time_limit_and_a_late_result) {
  EXPECT_EQ(run("(do (def h (tool/ask {:who \"boss\"}))"
                "    (def d (await h {:timeout-ms 60000 :default :no-answer})) d)"),
            "|| q1");
  EXPECT_EQ(last.next_deadline_ms, kStart + 60'000);
  EXPECT_EQ(resume_at(kStart + 59'999), "|| q1");
  EXPECT_EQ(resume_at(kStart + 60'000), "= :no-answer");
  EXPECT_EQ(session().definitions().edn(), "{:d :no-answer :h (pending \"q1\")}");
  EXPECT_EQ(resolve(ok("q1", "\"ok\"")), "done");
  EXPECT_EQ(run("(await h)"), "= \"ok\"");
}

TEST_F(AwaitExamples, e8_a_time_limit_without_default_is_a_fault) {
  EXPECT_EQ(run("(do (def n 1) (await (tool/ask {:who \"boss\"}) {:timeout-ms 1000}))"), "|| q1");
  EXPECT_EQ(resume_at(kStart + 1000), "!! await_timeout q1 (ask) not resolved within 1000ms");
  EXPECT_EQ(place(), "1:15");
  EXPECT_EQ(session().definitions().edn(), "{}");
  EXPECT_EQ(waiting(), "q1");
  EXPECT_EQ(run("(await \"q1\")"), "|| q1");
  EXPECT_EQ(resume("q1", "\"fine\""), "= \"fine\"");
  EXPECT_EQ(calls.size(), 1u);
}

TEST_F(AwaitExamples, e9_an_async_tool_that_is_done_at_once) {
  sync_tool("lookup", "41", AsyncMode::Yes);
  EXPECT_EQ(run("(+ 1 (await (tool/lookup {:k \"a\"})))"), "= 42");
}

TEST_F(AwaitExamples, e10_a_forgotten_await_is_named) {
  EXPECT_EQ(run("(let [t (tool/call {:to \"alice\"})] (upcase t))"),
            "!! type_error upcase: arg 1 is a pending operation (c1); use (await …)");
  EXPECT_EQ(place(), "1:36");
  EXPECT_EQ(waiting(), "c1");
  sync_tool("summarize", "1");
  sync_tool("get_user", "1");
  EXPECT_EQ(run("(let [t (tool/call {:to \"alice\"})] (tool/summarize {:text t}))"),
            "!! pending_in_tool_args arg :text is a pending operation (c2); await it first");
  calls.clear();
  EXPECT_EQ(run("(await (tool/get_user {:id 1}))"),
            "!! invalid_form await: tool/get_user is not async; use its result directly");
  EXPECT_TRUE(calls.empty());
}

TEST_F(AwaitExamples, e11_the_immediate_answer_is_read_through_the_handle) {
  EXPECT_EQ(run("(let [h (tool/call {:to \"alice\"})]"
                "  (println \"status:\" (:status h) \"id:\" (pending-id h)) (await h))"),
            "|| c1");
  EXPECT_EQ(last.prints, Texts{"status: dialing id: c1"});
  EXPECT_EQ(resume("c1", "\"T\""), "= \"T\"");
  EXPECT_EQ(last.prints, Texts{"status: dialing id: c1"});
}

TEST_F(AwaitExamples, e12_await_inside_of_a_loop_and_of_map) {
  EXPECT_EQ(run("(loop [names [\"a\" \"b\"] acc []] (if (empty? names) acc"
                "  (recur (rest names) (conj acc (await (tool/call {:to (first names)}))))))"),
            "|| c1");
  EXPECT_EQ(resume("c1", "\"A\""), "|| c2");
  EXPECT_EQ(resume("c2", "\"B\""), "= [\"A\" \"B\"]");
  EXPECT_EQ(run("(map #(await (tool/call {:to %})) [\"a\" \"b\"])"), "|| c3");
  EXPECT_EQ(resume("c3", "1"), "|| c4");
  EXPECT_EQ(resume("c4", "2"), "= [1 2]");
}

TEST_F(AwaitExamples, e13_branches_advance_apart) {
  add("score", AsyncMode::No, [](const ToolCall& call) {
    const Value text = map_find(call.args, Owned(call.heap, string_of(call.heap, "text")).get());
    return ToolReply::value(Value::integer(string_view_of(text) == "ta" ? 9 : 7));
  });
  EXPECT_EQ(run("(pmap (fn [n] (let [t (await (tool/call {:to n}))] (println n) (str n \":\" (tool/score {:text t}))))"
                "      [\"a\" \"b\"])"),
            "|| c1 c2");
  EXPECT_EQ(resume("c2", "\"tb\""), "|| c1");
  EXPECT_EQ(calls.back(), "score {\"text\" \"tb\"}");
  EXPECT_EQ(resume("c1", "\"ta\""), "= [\"a:9\" \"b:7\"]");
  EXPECT_EQ(last.prints, (Texts{"a", "b"}));
  Texts records;
  for (const ToolOutcome& call : last.tool_calls) records.push_back(call.name + ' ' + call.result_edn);
  EXPECT_EQ(records, (Texts{"call \"ta\"", "score 9", "call \"tb\"", "score 7"}));
}

TEST_F(AwaitExamples, e14_a_rerun_attaches_to_the_call_of_an_open_task) {
  const std::string_view program = "(task \"call_alice_0412\" (await (tool/call {:to \"alice\"})))";
  session().journal().enable();
  EXPECT_EQ(run(program), "|| c1");
  EXPECT_EQ(session().journal().edn(), "{}");
  EXPECT_EQ(keys, Texts{"task:call_alice_0412#0"});
  EXPECT_EQ(resolve(ok("c1", "\"T\"")), "done");
  const std::string table = session().operations().json();

  open();
  async_tool("call", "c");
  session().journal().enable();
  ASSERT_EQ(session().operations().load(table), std::nullopt);
  EXPECT_EQ(session().operations().json(), table);
  EXPECT_EQ(run(program), "= \"T\"");
  EXPECT_TRUE(calls.empty());
  EXPECT_EQ(session().journal().edn(), "{\"call_alice_0412\" \"T\"}");
  EXPECT_EQ(run(program), "= \"T\"");
  EXPECT_TRUE(calls.empty());
}

TEST_F(AwaitExamples, e15_a_task_commits_the_handle_and_another_turn_awaits_it) {
  session().journal().enable();
  async_tool("dial", "d");
  EXPECT_EQ(run("(do (task \"dial_bob\" (tool/dial {:to \"bob\"})) (step-done \"dial\" \"dialled Bob\"))"),
            "= \"dialled Bob\"");
  EXPECT_EQ(session().journal().edn(), "{\"dial_bob\" (pending \"d1\")}");
  EXPECT_EQ(run("(return {:bob (await (task \"dial_bob\" nil))})"), "|| d1");
  EXPECT_EQ(resume("d1", "\"hello\""), "return {:bob \"hello\"}");
}

TEST_F(AwaitExamples, e16_a_failure_after_a_suspension_keeps_commits_and_drops_definitions) {
  session().journal().enable();
  async_tool("approve", "p");
  sync_tool("wire", "\"w-1\"");
  const std::string_view program =
      "(do (def x 1) (step-done \"1\" \"asked for approval\")"
      "  (let [ok (await (tool/approve {:amount 5000}))]"
      "    (task \"wire_5000\" (tool/wire {:amount 5000 :ok ok})) (+ 1 nil)))";
  EXPECT_EQ(run(program), "|| p1");
  EXPECT_EQ(resume("p1", "{\"decision\" \"yes\"}").substr(0, 13), "!! type_error");
  EXPECT_EQ(session().journal().edn(), "{\"wire_5000\" \"w-1\"}");
  EXPECT_EQ(session().definitions().edn(), "{}");
  EXPECT_EQ(run(program), "|| p2");
  EXPECT_EQ(resume("p2", "1").substr(0, 13), "!! type_error");
  EXPECT_EQ(calls.size(), 3u);     // approve, wire, approve
}

TEST_F(AwaitExamples, e17_fail_with_something_outstanding) {
  sync_tool("credit", "{\"score\" 400}");
  const std::string_view program =
      "(let [h (tool/call {:to \"alice\"}) chk (tool/credit {:id 7})]"
      "  (if (< (:score chk) 500) (fail {:reason :low-score}) (await h)))";
  EXPECT_EQ(run(program), "fail {:reason :low-score}");
  EXPECT_EQ(waiting(), "c1");
  EXPECT_TRUE(last.cancelled.empty());
  SessionOptions options;
  options.limits.outstanding = Outstanding::Cancel;
  open(options);
  async_tool("call", "c");
  sync_tool("credit", "{\"score\" 400}");
  EXPECT_EQ(run(program), "fail {:reason :low-score}");
  EXPECT_EQ(waiting(), "");
  EXPECT_EQ(last.cancelled, Texts{"c1"});
  EXPECT_EQ(run("(await \"c1\")"), "!! await_cancelled c1 (call) was cancelled: the program ended");
}

TEST_F(AwaitExamples, e18_approval_with_expiry) {
  session().journal().enable();
  async_tool("request_approval", "ap");
  sync_tool("wire", "\"tx_9\"");
  const std::string_view program =
      "(let [d (await (tool/request_approval {:to \"manager\" :amount 5000})"
      "               {:timeout-ms 86400000 :default {:decision \"expired\"}})]"
      "  (case (:decision d)"
      "    \"approved\" (return {:tx (task \"wire_bob_5000\" (tool/wire {:to \"bob\" :amount 5000}))})"
      "    (return {:status :rejected :why (:decision d)})))";
  EXPECT_EQ(run(program), "|| ap1");
  EXPECT_EQ(last.next_deadline_ms, kStart + 86'400'000);
  EXPECT_EQ(resume("ap1", "{\"decision\" \"approved\"}"), "return {:tx \"tx_9\"}");
  EXPECT_EQ(session().journal().edn(), "{\"wire_bob_5000\" \"tx_9\"}");
  EXPECT_EQ(run(program), "|| ap2");
  EXPECT_EQ(resume_at(kStart + 86'400'000), "return {:status :rejected :why \"expired\"}");
}

TEST_F(AwaitExamples, e19_functions_of_earlier_turns_wait_too) {
  EXPECT_EQ(run("(defn ask [q] (await (tool/ask {:q q})))"), "= #'ask");
  EXPECT_EQ(run("(let [pre \"Q: \"] (join \"; \" (map (fn [q] (str pre (ask q))) [\"a\" \"b\"])))"), "|| q1");
  EXPECT_EQ(resume("q1", "\"1\""), "|| q2");
  EXPECT_EQ(resume("q2", "\"2\""), "= \"Q: 1; Q: 2\"");
}

TEST_F(AwaitExamples, e20_limits_and_ids) {
  SessionOptions options;
  options.limits.pending_operations = 32;
  open(options);
  async_tool("call", "c");
  add("again", AsyncMode::Yes, [](const ToolCall&) { return ToolReply::pending("c1"); });
  EXPECT_EQ(run("(await-all (map #(tool/call {:to %}) (range 40)))"),
            "!! pending_limit_exceeded 32 operations are already pending (limit 32); await some first");
  EXPECT_EQ(calls.size(), 32u);
  open();
  async_tool("call", "c");
  async_tool("rank", "r");
  add("again", AsyncMode::Yes, [](const ToolCall&) { return ToolReply::pending("c1"); });
  EXPECT_EQ(run("(tool/call {}) (tool/again {})"),
            "!! duplicate_pending_id tool/again gave the id \"c1\", which another operation has");
  EXPECT_EQ(run("(await \"nope\")"), "!! unknown_pending no pending operation \"nope\". Known: c1 (call)");
  EXPECT_EQ(run("(sort-by #(await (tool/rank {:x %})) [1 2])"), "|| r1");
  EXPECT_EQ(resume("r1", "5"), "|| r2");
  EXPECT_EQ(resume("r2", "3"), "= [2 1]");
  EXPECT_EQ(run("(sort (fn [a b] (await (tool/rank {:a a :b b}))) [1 2])"), "|| r3");
  EXPECT_EQ(resume("r3", "1"), "= [2 1]");
}

TEST_F(AwaitExamples, e21_an_auto_tool_suspends_its_caller) {
  async_tool("research_agent", "child", "nil", AsyncMode::Auto);
  EXPECT_EQ(run("(tool/research_agent {:topic \"x\"})"), "|| child1");
  EXPECT_EQ(resume("child1", "{\"facts\" [1]}"), "= {\"facts\" [1]}");
}

}  // namespace
}  // namespace ptc::test
