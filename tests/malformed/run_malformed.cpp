// Runs broken programs: whatever the text, the outcome is a value or a fault with a kind and a position, within limits.
//
//   ptc_malformed_test FOLDER [COUNT] [SEED]
//
// The texts are mutations of the test programs under FOLDER. A crash, a leak or a hang fails the test by itself; here
// it is checked that every fault has a kind of the table and a line, and that programs that never ran were refused for
// little time and memory.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "malformed/mutations.h"
#include "schema/fault_kind.h"
#include "support/program_file.h"
#include "support/program_run.h"
#include "support/refusal_cost.h"

namespace {

using ptc::test::Mode;
using ptc::test::Observation;
using ptc::test::ProgramFile;

std::uint64_t number_or(const char* text, std::uint64_t fallback) {
  std::uint64_t number = fallback;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

ptc::SessionOptions bounded() {
  ptc::SessionOptions options;
  options.limits.fuel = 200'000;
  options.limits.memory_bytes = 16u << 20;
  options.limits.loop = 5'000;
  return options;
}

bool is_reported(const Observation& seen) {
  if (!seen.setup_complaint.empty()) return false;
  if (seen.status != ptc::OutcomeStatus::Error) return !seen.value_edn.empty();
  return ptc::find_fault(seen.kind).has_value() && !seen.message.empty() && seen.line >= 1 && seen.column >= 1;
}

}  // namespace

int main(int count, char** texts) {
  if (count < 2) {
    std::fputs("usage: ptc_malformed_test FOLDER [COUNT] [SEED]\n", stderr);
    return 2;
  }
  const std::vector<ProgramFile> originals = ptc::test::read_program_files(texts[1], "");
  const std::uint64_t wanted = number_or(count > 2 ? texts[2] : nullptr, 1'000);
  ptc::test::Dice dice(number_or(count > 3 ? texts[3] : nullptr, 20'240'229));
  if (originals.empty()) {
    std::fprintf(stderr, "no programs under %s\n", texts[1]);
    return 2;
  }
  const ptc::Engine engine({.cached_programs = 0});
  std::size_t failed = 0, values = 0;
  double slowest = 0;
  long largest = 0;
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const ProgramFile& first = originals[dice.below(originals.size())];
    const ProgramFile& second = originals[dice.below(originals.size())];
    ProgramFile broken;
    broken.source = ptc::test::mutated(first.source, second.source, dice);
    broken.options = bounded();
    const ptc::test::CostMeter cost;
    const Observation seen = observe(engine, broken, i % 4 == 3 ? Mode::Stepped : Mode::Straight);
    const double seconds = cost.seconds();
    const long kilobytes = cost.kilobytes();
    if (seen.status != ptc::OutcomeStatus::Error) ++values;
    const bool never_ran = seen.status == ptc::OutcomeStatus::Error && seen.fuel == 0;
    if (never_ran) {
      slowest = std::max(slowest, seconds);
      largest = std::max(largest, kilobytes);
    }
    if (!is_reported(seen) || (never_ran && !ptc::test::CostMeter::is_cheap(seconds, kilobytes))) {
      ++failed;
      std::printf("FAILED from %s: kind '%s' at %u:%u, message '%s', %.1f ms, %ld KB\n%s\n", first.name.c_str(),
                  seen.kind.c_str(), seen.line, seen.column, seen.message.c_str(), seconds * 1e3, kilobytes,
                  broken.source.c_str());
    }
  }
  if (ptc::test::kCostIsMeasured) std::printf("refused for %.1f ms and %ld KB at most\n", slowest * 1e3, largest);
  std::printf("%llu programs, %zu of them still gave a value\n", static_cast<unsigned long long>(wanted), values);
  std::printf("%llu passed, %zu failed\n", static_cast<unsigned long long>(wanted - failed), failed);
  return failed == 0 ? 0 : 1;
}
