// ptc_generated_run: random well-typed programs, straight, suspended at every safe point and in other ways, end alike.
//
//   ptc_generated_run [--from SEED] [--count N] [--json N] [--size N]
//
// Each program runs straight and suspended with answers in the order of the calls, then both again with answers in the
// opposite order; every N-th (--json) also with each state as JSON; then not optimized, and laid out by the formatter
// (other_ways.h says what may differ then); its value is printed, read and printed. Equal are: status, value, position
// of a fault, prints, journal, memory, summaries, tool calls and fuel. A difference prints the program and ends with
// status 1.
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include "generated/other_ways.h"
#include "support/generated_file.h"
#include "support/program_run.h"
#include "tools/generator/generator.h"

namespace {

using ptc::test::file_of;
using ptc::test::Mode;
using ptc::test::Observation;
using ptc::test::ProgramFile;

struct Arguments {
  std::uint64_t from = 1, count = 2'000, json = 10, size = 80;
  bool refused = false;
};

Arguments read_arguments(int count, char** texts) {
  Arguments out;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = texts[i], text = i + 1 < count ? texts[i + 1] : "";
    std::uint64_t* const number = name == "--from"    ? &out.from
                                  : name == "--count" ? &out.count
                                  : name == "--json"  ? &out.json
                                  : name == "--size"  ? &out.size
                                                      : nullptr;
    if (number == nullptr) return out.refused = true, out;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return out.refused = true, out;
  }
  return out;
}

std::string differences(const ptc::Engine& engine, const ProgramFile& file, bool json) {
  const Observation straight = observe(engine, file, Mode::Straight), lifo = observe(engine, file, Mode::Lifo);
  if (!straight.setup_complaint.empty()) return straight.setup_complaint;
  std::string out;
  const auto compare = [&](std::string_view what, const Observation& expected, Mode mode) {
    const std::string difference = difference_between(expected, observe(engine, file, mode));
    if (!difference.empty()) out.append(what) += '\n' + difference;
  };
  compare("suspended", straight, Mode::Suspended);
  compare("suspended, last answer first", lifo, Mode::SuspendedLifo);
  if (json) compare("suspended as JSON", straight, Mode::SuspendedJson);
  const auto note = [&out](std::string_view what, const std::string& difference) {
    if (!difference.empty()) out.append(what) += '\n' + difference;
  };
  note("not optimized", difference_when_plain(engine, file, straight));
  note("printed and read", difference_when_read_again(engine, straight));
  note("formatted", difference_when_formatted(engine, file, straight));
  return out;
}

}  // namespace

int main(int count, char** texts) {
  const Arguments arguments = read_arguments(count, texts);
  if (arguments.refused) {
    std::fputs("usage: ptc_generated_run [--from SEED] [--count N] [--json N] [--size N]\n", stderr);
    return 2;
  }
  const ptc::Engine engine({.cached_programs = 0, .shelved_programs = 4});
  std::uint64_t faults = 0;
  for (std::uint64_t k = 0; k < arguments.count; ++k) {
    ptc::generator::GeneratorOptions options;
    options.seed = arguments.from + k;
    options.size = static_cast<unsigned>(arguments.size);
    options.failing_percent = 5;
    const ProgramFile file = file_of(generate_program(options), options.seed);
    const bool json = arguments.json != 0 && k % arguments.json == 0;
    if (const std::string found = differences(engine, file, json); !found.empty()) {
      std::printf("FAILED seed %llu\n%s\n%s\n", static_cast<unsigned long long>(options.seed), file.source.c_str(),
                  found.c_str());
      return 1;
    }
    faults += observe(engine, file, Mode::Straight).status == ptc::OutcomeStatus::Error ? 1 : 0;
    if ((k + 1) % 1'000 == 0) {
      std::printf("%llu programs, %llu of them end in a fault\n", static_cast<unsigned long long>(k + 1),
                  static_cast<unsigned long long>(faults));
      std::fflush(stdout);
    }
  }
  std::printf("%llu programs passed, %llu of them end in a fault\n", static_cast<unsigned long long>(arguments.count),
              static_cast<unsigned long long>(faults));
  return 0;
}
