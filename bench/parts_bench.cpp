// The parts one by one: reader, compiler, verifier, dispatch, calls, collections, strings, regular expressions,
// printing, EDN and JSON, the fold of a log, snapshots both ways. Beside time: instructions (where the kernel counts
// them; else there is no such column) and bytes asked of malloc, each for one iteration.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/instructions.h"
#include "bench/suspended.h"
#include "bench/workload.h"
#include "compiler/compile.h"
#include "compiler/read/reader.h"
#include "runtime/text/edn.h"
#include "runtime/log/run_log.h"
#include "runtime/text/json_value.h"
#include "vm/value/print.h"

namespace {
std::uint64_t asked_bytes = 0;   // of malloc; one thread
}

// Takes the place of malloc in this process, to count.
extern "C" {
void* __libc_malloc(std::size_t size);
__attribute__((visibility("default"))) void* malloc(std::size_t size) {
  asked_bytes += size;
  return __libc_malloc(size);
}
}

namespace {

using ptc::bench::compiled;

const ptc::Engine& engine() {
  static const ptc::Engine shared;
  return shared;
}

// Runs the work once an iteration, and sets the counters.
template <class F>
void measure(benchmark::State& state, F&& work) {
  const ptc::InstructionCounter counter;
  const std::uint64_t instructions = counter.now(), bytes = asked_bytes;
  for (auto _ : state) work();
  const auto each = [&](std::uint64_t total) {
    return benchmark::Counter(static_cast<double>(total), benchmark::Counter::kAvgIterations);
  };
  state.counters["bytes"] = each(asked_bytes - bytes);
  if (counter.available()) state.counters["instructions"] = each(counter.now() - instructions);
}

// Programs that do one thing `items` times.
struct Part {
  const char* name;
  std::int64_t items;
  const char* source;
};
constexpr Part kParts[] = {
    {"run/made_stepped_destroyed", 1, "3"},
    {"dispatch/loop", 100'000, "(loop [i 0] (if (< i 100000) (recur (inc i)) i))"},
    {"dispatch/float", 100'000, "(loop [i 0 x 1.0] (if (< i 100000) (recur (inc i) (- (* x 1.5) (* x 0.5))) x))"},
    {"dispatch/bigint", 10'000,
     "(loop [i 0 x 1] (if (< i 10000) (recur (inc i) (mod (* x 1000000007 998244353) 1000000000000000003)) x))"},
    {"call/global", 100'000, "(defn f [x] x) (loop [i 0] (if (< i 100000) (recur (f (inc i))) i))"},
    {"call/local_closure", 100'000, "(let [n 1 f (fn [x] (+ x n))] (loop [i 0] (if (< i 100000) (recur (f i)) i)))"},
    {"call/deep", 1'000, "(defn f [n] (if (= n 0) 0 (inc (f (dec n))))) (f 1000)"},
    {"call/apply", 10'000, "(loop [i 0] (if (< i 10000) (recur (apply + [i 1])) i))"},
    {"call/builtin_value", 10'000, "(let [f inc] (loop [i 0] (if (< i 10000) (recur (f i)) i)))"},
    {"vector/conj", 10'000, "(loop [i 0 v []] (if (< i 10000) (recur (inc i) (conj v i)) (count v)))"},
    {"vector/literal_destructured", 10'000,
     "(loop [i 0] (if (< i 10000) (let [[a b] [i 1]] (recur (+ a b))) i))"},
    {"map/small_literal", 10'000, "(loop [i 0] (if (< i 10000) (recur (inc (:a {:a i :b 2 :c 3}))) i))"},
    {"map/small_assoc", 10'000,
     "(loop [i 0 m {:a 1 :b 2 :c 3}] (if (< i 10000) (recur (inc i) (assoc m :b i)) (:b m)))"},
    {"map/get_string", 10'000,
     "(let [m {\"a\" 1 \"b\" 2}] (loop [i 0 s 0] (if (< i 10000) (recur (inc i) (+ s (get m \"b\"))) s)))"},
    {"map/large_assoc", 10'000, "(loop [i 0 m {}] (if (< i 10000) (recur (inc i) (assoc m i i)) (count m)))"},
    {"map/update_in", 10'000,
     "(loop [i 0 m {:a {:b {:c 0}}}] (if (< i 10000) (recur (inc i) (update-in m [:a :b :c] inc)) (count m)))"},
    {"set/conj", 10'000, "(loop [i 0 s #{}] (if (< i 10000) (recur (inc i) (conj s i)) (count s)))"},
    {"sequence/map_filter_reduce", 10'000, "(reduce + (map inc (filter even? (range 10000))))"},
    {"sequence/map_global", 10'000, "(defn f [x] (* x 2)) (count (map f (range 10000)))"},
    {"sequence/for", 10'000, "(count (for [x (range 100) y (range 100)] (+ x y)))"},
    {"sequence/group_by", 10'000, "(count (group-by (fn [i] (mod i 10)) (range 10000)))"},
    {"sequence/sort", 10'000, "(count (sort (map (fn [i] (mod (* i 7919) 10007)) (range 10000))))"},
    {"sequence/sort_comparator", 10'000,
     "(count (sort (fn [a b] (> a b)) (map (fn [i] (mod (* i 7919) 10007)) (range 10000))))"},
    {"sequence/sort_by_keyword", 10'000,
     "(count (sort-by :k (map (fn [i] {:k (mod (* i 7919) 10007)}) (range 10000))))"},
    {"string/str", 10'000, "(loop [i 0] (if (< i 10000) (do (str \"item\" i) (recur (inc i))) i))"},
    {"string/join_split", 10'000, "(count (split (join \",\" (range 10000)) \",\"))"},
    {"string/subs_unicode", 1'000,
     "(let [s (join (map (fn [_] \"z\u0307o\u0142w\") (range 100)))]"
     "  (loop [i 0] (if (< i 1000) (do (subs s 10 20) (recur (inc i))) i)))"},
    {"string/upcase", 1'000, "(loop [i 0] (if (< i 1000) (do (upcase \"hello, world\") (recur (inc i))) i))"},
    {"regex/find", 1'000,
     "(loop [i 0] (if (< i 1000) (do (re-find #\"(\\d+)-(\\d+)\" \"order 123-456\") (recur (inc i))) i))"},
    {"regex/seq", 1'000, "(count (re-seq #\"\\d+\" (join \",\" (range 1000))))"},
    {"print/pr_str", 1'000, "(count (pr-str (map (fn [i] {:id i :name \"Ada\"}) (range 1000))))"},
    {"print/println", 100, "(doseq [i (range 100)] (println \"line\" i))"},
    {"journal/task", 1'000, "(doseq [i (range 1000)] (task (str \"t\" i) i))"},
};

void run_part(benchmark::State& state, const Part& part) {
  const auto program = compiled(engine(), part.source);
  measure(state, [&] { benchmark::DoNotOptimize(ptc::bench::finished(program).fuel_used()); });
  state.SetItemsProcessed(state.iterations() * part.items);
}

// Ten typical lines, ten times over.
std::string long_source() {
  const char* const lines =
      "(let [rows (map (fn [i] {:id i :region (str \"r\" (mod i 5)) :amount (* i 7) :paid (odd? i)}) (range 10))\n"
      "      paid (filter :paid rows)\n"
      "      by-region (group-by :region paid)\n"
      "      totals (map (fn [[region sales]]\n"
      "                    {:region region\n"
      "                     :count (count sales)\n"
      "                     :total (reduce + (map :amount sales))})\n"
      "                  by-region)]\n"
      "  (sort-by :total > totals))\n";
  std::string out;
  for (int i = 0; i < 10; ++i) out += lines;
  return out;
}

void read_source(benchmark::State& state) {
  const std::string source = long_source();
  measure(state, [&] {
    ptc::FormArena arena;
    benchmark::DoNotOptimize(ptc::read_forms(source, arena).forms.size());
  });
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(source.size()));
}

void compile_source(benchmark::State& state) {
  const std::string source = long_source();
  measure(state, [&] { benchmark::DoNotOptimize(ptc::compile(source, {}).program.get()); });
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(source.size()));
}

void load_program(benchmark::State& state) {   // FlatBuffers verifier, our verifier, the program
  const std::vector<std::uint8_t> bytes = compiled(engine(), long_source())->encoded().bytes;
  measure(state, [&] { benchmark::DoNotOptimize(ptc::Program::from_bytes(bytes).index()); });
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

constexpr const char* kRows =
    "(mapv (fn [i] {:id i :name (str \"user-\" i) :score (+ i 0.5) :tags [\"a\" \"b\"]}) (range 1000))";

template <class Write>
void write_text(benchmark::State& state, Write&& write) {
  ptc::Run run = ptc::bench::finished(compiled(engine(), kRows));
  std::size_t size = 0;
  measure(state, [&] {
    std::string out;
    write(out, run);
    size = out.size();
  });
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
}

void write_edn(benchmark::State& state) {
  write_text(state, [](std::string& out, ptc::Run& run) { ptc::append_edn(out, run.result(), run.heap()); });
}
void write_json(benchmark::State& state) {
  write_text(state, [](std::string& out, ptc::Run& run) { ptc::append_json(out, run.result(), run.heap()); });
}

template <class Read>
void read_text(benchmark::State& state, const std::string& text, Read&& read) {
  ptc::Heap heap(std::uint64_t{1} << 30);
  measure(state, [&] { heap.release(std::get<ptc::Value>(read(heap, text))); });
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void read_edn(benchmark::State& state) {
  ptc::Run run = ptc::bench::finished(compiled(engine(), kRows));
  std::string text;
  ptc::append_edn(text, run.result(), run.heap());
  read_text(state, text, [](ptc::Heap& heap, const std::string& from) { return ptc::read_edn(heap, from); });
}
void read_json(benchmark::State& state) {
  ptc::Run run = ptc::bench::finished(compiled(engine(), kRows));
  std::string text;
  ptc::append_json(text, run.result(), run.heap());
  read_text(state, text, [](ptc::Heap& heap, const std::string& from) { return ptc::read_json(heap, from); });
}

// A log of a start, 1,000 tasks with one call each: what opening it again folds.
std::vector<ptc::Fact> long_log() {
  std::vector<ptc::Fact> out;
  const auto add = [&out](ptc::FactKind kind, std::string key) -> ptc::Fact& {
    ptc::Fact& fact = out.emplace_back();
    fact.seq = out.size();
    fact.kind = kind;
    fact.key = std::move(key);
    return fact;
  };
  add(ptc::FactKind::RunStarted, "");
  for (int i = 0; i < 1'000; ++i) {
    const std::string id = "task-" + std::to_string(i), call = "call-" + std::to_string(i);
    ptc::Fact& intent = add(ptc::FactKind::Intent, ptc::intent_key(call, 1));
    intent.idempotency_key = call;
    intent.task = id;
    intent.tool = "charge";
    intent.number = 1;
    ptc::Fact& settled = add(ptc::FactKind::EffectSettled, ptc::effect_key(call, 1));
    settled.idempotency_key = call;
    settled.status = "committed";
    settled.value = "\"receipt\"";
    settled.number = 1;
    ptc::Fact& task = add(ptc::FactKind::TaskCommitted, ptc::task_key(id, 1));
    task.id = id;
    task.value = "\"receipt\"";
    task.number = 1;
  }
  return out;
}

void fold_log(benchmark::State& state) {
  const std::vector<ptc::Fact> facts = long_log();
  measure(state, [&] {
    ptc::RunLog log;
    for (const ptc::Fact& fact : facts) log.add(fact);
    if (log.tasks().size() != 1'000) state.SkipWithError("tasks are missing");
  });
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(facts.size()));
}

void read_facts(benchmark::State& state) {
  std::vector<std::vector<std::uint8_t>> rows;
  for (const ptc::Fact& fact : long_log()) rows.push_back(ptc::fact_bytes(fact));
  measure(state, [&] {
    for (const auto& row : rows) benchmark::DoNotOptimize(ptc::read_fact(row).has_value());
  });
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.size()));
}

void write_snapshot(benchmark::State& state, const char* source) {
  const ptc::Run run = ptc::bench::suspended(engine(), source);
  const ptc::HostState host = ptc::bench::host();
  measure(state, [&] { benchmark::DoNotOptimize(ptc::write_snapshot(run, host).size()); });
}

void load_snapshot(benchmark::State& state, const char* source) {
  const ptc::Run run = ptc::bench::suspended(engine(), source);
  engine().programs()->keep(run.program());
  const std::vector<std::uint8_t> bytes = ptc::write_snapshot(run, ptc::bench::host());
  const ptc::RestoreOptions how = ptc::bench::restoring(engine().programs());
  measure(state, [&] { benchmark::DoNotOptimize(ptc::restore_snapshot(bytes, how).index()); });
}

BENCHMARK(read_source)->Name("reader");
BENCHMARK(compile_source)->Name("compiler");
BENCHMARK(load_program)->Name("verifier/load_program");
BENCHMARK(write_edn)->Name("edn/write");
BENCHMARK(read_edn)->Name("edn/read");
BENCHMARK(write_json)->Name("json/write");
BENCHMARK(read_json)->Name("json/read");
BENCHMARK(fold_log)->Name("journal/fold_log");
BENCHMARK(read_facts)->Name("journal/read_facts");
BENCHMARK_CAPTURE(write_snapshot, await, ptc::bench::kTrivial)->Name("snapshot/write_await");
BENCHMARK_CAPTURE(load_snapshot, await, ptc::bench::kTrivial)->Name("snapshot/restore_await");
BENCHMARK_CAPTURE(write_snapshot, records, ptc::bench::kRecords)->Name("snapshot/write_records");
BENCHMARK_CAPTURE(load_snapshot, records, ptc::bench::kRecords)->Name("snapshot/restore_records");

}  // namespace

int main(int argc, char** argv) {
  for (const Part& part : kParts) {
    benchmark::RegisterBenchmark(part.name, [&part](benchmark::State& state) { run_part(state, part); });
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
