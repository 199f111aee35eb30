// The calls around a fault: which ones, where, and that neither suspending nor depth changes them.
#include "run_fixture.h"

namespace ptcvm {
namespace {

class CallStackTest : public ApiTest {
 protected:
  // Returns the calls as one line, from a run that is written and restored before every step when `hops` is true.
  std::string calls(std::string_view source, bool hops = false, RunOptions options = {}) {
    Run run = started(source, options);
    while (run.step(hops ? 1 : UINT64_MAX) == RunState::Yielded) {
      if (hops) run = moved_elsewhere(std::move(run));
    }
    if (!run.diagnostic()) return "no fault";
    where_ = std::to_string(run.diagnostic()->line) + ':' + std::to_string(run.diagnostic()->column);
    text_ = run.diagnostic()->text;
    frames_ = run.diagnostic()->stack;
    return call_line(run.diagnostic()->stack);
  }

  std::string where_, text_;
  std::vector<CallFrame> frames_;
};

constexpr const char* kThree = "(defn add [x] (+ x \"a\"))\n"
                               "(defn all [xs]\n"
                               "  (mapv add xs))\n"
                               "(str (all [1 2]))";

TEST_F(CallStackTest, EachFrameHasItsNameAndItsPlace) {
  EXPECT_EQ(calls(kThree), "add 1:15 < mapv 3:3 < all 3:3 < program 4:6");
  EXPECT_EQ(where_, "1:15");
  ASSERT_EQ(frames_.size(), 4u);
  EXPECT_EQ(frames_[0].kind, "function");
  EXPECT_EQ(frames_[1].kind, "builtin");
  EXPECT_NE(text_.find("calls, innermost first:\n  add      <program>:1:15\n"), std::string::npos) << text_;
}

TEST_F(CallStackTest, SuspendingChangesNothing) {
  const std::string straight = calls(kThree);
  const std::string text = text_;
  EXPECT_EQ(calls(kThree, true), straight);
  EXPECT_EQ(text_, text);
}

TEST_F(CallStackTest, TheTopLevelSaysNoMoreThanItsPlace) {
  EXPECT_EQ(calls("(+ 1 nil)"), "");
  EXPECT_EQ(text_.find("calls, innermost first"), std::string::npos);
}

TEST_F(CallStackTest, TasksAreAmongTheCalls) {
  EXPECT_EQ(calls("(defn f [x] (+ x nil))\n(task \"count\" (f 1))"), "f 1:13 < task \"count\" 2:15 < program 2:15");
}

TEST_F(CallStackTest, ABranchPointsAtTheCallThatFailed) {
  const char* source = "(defn f [x] (if (= x 2) (+ x nil) x))\n(defn g [] (pmap f [1 2 3]))\n(g)";
  EXPECT_EQ(calls(source), "f 1:25 < branch 1 < pmap 2:12 < g 2:12 < program 3:1");
  EXPECT_EQ(where_, "1:25");
  EXPECT_EQ(calls(source, true), "f 1:25 < branch 1 < pmap 2:12 < g 2:12 < program 3:1");
  EXPECT_EQ(where_, "1:25");
}

TEST_F(CallStackTest, BranchesInsideOfBranchesKeepTheirs) {
  const char* source = "(pmap (fn [xs] (pmap (fn [x] (+ x nil)) xs)) [[1]])";
  EXPECT_EQ(calls(source), "fn 1:30 < branch 0 < pmap 1:16 < fn 1:16 < branch 0 < pmap 1:1 < program 1:1");
  EXPECT_EQ(calls(source, true), "fn 1:30 < branch 0 < pmap 1:16 < fn 1:16 < branch 0 < pmap 1:1 < program 1:1");
}

// What the compiler puts into the function around it is called, to a person.
TEST_F(CallStackTest, CallsThatAreCompiledInPlaceAreAmongTheCalls) {
  constexpr std::pair<const char*, const char*> kCases[] = {
      {"(map (fn [x] (+ x nil)) [1])", "fn 1:14 < map 1:1 < program 1:1"},
      {"(filter #(+ % nil) [1])", "fn 1:9 < filter 1:1 < program 1:1"},
      {"(reduce (fn [a x] (+ a x)) 0 [1 nil])", "fn 1:19 < reduce 1:1 < program 1:1"},
      {"(group-by (fn [x] (+ x nil)) [1])", "fn 1:19 < group-by 1:1 < program 1:1"},
      {"(update {:a 1} :a (fn [x] (+ x nil)))", "fn 1:27 < update 1:1 < program 1:1"},
      {"(update {:a 1} :a (fn [x y] (+ x y)) nil)", "fn 1:29 < update 1:1 < program 1:1"},
      {"((fn [x] (+ x nil)) 1)", "fn 1:10 < program 1:1"},
      {"(map inc [:a])", "map 1:1 < program 1:1"},
      {"(defn f [xs]\n  (->> xs (filter #(> % 0)) (mapv (fn [x] (+ x :k)))))\n(f [1])",
       "fn 2:43 < mapv 2:29 < f 2:29 < program 3:1"},
      {"(defn f [xs]\n  (->> xs (filter #(> % :k)) (mapv (fn [x] (+ x 1)))))\n(f [1])",
       "fn 2:19 < filter 2:11 < f 2:11 < program 3:1"},
      {"(map (fn [xs] (map (fn [x] (+ x nil)) xs)) [[1]])",
       "fn 1:28 < map 1:15 < fn 1:15 < map 1:1 < program 1:1"},
      {"(defn g [x] (+ x nil))\n(map (fn [x] (g x)) [1])", "g 1:13 < fn 2:14 < map 2:1 < program 2:1"},
      {"(map (fn [x] (pmap (fn [y] (+ y nil)) [x])) [1])",
       "fn 1:28 < branch 0 < pmap 1:14 < fn 1:14 < map 1:1 < program 1:1"},
      {"(map (fn [x] x) (map-indexed (fn [i x] (+ x nil)) [1]))", "fn 1:40 < map-indexed 1:17 < program 1:17"},
      {"(+ nil (count (map (fn [x] x) [1])))", ""},
  };
  for (const auto& [source, expected] : kCases) {
    EXPECT_EQ(calls(source), expected) << source;
    EXPECT_EQ(calls(source, true), expected) << source;
  }
}

TEST_F(CallStackTest, ADeepStackKeepsItsEnds) {
  calls("(defn down [n] (if (= n 0) (+ n nil) (+ 1 (down (- n 1)))))\n(down 500)");
  ASSERT_EQ(frames_.size(), 26u);
  EXPECT_EQ(frames_[20].kind, "omitted");
  EXPECT_EQ(frames_[20].name, "477");
  EXPECT_EQ(frames_[25].name, "program");
  RunOptions options;
  options.limits.depth = 1'000'000;
  calls("(defn down [n] (if (= n 0) (+ n nil) (+ 1 (down (- n 1)))))\n(down 900000)", false, options);
  ASSERT_EQ(frames_.size(), 26u);
  EXPECT_EQ(frames_[20].name, "899977");
}

TEST_F(CallStackTest, AFaultOfAToolNamesTheTool) {
  tool("price", "(id :int) -> :int", [](ToolCall& call) { return call.error("sold out"); });
  const char* source = "(defn f [x] (tool/price {:id x}))\n(task \"t\" (f 1))";
  for (const bool hops : {false, true}) {
    EXPECT_EQ(calls(source, hops), "tool/price 1:13 < f 1:13 < task \"t\" 2:11 < program 2:11");
    EXPECT_EQ(where_, "1:13");
    EXPECT_EQ(frames_[0].kind, "tool");
    EXPECT_EQ(frames_[0].name, "price");
    EXPECT_EQ(calls("(tool/price {:id :x})", hops), "tool/price 1:1 < program 1:1");   // arguments that do not fit
    EXPECT_EQ(calls("(pmap (fn [x] (tool/price {:id x})) [1])", hops),
              "tool/price 1:15 < fn 1:15 < branch 0 < pmap 1:1 < program 1:1");
    EXPECT_EQ(where_, "1:15");
  }
}

TEST_F(CallStackTest, ALimitInsideOfABranchKeepsTheCallsOfTheBranch) {
  tool("one", "() -> :int", [] { return 1; });
  RunOptions options;
  options.limits.fuel = 20'000;
  options.limits.memory_bytes = 1u << 20;
  options.limits.tool_calls = 2;
  const std::string end = " < branch 1 < pmap 2:1 < program 2:1";
  const std::string head = "(defn f [x] (if (= x 1) ", tail = " x))\n(pmap f [0 1 2])";
  for (const bool hops : {false, true}) {
    EXPECT_EQ(calls(head + "(loop [i 0] (recur (inc i)))" + tail, hops, options), "f 1:37" + end);
    EXPECT_EQ(where_, "1:37");
    EXPECT_EQ(calls(head + "(loop [v [1]] (recur (into v v)))" + tail, hops, options), "f 1:39" + end);
    EXPECT_EQ(calls(head + "(do (tool/one) (tool/one) (tool/one))" + tail, hops, options),
              "tool/one 1:51 < f 1:51" + end);
  }
}

class FoundTest : public ApiTest {
 protected:
  std::string found(std::string_view source, RunOptions options = {}, bool hops = false) {
    Run run = started(source, options);
    while (run.step(hops ? 1 : UINT64_MAX) == RunState::Yielded) {
      if (hops) run = moved_elsewhere(std::move(run));
    }
    if (!run.diagnostic()) return "no fault";
    text_ = run.diagnostic()->text;
    return run.diagnostic()->found;
  }
  std::string text_;
};

TEST_F(FoundTest, TheValueThatDidNotFitIsShown) {
  EXPECT_EQ(found("(+ 1 {:cents 5})"), "{:cents 5}");
  EXPECT_NE(text_.find("\nfound: {:cents 5}\n"), std::string::npos) << text_;
  EXPECT_EQ(found("(+ \"7\" 1)"), "\"7\"");
  EXPECT_EQ(found("(< 1 :a)"), ":a");
  EXPECT_EQ(found("(inc [1 2])"), "[1 2]");
  EXPECT_EQ(found("(map inc 7)"), "7");
  EXPECT_EQ(found("(reduce + 0 [1 {:a \"é\"}])"), "{:a \"é\"}");
  EXPECT_EQ(found("(subs 12 1)"), "12");
  EXPECT_EQ(found("([1 2] :a)"), ":a");
  EXPECT_EQ(found("(sleep \"now\")"), "\"now\"");
  EXPECT_EQ(found("(+ 1 nil)"), "");
  EXPECT_EQ(text_.find("found:"), std::string::npos) << text_;
  EXPECT_EQ(found("(/ 1 0)"), "");
  EXPECT_EQ(found("(do (pmap inc [1 :b]))"), ":b");
  EXPECT_EQ(found("(do (pmap inc [1 :b]))", {}, true), ":b");
}

TEST_F(FoundTest, ALongValueIsCutToEightyCharacters) {
  const std::string shown = found("(+ 1 (vec (range 1000)))");
  EXPECT_TRUE(shown.starts_with("[0 1 2 3 ")) << shown;
  EXPECT_TRUE(shown.ends_with("…")) << shown;
  EXPECT_EQ(std::count_if(shown.begin(), shown.end(), [](char c) { return (c & 0xc0) != 0x80; }), 80);
  EXPECT_EQ(found("(+ 1 (zipmap (range 1000) (range 1000)))"), "map of 1000 entries");
  EXPECT_EQ(found("(+ 1 [(set (range 1000))])"), "vector of 1 elements");
  const std::string text = found("(+ 1 (apply str (repeat 500 \"é\")))");
  EXPECT_EQ(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }), 80);
}

TEST_F(FoundTest, MismatchesWithSignaturesShowTheirValue) {
  tool("price", "(id :int, more {n :int}) -> {cents :int}", [](ToolCall& call) {
    return call.build([](ValueWriter& out) { out.map([](ValueWriter& map) { map.entry("cents", "many"); }); });
  });
  for (const bool hops : {false, true}) {
    EXPECT_EQ(found("(tool/price {:id \"x\" :more {:n 1}})", {}, hops), "\"x\"");
    EXPECT_EQ(found("(tool/price {:id 1 :more {:n [2]}})", {}, hops), "[2]");
    EXPECT_EQ(found("(tool/price {:id 1 :more {:n 1}})", {}, hops), "\"many\"");
    EXPECT_EQ(found("(pmap (fn [x] (tool/price {:id x :more {}})) [:a])", {}, hops), ":a");
  }
  RunOptions options;
  options.signature = "{count :int}";
  EXPECT_EQ(found("{:count [1 2]}", options), "[1 2]");
}

}  // namespace
}  // namespace ptcvm
