// Every builtin that goes through data is stopped at every question it asks: the run faults as its host says, nothing
// leaks, and the next turn finds what it would find otherwise.
#include <gtest/gtest.h>

#include "runtime/engine/engine.h"
#include "vm/exec/run.h"

namespace ptc {
namespace {

constexpr std::string_view kDefinitions = R"(
  (def ints (mapv (fn [i] (mod (* (+ i 1) 16807) 997)) (range 150)))
  (def texts (mapv (fn [i] (str "key" (mod (* i 7919) 1003))) (range 150)))
  (def pairs (mapv (fn [i] [i [i]]) (range 120)))
  (def rows (mapv (fn [i] {:id i :team (mod i 10) :tags #{i "x"}}) (range 120)))
  (def m (zipmap ints texts))
  (def n (zipmap texts ints))
  (def big-keys (zipmap rows pairs))
  (def s (set ints))
  (def t (set (map inc ints)))
  (def u (set texts))
  (def text (join "," texts))
  (def many (mapv (fn [i] (mod (* (+ i 1) 16807) 99991)) (range 2000)))
  (def large (join (repeat 60000 "Grüße ")))
  (def wide (join (repeat 80 "Grüße 👩‍👩‍👧 ")))
  (def json (json/generate-string rows-as-json))
)";

constexpr std::string_view kCalls[] = {
    "(sort ints)", "(sort texts)", "(sort > ints)", "(sort many)", "(sort-by - many)", "(sort pairs)", "(sort m)",
    "(sort-by :team rows)", "(sort-by :id > rows)", "(sort-by count texts)", "(sort (fn [a b] (> a b)) ints)",
    "(reverse ints)", "(distinct ints)", "(distinct texts)", "(distinct rows)", "(dedupe ints)", "(frequencies ints)",
    "(frequencies texts)", "(frequencies rows)", "(set ints)", "(set rows)", "(into #{} texts)", "(into {} pairs)",
    "(into m n)", "(into [1] ints)", "(into {} [m n])", "(apply conj #{} texts)", "(apply conj {} pairs)",
    "(apply conj [] ints)", "(apply hash-set ints)", "(apply hash-map (concat ints [1]))", "(apply assoc {} ints)",
    "(apply dissoc m ints)", "(apply disj s ints)", "(apply concat pairs)", "(apply str texts)", "(apply + ints)",
    "(apply max ints)", "(apply merge [m n])", "(merge m n)", "(merge n m)", "(merge-with str m n)",
    "(zipmap texts ints)", "(zipmap rows ints)", "(partition 7 3 ints)", "(partition-all 7 ints)",
    "(partition-by even? ints)", "(concat ints texts)", "(cons 1 ints)", "(interleave ints texts)",
    "(interpose 0 ints)", "(zip ints texts)", "(flatten pairs)", "(mapcat identity pairs)", "(take 100 ints)",
    "(drop 3 m)", "(take-last 90 m)", "(butlast m)", "(rest m)", "(first m)", "(first n)", "(second s)", "(last u)",
    "(seq m)", "(seq s)", "(vec n)", "(keys n)", "(vals n)", "(select-keys m ints)", "(rename-keys n {\"key0\" :a})",
    "(map-invert n)", "(update-vals m count)", "(update-keys n count)", "(group-by :team rows)",
    "(group-by count texts)", "(index-by :id rows)", "(distinct-by :team rows)", "(sum ints)", "(avg ints)",
    "(sum-by :id rows)", "(avg-by :id rows)", "(max-by :id rows)", "(min-by :team rows)", "(pluck :id rows)",
    "(filter (where :team = 3) rows)", "(union s t)", "(intersection s t)", "(difference s t)", "(union u s)",
    "(subset? s t)", "(superset? s s)", "(str ints)", "(pr-str rows)", "(pr-str m)", "(str wide m)",
    "(join \",\" ints)", "(join \",\" m)", "(join texts)", "(json/generate-string n)", "(json/generate-string pairs)",
    "(json/generate-string text)", "(json/parse-string json)", "(walk/keywordize-keys n)",
    "(walk/keywordize-keys rows)", "(walk/stringify-keys rows)", "(split text \",\")", "(split text #\",\")",
    "(split wide \"\")", "(split-lines text)", "(replace text \"key\" \"K\")", "(replace text #\"k(e)y\" \"$1\")",
    "(replace wide #\"G\" (fn [g] (str g g)))", "(re-seq #\"\\d+\" text)", "(re-find #\"zzz\" text)",
    "(upper-case wide)", "(upper-case large)", "(replace large \"G\" \"g\")", "(lower-case wide)",
    "(capitalize wide)", "(trim wide)", "(reverse wide)", "(seq wide)", "(count wide)", "(subs wide 30)",
    "(format \"%s|%200s\" wide text)", "(index-of wide \"zzz\")", "(includes? text \"zzz\")", "(= m (assoc m 1 2))",
    "(= rows (conj rows 1))", "(compare ints (reverse ints))", "(= [rows] [(vec (rest rows))])",
    "(get big-keys (first rows))", "(contains? #{rows} rows)", "(count #{m n})", "(conj (range 200) 1)",
    "(assoc (range 300) 5 1)", "(range 5.5 200)", "(repeat 200 m)", "(combinations [1 2 3 4 5 6 7 8] 3)",
    "(shuffle ints)", "(describe rows)", "(every? number? ints)", "(reduce-kv (fn [a k v] (+ a k)) 0 m)",
    "(reduce + s)", "(for [[k v] n] k)", "(doseq [r rows] (println r))", "(println m n)",
    "(tree-seq vector? seq pairs)", "(postwalk identity pairs)", "(map vector ints texts s)",
    "(apply map vector [ints texts])", "(nth wide 300)", "(get-in rows [3 :tags])",
    "(update-in rows [3 :tags] conj 1)", "(max-key count texts)", "(list* 1 ints)", "(vector m n)", "(hash-map 1 m)",
};

class Impatient final : public Patience {
 public:
  Impatient(ptc::Run& run, std::uint64_t questions) : Patience(1), run_(run), left_(questions) {}
  bool is_over() override {
    if (left_ > 0 && --left_ > 0) return false;
    was_over_ = true;
    run_.cancel(FaultKind::Timeout, "too late");
    return true;
  }
  bool was_over() const { return was_over_; }

 private:
  ptc::Run& run_;
  std::uint64_t left_;
  bool was_over_ = false;
};

class InterruptionTest : public testing::Test {
 protected:
  std::shared_ptr<const Program> compiled(const std::string& source) {
    CompileRequest request;
    request.source = source;
    const std::vector<std::string_view> known(names_.begin(), names_.end());
    request.memory_names = known;
    return engine_.compile(request).program;
  }
  bool prepare() {
    std::string definitions(kDefinitions);
    const std::string wanted = "rows-as-json";
    definitions.replace(definitions.find(wanted), wanted.size(), "(mapv (fn [i] {\"id\" i \"l\" [i {}]}) (range 120))");
    const auto program = compiled(definitions);
    if (program == nullptr) return false;
    run_.start(program);
    if (run_.step() != StepStatus::Completed) return false;
    run_.for_each_definition([&](std::string_view name, Value) { names_.emplace_back(name); });
    return true;
  }
  Engine engine_;
  ptc::Run run_{RunLimits{}};
  std::vector<std::string> names_;
};

TEST_F(InterruptionTest, EveryLongBuiltinCanBeStoppedAnywhere) {
  ASSERT_TRUE(prepare());
  const auto check = compiled("[(count ints) (count m) (reduce + s) (count text)]");
  ASSERT_NE(check, nullptr);
  std::size_t stopped = 0, tried = 0;
  for (const std::string_view call : kCalls) {
    SCOPED_TRACE(call);
    const auto program = compiled(std::string(call));
    if (program == nullptr) continue;   // not in this language
    ++tried;
    run_.start(program);   // names that it interns stay
    run_.step();
    run_.start(check);
    ASSERT_EQ(run_.step(), StepStatus::Completed);
    bool is_over = true;
    for (std::uint64_t questions = 1; is_over; questions += 1 + questions / 8) {
      const std::uint64_t bytes = run_.heap().bytes_used();
      run_.start(program);
      Impatient host(run_, questions);
      run_.set_patience(&host);
      const StepStatus status = run_.step();
      run_.set_patience(nullptr);
      is_over = host.was_over();
      if (is_over) {
        ++stopped;
        ASSERT_EQ(status, StepStatus::Faulted) << "question " << questions;
        ASSERT_EQ(run_.fault().kind, FaultKind::Timeout) << "question " << questions;
        ASSERT_EQ(run_.fault().message, "too late");
      }
      run_.start(check);   // also lets go of what the call gave
      ASSERT_EQ(run_.step(), StepStatus::Completed) << run_.fault().message;
      if (!is_over) continue;
      EXPECT_EQ(run_.heap().bytes_used(), bytes) << "question " << questions;
      if (run_.heap().bytes_used() != bytes) break;
    }
  }
  EXPECT_GT(tried, std::size(kCalls) * 9 / 10);
  EXPECT_GT(stopped, 10 * tried);
}

}  // namespace
}  // namespace ptc
