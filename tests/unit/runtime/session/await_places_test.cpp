// A program can wait anywhere, and its result does not depend on the order in which answers arrive.
#include <algorithm>
#include <numeric>

#include "tests/unit/runtime/session/await_fixture.h"

namespace ptc::test {
namespace {

// What one run of a program came to, as text.
std::string text_of(const Outcome& outcome) {
  std::string text = std::string(outcome_status_name(outcome.status)) + ' ' + outcome.value_edn + ' ' +
                     outcome.fault.message + " fuel " + std::to_string(outcome.fuel);
  for (const std::string& line : outcome.prints) text += "\nprint " + line;
  for (const ToolOutcome& call : outcome.tool_calls) {
    text += "\ncall " + call.name + ' ' + call.args_edn + ' ' + call.result_edn + call.error;
  }
  return text;
}

class AwaitPlaces : public AwaitTest {
 protected:
  // (tool/echo {:v x}) gives x; every operation is resolved alone, the oldest or the youngest first.
  std::string finish(std::string_view source, bool youngest_first, std::size_t* suspensions = nullptr,
                     SessionOptions options = {}) {
    open(options);
    session().journal().enable();
    async_tool("echo", "");
    async_tool("auto", "", "nil", AsyncMode::Auto);
    Outcome outcome = session().turn(source);
    std::size_t count = 0;
    for (; outcome.status == OutcomeStatus::Suspended; ++count) {
      if (outcome.pending.empty() || count > 10'000) return "nothing can come";
      const PendingOutcome& one = youngest_first ? outcome.pending.back() : outcome.pending.front();
      const Operation* operation = session().run().operations().find(one.operation);
      const Owned key(session().heap(), string_of(session().heap(), "v"));
      std::vector<Resolution> answer;
      answer.push_back(Resolution::ok(one.operation, retained(map_find(operation->args, key.get()))));
      outcome = session().resume(std::move(answer), kStart);
    }
    if (suspensions != nullptr) *suspensions = count;
    return text_of(outcome) + "\njournal " + session().journal().edn().value_or("");
  }
};

TEST_F(AwaitPlaces, suspension_inside_of_everything_that_calls_a_function) {
  // W waits and gives its argument.
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"(map (fn [x] (map (fn [y] (W (+ x y))) [1 2])) [10 20])", "[[11 12] [21 22]]"},
      {"(filter (fn [x] (W (even? x))) [1 2 3 4])", "[2 4]"},
      {"(remove #(W (odd? %)) [1 2 3])", "[2]"},
      {"(reduce (fn [a x] (+ a (W x))) 0 [1 2 3])", "6"},
      {"(sort-by (fn [x] (W (- x))) [1 3 2])", "[3 2 1]"},
      {"(sort (fn [a b] (W (< b a))) [1 3 2])", "[3 2 1]"},
      {"(sort-by :n (fn [a b] (- (W a) b)) [{:n 2} {:n 1}])", "[{:n 1} {:n 2}]"},
      {"(group-by #(W (even? %)) [1 2 3])", "{false [1 3] true [2]}"},
      {"(partition-by #(W (even? %)) [1 3 2])", "[[1 3] [2]]"},
      {"(update-in {:a {:b 1}} [:a :b] (fn [x] (inc (W x))))", "{:a {:b 2}}"},
      {"(update {:a 1} :a #(W %))", "{:a 1}"},
      {"(update-vals {:a 1 :b 2} #(W (* 2 %)))", "{:a 2 :b 4}"},
      {"(for [x (W [1 2]) y [3 4] :when (W (odd? (+ x y)))] [x y])", "[[1 4] [2 3]]"},
      {"(doseq [x [1 2]] (println (W x)))", "nil"},
      {"(let [{:keys [a b] :or {b (W 5)}} (W {:a 1})] [a b])", "[1 5]"},
      {"(let [[a & more] (W [1 2 3])] [a more])", "[1 [2 3]]"},
      {"(-> 1 W inc W)", "2"},
      {"(->> [1 2] (map W) W (reduce +))", "3"},
      {"(some-> {:a (W 1)} :a W)", "1"},
      {"(cond-> 1 (W true) (+ (W 2)))", "3"},
      {"(as-> (W 1) x (+ x (W 2)))", "3"},
      {"(or (W nil) (W false) (W 3))", "3"},
      {"(and (W 1) (W nil))", "nil"},
      {"(if-let [x (W nil)] 1 (W 2))", "2"},
      {"(case (W :b) :a 1 :b (W 2))", "2"},
      {"(cond (W false) 1 (W true) (W 2))", "2"},
      {"(task \"t\" (+ 1 (W 1)))", "2"},
      {"(task (W \"id\") (W 3))", "3"},
      {"(map (fn [x] (task (str \"t\" x) (W x))) [1 2])", "[1 2]"},
      {"(step-done (W \"a\") (W \"b\"))", "\"b\""},
      {"(map (fn [x] (pmap (fn [y] (W [x y])) [1 2])) [3 4])", "[[[3 1] [3 2]] [[4 1] [4 2]]]"},
      {"(pcalls #(W 1) #(W 2))", "[1 2]"},
      {"(pmap (fn [x] (reduce + (pmap W [x x]))) [1 2])", "[2 4]"},
      {"(apply W [1])", "1"},
      {"((comp W inc W) 1)", "2"},
      {"((juxt W inc) 1)", "[1 2]"},
      {"((partial W) 4)", "4"},
      {"(mapcat (fn [x] (W [x x])) [1 2])", "[1 1 2 2]"},
      {"(keep #(W %) [1 nil 2])", "[1 2]"},
      {"(some #(W (> % 1)) [1 2])", "true"},
      {"(every? #(W (pos? %)) [1 2])", "true"},
      {"(take-while #(W (< % 2)) [1 2])", "[1]"},
      {"(map-indexed (fn [i x] (W [i x])) [:a])", "[[0 :a]]"},
      {"(reduce-kv (fn [a k v] (+ a (W v))) 0 {:a 1 :b 2})", "3"},
      {"(min-by #(W (- %)) [1 2])", "2"},
      {"(sum-by #(W %) [1 2])", "3"},
      {"(tree-seq (fn [x] (W (vector? x))) (fn [x] (W x)) [1 [2]])", "[[1 [2]] 1 [2] 2]"},
      {"(loop [i 0 acc []] (if (< i 3) (recur (inc i) (conj acc (W i))) acc))", "[0 1 2]"},
      {"((fn f [n] (if (= n 0) (W 0) (+ 1 (f (dec n))))) 50)", "50"},
      {"(let [m {(W :k) (W 1)}] [m #{(W 2)}])", "[{:k 1} #{2}]"},
      {"(return (W 7))", "7"},
      {"(fail {:r (W 8)})", "{:r 8}"},
      {"(replace \"a1b2\" #\"\\d\" (fn [m] (W (str \"<\" m \">\"))))", "\"a<1>b<2>\""},
      {"(str (W \"a\") (W \"b\"))", "\"ab\""},
      {"(+ (tool/auto {:v 1}) (tool/auto {:v 2}))", "3"},
      {"(map (fn [h] (await h)) (map #(tool/echo {:v %}) [1 2 3]))", "[1 2 3]"},
      {"(map await (map #(tool/echo {:v %}) [1 2 3]))", "[1 2 3]"},
      {"(pmap await (map #(tool/echo {:v %}) [1 2 3]))", "[1 2 3]"},
  };
  for (const auto& [program, value] : cases) {
    const std::string source = "(defn W [x] (await (tool/echo {:v x})))\n" + std::string(program);
    std::size_t suspensions = 0;
    const std::string oldest = finish(source, false, &suspensions);
    EXPECT_EQ(oldest, finish(source, true)) << program;
    EXPECT_NE(oldest.find(std::string(" ") + value + " "), std::string::npos) << program << '\n' << oldest;
    EXPECT_GT(suspensions, 0u) << program;
  }
}

TEST_F(AwaitPlaces, a_wait_below_a_hundred_thousand_frames) {
  SessionOptions options;
  options.limits.depth = 200'000;
  const std::string seen =
      finish("((fn f [n] (if (= n 0) (await (tool/echo {:v 1})) (+ 1 (f (dec n))))) 100000)", false, nullptr, options);
  EXPECT_EQ(seen.substr(0, 10), "ok 100001 ");
}

TEST_F(AwaitPlaces, every_order_of_up_to_five_answers_gives_the_same) {
  const std::vector<const char*> programs = {
      "(await-all (map #(tool/echo {:v %}) (range 5)))",
      "(let [hs (mapv #(tool/echo {:v %}) (range 5))] (map (fn [h] (println (await h)) (await h)) hs))",
      "(pmap (fn [x] (println \"start\" x) (let [r (await (tool/echo {:v x}))] (println \"end\" r) (* r r)))"
      "      (range 5))",
      "(pmap (fn [x] (+ (await (tool/echo {:v x})) (await (tool/echo {:v 10})))) (range 3))",
      "(pmap (fn [x] (let [s (reduce + (pmap (fn [y] (tool/auto {:v (* x y)})) [1 2])) h (tool/echo {:v s})]"
      "                (println (pr-str h)) (await h))) [1 2])",
      "(await-settled {:a (tool/echo {:v 1}) :b (tool/echo {:v 2}) :c (tool/echo {:v 3})})",
      "(pmap (fn [x] (def y x) (await (tool/echo {:v x})) (task (str \"t\" x) (tool/auto {:v y}))) (range 3))",
      "(let [a (tool/echo {:v 1}) b (pcalls #(tool/auto {:v 2}) #(await (tool/echo {:v 3})))]"
      "  (sort-by - (conj b (await a))))",
      "(let [hs (map #(tool/echo {:v %}) (range 4)) at (fn [k] (await (nth hs k)))]"
      "  (sort (fn [a b] (< (at b) (at a))) (range 4)))",
  };
  for (const char* program : programs) {
    std::string first;
    std::vector<std::size_t> ranks(5);
    std::iota(ranks.begin(), ranks.end(), 0u);
    do {
      open();
      session().journal().enable();
      async_tool("echo", "");
      async_tool("auto", "", "nil", AsyncMode::Auto);
      Outcome outcome = session().turn(program);
      for (std::size_t round = 0; outcome.status == OutcomeStatus::Suspended; ++round) {
        ASSERT_FALSE(outcome.pending.empty());
        const PendingOutcome& one = outcome.pending[ranks[round % 5] % outcome.pending.size()];
        const Operation* operation = session().run().operations().find(one.operation);
        const Owned key(session().heap(), string_of(session().heap(), "v"));
        std::vector<Resolution> answer;
        answer.push_back(Resolution::ok(one.operation, retained(map_find(operation->args, key.get()))));
        outcome = session().resume(std::move(answer), kStart);
      }
      std::string seen = text_of(outcome);
      if (first.empty()) first = seen;
      ASSERT_EQ(seen, first) << program;
    } while (std::next_permutation(ranks.begin(), ranks.end()));
    EXPECT_EQ(first.substr(0, 3), "ok ") << program << '\n' << first;
  }
}

}  // namespace
}  // namespace ptc::test
