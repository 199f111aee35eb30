// A program under each limit, at few or many points, and in memory that runs out at few or many places.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "limits/counting_source.h"
#include "support/program_run.h"

namespace ptc::test {

struct SweepSize {
  std::uint64_t points = 12;              // points of each limit
  std::uint64_t refusals = 40;            // of memory
  bool is_full = false;                   // every point up to kMostPoints instead
};
inline constexpr std::uint64_t kMostPoints = 2'000;

struct SweepCounts {
  std::uint64_t programs = 0, runs = 0, faults = 0, refusals = 0;
};

class LimitSweep {
 public:
  LimitSweep(SweepSize size, std::string_view only_limit);
  // What is wrong, a line each; empty: nothing.
  std::string failures_of(const ProgramFile& file);
  const SweepCounts& counts() const { return counts_; }

 private:
  struct Row;

  Observation run(const ProgramFile& file, Mode mode = Mode::Straight, std::uint64_t slice = 1);
  std::string sweep(const ProgramFile& file, const Row& row, const Observation& straight);
  std::string failure_at(ProgramFile file, const Row& row, std::uint64_t limit, const Observation& straight,
                         bool& is_enough);
  std::string refuse_memory(const ProgramFile& file, const Observation& straight, std::uint64_t takes);
  std::string start_lower(const ProgramFile& file, const Observation& straight);

  SweepSize size_;
  std::string only_;
  SweepCounts counts_;
  std::shared_ptr<CountingSource> memory_;
  Engine engine_;
  std::uint64_t largest_ = 0;             // block of the unlimited run
  std::uint64_t at_start_ = 0;            // bytes of the inputs and of the program's constants
};

}  // namespace ptc::test
