// A run that is written and restored after every step ends as one that never stopped, and a restored run writes the
// bytes that it came from.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/engine/engine.h"
#include "vm/exec/run.h"
#include "vm/snapshot/snapshot.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

struct End {
  StepStatus status{};
  std::string text;
  std::vector<std::string> prints;
  std::uint64_t fuel = 0;
  std::uint64_t peak = 0;
};

std::shared_ptr<const Program> compiled(std::string_view source) {
  static const Engine engine;
  CompileRequest request;
  request.source = source;
  CompileAnswer answer = engine.compile(request);
  EXPECT_NE(answer.program, nullptr) << source << ": " << answer.error.message;
  return answer.program;
}

enum class Face { None, Binary, Json };

Run restored(const Run& run, Face face) {
  const std::vector<std::uint8_t> bytes = write_snapshot(run, {});
  const std::string text = write_snapshot_json(run, {});
  const std::span<const std::uint8_t> json(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  auto result = restore_snapshot(face == Face::Json ? json : bytes);
  if (const auto* error = std::get_if<RestoreError>(&result)) {
    ADD_FAILURE() << snapshot_error_name(error->kind) << ": " << error->message << '\n' << text;
    return Run(run.limits());
  }
  Run again = std::move(std::get<Restored>(result).run);
  EXPECT_EQ(again.heap().bytes_used(), const_cast<Run&>(run).heap().bytes_used());
  EXPECT_EQ(write_snapshot(again, {}), bytes) << text;
  EXPECT_EQ(write_snapshot_json(again, {}), text);
  return again;
}

// Tools answer with their argument map.
End finish(std::shared_ptr<const Program> program, Face face) {
  const bool suspend = face != Face::None;
  Run run(RunLimits{});
  run.enable_journal();
  run.start(std::move(program));
  for (;;) {
    const StepStatus status = run.step(suspend ? 1 : UINT64_MAX);
    if (status == StepStatus::Yielded || status == StepStatus::NeedsTool) {
      if (suspend) run = restored(run, face);
      if (testing::Test::HasFailure()) return {};
      while (!run.tool_requests().empty()) {
        const ToolRequest request = run.tool_requests().front();
        EXPECT_TRUE(run.admit(request.id));
        run.answer(request.id, retained(request.args));
        if (suspend) run = restored(run, face);
      }
      continue;
    }
    End end{status, {}, run.environment().prints, run.fuel_used(), run.heap().bytes_peak()};
    if (status == StepStatus::Faulted) {
      end.text = std::string(fault_name(run.fault().kind)) + ": " + run.fault().message;
    } else {
      append_edn(end.text, run.result(), run.heap());
    }
    return end;
  }
}

std::vector<std::uint8_t> whole(const SnapshotPieces& pieces) {
  SnapshotVector<std::uint8_t> out;
  pieces.write(out);
  return std::move(out).take();
}

class RoundTrip : public testing::TestWithParam<const char*> {};

void expect_as_straight(const char* source, Face face) {
  const auto program = compiled(source);
  ASSERT_NE(program, nullptr);
  const End straight = finish(program, Face::None), hopped = finish(program, face);
  EXPECT_EQ(hopped.status, straight.status);
  EXPECT_EQ(hopped.text, straight.text);
  EXPECT_EQ(hopped.prints, straight.prints);
  EXPECT_EQ(hopped.fuel, straight.fuel);
}

// The values of a large run are written first, and the rest around them. A run counts as large by its account.
TEST_P(RoundTrip, HasTheSameBytesWhenItsHeapIsLarge) {
  constexpr std::int64_t kMore = 5 << 20;
  const auto program = compiled(GetParam());
  ASSERT_NE(program, nullptr);
  ptc::Run run(RunLimits{});
  run.enable_journal();
  run.heap().account(2 * kMore);
  run.heap().account(-2 * kMore);   // so that the peak, which is in the bytes, is the same
  run.start(program);
  for (bool is_over = false; !is_over && !testing::Test::HasFailure();) {
    const std::vector<std::uint8_t> small = write_snapshot(run, {});
    SnapshotVector<std::byte> large;
    run.heap().account(kMore);
    write_snapshot(run, {}, {}, large);
    run.heap().account(-kMore);
    EXPECT_TRUE(std::ranges::equal(large.view(), small));
    const auto pieces = snapshot_pieces(run, {});
    EXPECT_EQ(pieces->size(), small.size());
    for (int i = 0; i < 2; ++i) EXPECT_EQ(whole(*pieces), small);
    const StepStatus status = run.step(1);
    is_over = status != StepStatus::Yielded;
  }
}

ptc::Run large_run() {
  const auto program = compiled(
      "(let [text (reduce (fn [s _] (str s s)) \"12345678\" (range 18)) "
      "ints (mapv (fn [i] (* i 1003)) (range 100000)) words (mapv (fn [i] (str \"word \" i)) (range 20000))] "
      "(loop [i 0] (if (< i 10) (recur (inc i)) (+ (count text) (count ints) (count words)))))");
  ptc::Run run(RunLimits{});
  run.start(program);
  while (run.step(1'000) == StepStatus::Yielded && run.heap().bytes_used() < (9u << 19)) {
  }
  EXPECT_GT(run.heap().bytes_used(), 4u << 20);
  return run;
}

TEST(LargeSnapshot, IsReadAndWrittenAgain) {
  const ptc::Run run = large_run();
  ptc::Run again = restored(run, Face::Binary);
  EXPECT_EQ(write_snapshot(again, {}), write_snapshot(run, {}));
  EXPECT_EQ(whole(*snapshot_pieces(run, {})), write_snapshot(run, {}));
}

// A host may forget what was read. Here the bytes become something else at once.
TEST(LargeSnapshot, CanBeForgottenWhileItIsRead) {
  const ptc::Run run = large_run();
  std::vector<std::uint8_t> bytes = write_snapshot(run, {});
  const std::vector<std::uint8_t> kept = bytes;
  std::size_t forgotten = 0;
  RestoreOptions options;
  options.has_read = [&](std::span<const std::uint8_t> read) {
    const auto at = static_cast<std::size_t>(read.data() - bytes.data());
    EXPECT_GE(at, forgotten == 0 ? 1 : forgotten);
    forgotten = at + read.size();
    ASSERT_LT(forgotten, bytes.size());
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), read.size(), std::uint8_t{0xFF});
  };
  auto result = restore_snapshot(bytes, options);
  ASSERT_TRUE(std::holds_alternative<Restored>(result)) << std::get<RestoreError>(result).message;
  EXPECT_GT(forgotten, bytes.size() / 2);
  EXPECT_EQ(write_snapshot(std::get<Restored>(result).run, {}), kept);
}

TEST_P(RoundTrip, EndsAsTheStraightRun) { expect_as_straight(GetParam(), Face::Binary); }
TEST_P(RoundTrip, EndsAsTheStraightRunThroughJson) { expect_as_straight(GetParam(), Face::Json); }

INSTANTIATE_TEST_SUITE_P(Programs, RoundTrip, testing::Values(
    "(+ 1 2)", "(do (def r #\"a+\") (loop [i 0] (if (< i 3) (recur (inc i)) r)))",
    "(loop [i 0 acc []] (if (< i 100) (recur (inc i) (conj acc i)) acc))",
    "(defn f [n] (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (f 10)",
    "(map (fn [x] (* x x)) (range 50))",
    "(let [f (fn [x] {:a x \"b\" (str x)})] (reduce (fn [m x] (assoc m x (f x))) {} (range 40)))",
    "(sort (fn [a b] (> a b)) [3 1 2 5 4])",
    "(sort-by (fn [r] (:a r)) [{:a 3} {:a 1} {:a 2}])",
    "(group-by (fn [x] (mod x 3)) (range 20))",
    "(update-in {:a {:b 1}} [:a :b] (fn [x] (inc x)))",
    "(for [x [1 2 3] y [4 5] :when (odd? (+ x y))] [x y])",
    "(doseq [x [1 2]] (println x))",
    "(pmap (fn [x] (pmap (fn [y] (* x y)) [1 2])) [1 2 3])",
    "(pcalls (fn [] 1) (fn [] (println \"x\") 2))",
    "(do (def f (fn [n] (if (= n 0) (do (def f (fn [x] :new)) 0) (inc (f (dec n)))))) (f 5))",
    "(task \"a\" (map inc [1 2]))",
    "(let [s \"shared\" m {\"k\" s}] (def a m) (def b [m m s]) (map (fn [x] (= x s)) b))",
    "((comp (partial + 1) (fn [x] (* 2 x))) 5)",
    "(let [v (vec (range 100)) w (subvec v 40) u (conj w 1)] (reduce + (map (fn [x] x) (concat u w))))",
    "(let [m (zipmap (range 100) (range 100)) n (assoc m 1 2)] (reduce (fn [a k] (+ a (get n k))) 0 (keys m)))",
    "(reduce (fn [s x] (conj s (str x))) #{} (range 50))",
    "(map (fn [x] (/ x 0)) [1])",
    "(do (def r #\"a+\") (map (fn [s] (re-find r s)) [\"aa\" \"b\"]))",
    "(map (fn [x] (* x 12345678901234567890)) [1 2 3])",
    "(reduce (fn [a x] (+ a (* 1.5 x))) 0 [1 2.5 -0.0])",
    "(loop [i 0 v [0]] (if (< i 40) (recur (inc i) (if (even? i) (conj v i) (rest v))) v))"));

}  // namespace
}  // namespace ptc
