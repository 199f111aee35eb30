#include <fstream>
#include <iterator>

#include "compiler/compile.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/seed_sources.h"
#include "runtime/text/edn_json.h"
#include "support/generated_file.h"
#include "support/program_run.h"
#include "support/snapshot_drive.h"
#include "vm/exec/program.h"

namespace ptc::fuzz {
namespace {

using test::ProgramFile;

constexpr std::uint64_t kGenerated = 40;
constexpr int kSharingStates = 4;
constexpr std::size_t kMostSnapshots = 2, kMostSource = 1'200;

// Values whose parts are shared, so that snapshots name them one by one; each loops, so that there are safe points.
constexpr std::string_view kSharing[] = {
    "(let [v (vec (range 100)) w (conj v 1) x (assoc v 3 :three) r (rest v)]"
    " (loop [i 0] (if (< i 40) (recur (inc i)) [v w x r (subvec v 40)])))",
    "(let [m (into {} (map (fn [i] [(str \"k\" i) i]) (range 60))) n (assoc m \"k3\" :x) o (dissoc m \"k4\")]"
    " (loop [i 0] (if (< i 40) (recur (inc i)) [m n o])))",
    "(let [s (set (range 60)) t (conj s :k) u (disj s 7)] (loop [i 0] (if (< i 40) (recur (inc i)) [s t u])))",
    "(let [rows (mapv (fn [i] {:id i :name (str i) :tags [i]}) (range 20)) more (conj rows {:id 0 :name nil :tags []})"
    "      both (mapv (fn [r] (assoc r :x 1)) rows)] (loop [i 0] (if (< i 40) (recur (inc i)) [rows more both])))",
    "(let [d (java.util.Date. 1) i (Instant/parse \"2026-01-01T00:00:00Z\") l (LocalDate/parse \"2026-01-01\")"
    "      big 123456789012345678901234567890 re #\"a+\" f (fn [x] (fn [y] (+ x y))) g (f 1) h [g g inc]"
    "      p (partial + 1) c (comp g p) nan (/ 0.0 0.0)]"
    " (loop [k 0] (if (< k 40) (recur (inc k)) [d i l big re (g 2) (count h) (c 1) nan])))",
    "(do (def v (vec (range 70))) (def m (zipmap (range 40) (range 40)))"
    " (reduce (fn [[a b] i] [(conj a i) (assoc b i a)]) [v m] (range 6)))",
    "(sort-by (fn [x] (mod (* x 7) 13)) (map (fn [x] (let [y [x x]] (first y))) (range 40)))",
    "(let [v [0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9]"
    "      m {0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21} s #{0 1 2 3 4 5 6 7 8 9 10 11}]"
    " (loop [i 0] (if (< i 40) (recur (inc i)) [v m s])))",
    "(let [k (str \"a\" \"b\") m {k 1 \"c\" k} n {k 2 \"c\" m}] (loop [i 0] (if (< i 40) (recur (inc i)) [k m n])))",
    "(do (def x 0) (pmap (fn [i] (def x [i]) (loop [k 0] (if (< k 40) (recur (inc k)) x))) [1 2]))"};

// Turns of one run: the first program is gone when the second has its keys as constants.
constexpr std::string_view kTurns[] = {
    "(def rows [{\"id\" 1 \"name\" \"a\"} {\"id\" 2 \"name\" \"b\"}])",
    "(let [one {\"id\" 3 \"name\" \"c\"} two {\"id\" one \"other\" [one]}]"
    " (loop [i 0] (if (< i 40) (recur (inc i)) [one two rows])))"};

void add_compiled(SeedFolder& seeds, const ProgramFile& file) {
  const CompileResult compiled = compile(file.source, {});
  if (compiled.program == nullptr) return;
  compiled.program->source.clear();   // its places say nothing then: no seed is about them
  const Octets bytes = program_bytes(*compiled.program);
  for (const char* const target : {"bytecode", "bytecode_mutated"}) seeds.add(target, bytes);
  for (const auto& constant : compiled.program->constants) {
    if (constant->kind == schema::ConstantKind::Regex) seeds.add("regex", constant->text + "\naab ab 12-34 b\n");
  }
}

void add_states(SeedFolder& seeds, const Engine& engine, ProgramFile file, Random& random) {
  file.options.limits = test::tiny_limits();   // those under which it is restored
  std::size_t taken = 0;
  const unsigned skip = 1 + random.below(5);
  const auto take = [&] { return random.below(skip) == 0; };
  for (const Octets& bytes : snapshots_of(engine, file, 1 + random.below(40), take)) {
    for (const char* const target : {"snapshot", "snapshot_mutated"}) seeds.add(target, bytes);
    auto result = restore_snapshot(bytes);
    if (auto* const restored = std::get_if<Restored>(&result)) {
      seeds.add("snapshot_json", write_snapshot_json(restored->run, restored->host));
      for (const auto& [key, value] : restored->host.cached_answers) restored->run.heap().release(value);
    }
    if (++taken == kMostSnapshots) return;
  }
}

void add_turns(SeedFolder& seeds, const Engine& engine) {
  Run run(test::tiny_limits());
  std::vector<std::string> names;
  for (const std::string_view source : kTurns) {
    CompileRequest request;
    request.source = source;
    const std::vector<std::string_view> known(names.begin(), names.end());
    request.memory_names = known;
    const CompileAnswer answer = engine.compile(request);
    if (answer.program == nullptr) std::abort();
    run.start(answer.program);
    if (source == kTurns[0]) run.step();
    run.for_each_definition([&](std::string_view name, Value) { names.emplace_back(name); });
  }
  for (int state = 0; state < kSharingStates && run.step(10) == StepStatus::Yielded; ++state) {
    const Octets bytes = write_snapshot(run, {});
    for (const char* const target : {"snapshot", "snapshot_mutated"}) seeds.add(target, bytes);
    seeds.add("snapshot_json", write_snapshot_json(run, {}));
  }
}

void add_values(SeedFolder& seeds, const ProgramFile& file) {
  for (const std::string& edn : {file.expect.value_edn, file.data_edn, file.memory_edn, file.journal_edn}) {
    if (edn.empty()) continue;
    seeds.add("edn", edn);
    seeds.add("json", json_of_edn(edn));
    if (!file.options.signature.empty()) {
      seeds.add("tool_results", file.options.signature + '\n' + json_of_edn(edn));
    }
  }
  if (!file.options.signature.empty()) seeds.add("signature", file.options.signature);
}

}  // namespace

void add_program_seeds(SeedFolder& seeds, const std::filesystem::path& tests) {
  const Engine engine({.cached_programs = 0, .shelved_programs = 0});
  Random random(1);
  std::vector<ProgramFile> files = test::read_program_files((tests / "programs").string(), "");
  for (std::uint64_t k = 1; k <= kGenerated; ++k) {
    generator::GeneratorOptions options;
    options.seed = k;
    options.size = 10 + random.below(40);
    files.push_back(test::file_of(generate_program(options), k));
    options.size = 2 + options.size / 4;   // a request compiles its program each time
    seeds.add("batch", batch_request_line(generate_program(options), std::to_string(k)));
  }
  add_turns(seeds, engine);
  for (const std::string_view source : kSharing) {
    const ProgramFile file = test::parse_program_file("sharing", std::string(source));
    for (int k = 0; k < kSharingStates; ++k) add_states(seeds, engine, file, random);
  }
  for (const ProgramFile& file : files) {
    if (file.heavy || !file.complaint.empty() || file.source.size() > kMostSource) continue;
    for (const char* const target : {"reader", "compiler"}) seeds.add(target, file.source);
    add_values(seeds, file);
    add_compiled(seeds, file);
    if (random.below(4) == 0) add_states(seeds, engine, file, random);
  }
}

void add_snapshot_seeds(SeedFolder& seeds, const std::filesystem::path& snapshots) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(snapshots)) {
    const auto extension = entry.path().extension();
    const bool binary = extension == ".ptcs";
    if (!binary && extension != ".json") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const Octets bytes(std::istreambuf_iterator<char>(in), {});
    seeds.add(binary ? "snapshot" : "snapshot_json", bytes);
    if (binary) seeds.add("snapshot_mutated", bytes);
  }
}

}  // namespace ptc::fuzz
