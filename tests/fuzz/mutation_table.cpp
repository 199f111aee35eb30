// ptc_mutation_table: what comes of snapshots that were changed, by how they were kept (docs/security.md).
//
//   ptc_mutation_table SNAPSHOTS [--count N] [--seed N] [--show VERDICT] [--files FOLDER]
//
// SNAPSHOTS is tests/snapshots. For each keeping N mutants are restored under limits and run to their ends with the
// answers that the original got: rejected, completed equal, ended with a fault, or ended otherwise in any way that can
// be observed, which is a wrong value; a crash or a run that does not end is a crash. --show prints mutants with one
// verdict; --files also tries every file below a folder as a snapshot and asks for a refusal.
//
// Exit status 1: something crashed, a wrong value or an error came of a keeping that is protected, or a refusal took
// 50 ms of processor time or 64 MB of memory.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/mutant_run.h"
#include "support/number_argument.h"
#include "support/refusal_cost.h"

namespace ptc::test {
namespace {

constexpr std::string_view kVerdicts[kVerdictCount] = {"rejected", "equal", "error", "wrong", "crash"};

struct Arguments {
  std::string snapshots, show, files;
  std::uint64_t count = 400, seed = 1;
  bool refused = false;
};

Arguments read_arguments(int count, char** texts) {
  Arguments out;
  out.refused = count < 2 || count % 2 != 0;
  if (out.refused) return out;
  out.snapshots = texts[1];
  for (int i = 2; i < count; i += 2) {
    const std::string_view name = texts[i], value = texts[i + 1];
    if (name == "--show") {
      out.show = value;
    } else if (name == "--files") {
      out.files = value;
    } else if (name == "--count" || name == "--seed") {
      out.refused |= !read_number(value, name == "--count" ? out.count : out.seed);
    } else {
      out.refused = true;
    }
  }
  return out;
}

struct Row {
  std::array<std::uint64_t, kVerdictCount> verdicts{};
  std::uint64_t too_dear = 0;
  Tried slowest, largest;          // the slowest and the largest refusal

  std::uint64_t of(Verdict verdict) const { return verdicts[static_cast<std::size_t>(verdict)]; }
  void add(const Tried& tried) {
    ++verdicts[static_cast<std::size_t>(tried.verdict)];
    if (tried.verdict != Verdict::Rejected) return;
    if (!CostMeter::is_cheap(tried.seconds, tried.kilobytes)) ++too_dear;
    if (tried.seconds >= slowest.seconds) slowest = tried;
    if (tried.kilobytes >= largest.kilobytes) largest = tried;
  }
};

void print_row(std::string_view name, const Row& row) {
  std::printf("| %-42s |", std::string(name).c_str());
  for (const std::uint64_t count : row.verdicts) std::printf(" %7llu |", static_cast<unsigned long long>(count));
  std::printf(" %8.2f | %9ld |\n", row.slowest.seconds * 1e3, row.largest.kilobytes);
}

void print_head(const char* what) {
  std::printf("| %-42s | rejected | equal | error | wrong | crash | most ms | most KB |\n", what);
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
}

void print_dearest(const std::vector<Row>& rows) {
  std::printf("\n| the dearest refusals | broken by | ms | KB | reason |\n| --- | --- | ---: | ---: | --- |\n");
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (const Tried* tried : {&rows[k].slowest, &rows[k].largest}) {
      std::printf("| %s | %s | %.2f | %ld | %s |\n", std::string(keeping_name(kKeepings[k])).c_str(),
                  std::string(breakage_name(tried->breakage)).c_str(), tried->seconds * 1e3, tried->kilobytes,
                  tried->text.data());
    }
  }
}

bool is_good(Keeping keeping, const Row& row) {
  const std::uint64_t otherwise = row.of(Verdict::WrongValue) + row.of(Verdict::Error);
  return row.of(Verdict::Crash) == 0 && row.too_dear == 0 && (!is_protected(keeping) || otherwise == 0);
}

bool print_table(const Arguments& arguments, const Engine& engine, const MutantCorpus& corpus) {
  bool good = true;
  std::vector<Row> rows;
  std::array<Row, kBreakageCount> by_breakage;   // rows of keepings that are not protected
  print_head("kept as");
  for (const Keeping keeping : kKeepings) {
    Row row;
    std::uint64_t number = 0;
    for (const Tried& tried : try_mutants(engine, corpus, keeping, arguments.seed, arguments.count)) {
      ++number;
      row.add(tried);
      if (!is_protected(keeping)) by_breakage[static_cast<std::size_t>(tried.breakage)].add(tried);
      if (kVerdicts[static_cast<std::size_t>(tried.verdict)] != arguments.show) continue;
      std::printf("%llu %s, %s: %s\n", static_cast<unsigned long long>(number),
                  std::string(keeping_name(keeping)).c_str(), std::string(breakage_name(tried.breakage)).c_str(),
                  tried.text.data());
    }
    print_row(keeping_name(keeping), row);
    good = is_good(keeping, row) && good;
    rows.push_back(row);
  }
  std::printf("\n");
  print_head("broken by, where nothing protects");
  for (std::size_t k = 0; k < kBreakageCount; ++k) print_row(breakage_name(static_cast<Breakage>(k)), by_breakage[k]);
  if (kCostIsMeasured) print_dearest(rows);
  return good;
}

// Files that were kept because something was wrong once: none of them is a run of any program here.
bool try_files(const Arguments& arguments, const Engine& engine) {
  bool good = true;
  std::printf("\n| file | ms | KB | reason |\n| --- | ---: | ---: | --- |\n");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments.files)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const Octets bytes{std::istreambuf_iterator<char>(in), {}};
    const CostMeter cost;
    const End end = ended(engine, {}, bytes);
    const double seconds = cost.seconds();
    const long kilobytes = cost.kilobytes();
    std::printf("| %s | %.2f | %ld | %s |\n", entry.path().filename().c_str(), seconds * 1e3, kilobytes,
                end.text.c_str());
    good = good && end.refused && CostMeter::is_cheap(seconds, kilobytes);
  }
  return good;
}

int run(int count, char** texts) {
  const Arguments arguments = read_arguments(count, texts);
  if (arguments.refused) {
    std::fputs("usage: ptc_mutation_table SNAPSHOTS [--count N] [--seed N] [--show VERDICT] [--files FOLDER]\n",
               stderr);
    return 2;
  }
  const Engine engine({.cached_programs = 0, .shelved_programs = 0});
  const MutantCorpus corpus(engine, arguments.snapshots, arguments.seed);
  if (!corpus.complaint().empty()) {
    std::printf("FAILED %s\n", corpus.complaint().c_str());
    return 1;
  }
  std::printf("%llu mutants for each keeping, seed %llu, made of:", static_cast<unsigned long long>(arguments.count),
              static_cast<unsigned long long>(arguments.seed));
  for (const Keeping keeping : kKeepings) std::printf(" %zu", corpus.kept(keeping).size());
  std::printf(" snapshots\n\n");
  bool good = print_table(arguments, engine, corpus);
  if (!arguments.files.empty()) good = try_files(arguments, engine) && good;
  std::printf("\n%s\n", good ? "1 passed, 0 failed" : "0 passed, 1 failed");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace ptc::test

int main(int count, char** texts) { return ptc::test::run(count, texts); }
