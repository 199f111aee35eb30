// Runs every test program in many ways and asks for the same answer each time.
//
//   ptc_program_test [FOLDER] [--docs FILE.md]… [--filter TEXT] [--mode straight|stepped|bytes|plain|lifo|shuffled|fuel]
//
// A program passes when the straight run gives what its file states and every other mode gives what the straight run
// gave. Mode fuel runs it with 1, 2, 3 … units below its use: each ends in fuel_exhausted with a prefix of its prints.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "support/markdown_programs.h"
#include "support/program_file.h"
#include "support/program_run.h"
#include "support/sweep.h"

namespace {

using ptc::test::Mode;
using ptc::test::Observation;
using ptc::test::ProgramFile;

constexpr std::uint64_t kSuspensions = 300 / ptc::kSweepStep;
constexpr std::uint64_t kFuelSteps = 200 / ptc::kSweepStep;

struct Arguments {
  std::string folder;
  std::vector<std::string> documents;
  std::string filter, mode;
  bool refused = false;
};

Arguments read_arguments(int count, char** texts) {
  Arguments out;
  for (int i = 1; i < count; ++i) {
    const std::string_view text = texts[i];
    std::string* value = text == "--filter" ? &out.filter : text == "--mode" ? &out.mode : nullptr;
    if (value == nullptr && text == "--docs") value = &out.documents.emplace_back();
    if (value != nullptr) {
      if (++i == count) return out.refused = true, out;
      *value = texts[i];
    } else if (text.starts_with("-") || !out.folder.empty()) {
      return out.refused = true, out;
    } else {
      out.folder = text;
    }
  }
  return out;
}

// A run that ends between a task and its reset has what the whole run forgets.
bool forgets_tasks(const ProgramFile& file) { return file.source.find("(task-reset ") != std::string::npos; }

bool journal_is_part_of(const Observation& part, const Observation& whole) {
  return std::all_of(part.journal.begin(), part.journal.end(), [&whole](const auto& entry) {
    return std::find(whole.journal.begin(), whole.journal.end(), entry) != whole.journal.end();
  });
}

std::string fuel_differences(const ptc::Engine& engine, const ProgramFile& file, const Observation& straight) {
  for (std::uint64_t fuel = 1; fuel < straight.fuel && fuel <= kFuelSteps; ++fuel) {
    const Observation cut = observe(engine, file, Mode::Straight, fuel);
    const bool prefix = ptc::test::is_part_of(cut.prints, straight.prints, ptc::test::waits(file));
    const bool is_kept = forgets_tasks(file) || journal_is_part_of(cut, straight);
    if (cut.kind == "fuel_exhausted" && prefix && is_kept) continue;
    return "  with fuel " + std::to_string(fuel) + " of " + std::to_string(straight.fuel) +
           ":\n    expected fuel_exhausted and a prefix of the prints\n    seen " +
           (cut.kind.empty() ? "=> " + cut.value_edn : "!! " + cut.kind + " (" + cut.message + ")") + " prints " +
           prints_text(cut) + " journal " + journal_text(cut) + "\n";
  }
  return {};
}

struct ModeRow {
  std::string_view name;
  Mode mode;
};
constexpr ModeRow kModes[] = {{"stepped", Mode::Stepped},
                              {"bytes", Mode::Bytes},
                              {"plain", Mode::Plain},
                              {"lifo", Mode::Lifo},
                              {"shuffled", Mode::Shuffled},
                              {"suspended", Mode::Suspended}};

// Empty when the program passes.
std::string failures_of(const ptc::Engine& engine, const ProgramFile& file, std::string_view only_mode) {
  if (!file.complaint.empty()) return "  " + file.complaint + '\n';
  const auto wanted = [only_mode](std::string_view name) { return only_mode.empty() || only_mode == name; };
  const Observation straight = observe(engine, file, Mode::Straight);
  std::string out = difference_from(file.expect, straight);
  if (!out.empty()) return out;
  if (file.heavy) return {};
  for (const ModeRow& row : kModes) {
    if (!wanted(row.name)) continue;
    if ((row.mode == Mode::Lifo || row.mode == Mode::Shuffled) && !ptc::test::waits(file)) continue;
    // Long programs are suspended at some hundred points, all others at every one.
    const std::uint64_t slice = row.mode == Mode::Suspended ? 1 + straight.fuel / kSuspensions : 1;
    Observation seen = observe(engine, file, row.mode, std::nullopt, slice);
    if (row.mode == Mode::Lifo || row.mode == Mode::Shuffled) seen.commits_edn = straight.commits_edn;
    if (row.mode == Mode::Plain) seen.fuel = straight.fuel;   // other code, other cost
    const std::string difference = difference_between(straight, seen);
    if (!difference.empty()) out += "  in mode " + std::string(row.name) + ":\n" + difference;
  }
  if (wanted("fuel") && straight.kind != "fuel_exhausted") out += fuel_differences(engine, file, straight);
  return out;
}

std::vector<ProgramFile> collect(const Arguments& arguments) {
  std::vector<ProgramFile> files;
  if (!arguments.folder.empty()) files = ptc::test::read_program_files(arguments.folder, arguments.filter);
  for (const std::string& document : arguments.documents) {
    std::ifstream in(document, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    for (ProgramFile& file : ptc::test::programs_of_markdown(document, text)) {
      if (file.name.find(arguments.filter) != std::string::npos) files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace

int main(int count, char** texts) {
  const Arguments arguments = read_arguments(count, texts);
  if (arguments.refused) {
    std::fputs("usage: ptc_program_test [FOLDER] [--docs FILE.md] [--filter TEXT] [--mode NAME]\n", stderr);
    return 2;
  }
  const ptc::Engine engine;
  const std::vector<ProgramFile> files = collect(arguments);
  std::size_t passed = 0, failed = 0;
  for (const ProgramFile& file : files) {
    const std::string failures = failures_of(engine, file, arguments.mode);
    if (failures.empty()) {
      ++passed;
    } else {
      ++failed;
      std::printf("FAILED %s\n%s", file.name.c_str(), failures.c_str());
    }
    if ((passed + failed) % 100 == 0) std::printf("%zu of %zu programs\n", passed + failed, files.size());
    std::fflush(stdout);
  }
  std::printf("%zu passed, %zu failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
