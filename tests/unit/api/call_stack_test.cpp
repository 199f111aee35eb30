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

}  // namespace
}  // namespace ptcvm
