// Limits are monotone: a run that a limit does not end is the unlimited run, and so is one with a larger limit. Points
// are tried from 1 upwards until a run is not ended any more.
#include "limits/limit_sweep.h"

#include <algorithm>

namespace ptc::test {
namespace {

// Small objects that may come between two looks at the memory, and records that have no size of their own.
constexpr std::uint64_t kSlackBytes = 16u << 10;
constexpr std::uint64_t kSuspensions = 40;

// The points 1, 2, 3, 4, 6, 8, 12, … up to `most`, the last ones close to it.
std::vector<std::uint64_t> points_up_to(std::uint64_t most, const SweepSize& size) {
  std::vector<std::uint64_t> points;
  if (most == 0) return points;
  if (size.is_full && most <= kMostPoints) {
    for (std::uint64_t n = 1; n <= most; ++n) points.push_back(n);
    return points;
  }
  const std::uint64_t wanted = size.is_full ? kMostPoints : size.points;
  double at = 1;
  std::uint64_t doublings = 1;
  while (doublings < 63 && (std::uint64_t{1} << doublings) < most) ++doublings;
  const double factor = 1.0 + static_cast<double>(doublings) * 0.7 / static_cast<double>(wanted);
  while (points.size() + 1 < wanted && static_cast<std::uint64_t>(at) < most) {
    const auto point = static_cast<std::uint64_t>(at);
    if (points.empty() || points.back() != point) points.push_back(point);
    at = std::max(at * factor, at + 1);
  }
  points.push_back(most);
  return points;
}

bool is_concurrent(const ProgramFile& file) {
  return waits(file) || file.source.find("pmap") != std::string::npos ||
         file.source.find("pcalls") != std::string::npos;
}

std::string records_lost(const ProgramFile& file, const Observation& cut, const Observation& whole) {
  const bool with_gaps = is_concurrent(file);
  if (!is_part_of(cut.prints, whole.prints, with_gaps)) {
    return "prints " + prints_text(cut) + " are no beginning of " + prints_text(whole);
  }
  if (!is_part_of(cut.calls, whole.calls, with_gaps)) return "tool calls that the unlimited run did not make";
  if (file.source.find("task-reset") != std::string::npos) return {};   // what it takes away was there
  for (const auto& entry : cut.journal) {
    const bool known = std::find(whole.journal.begin(), whole.journal.end(), entry) != whole.journal.end();
    if (!known) return "journal " + journal_text(cut) + " is no part of " + journal_text(whole);
  }
  return {};
}

// Returns whether it is the fault itself, or the fault of the form whose branch it ended.
bool is_fault(const Observation& seen, std::string_view name) {
  if (seen.status != OutcomeStatus::Error) return false;
  const bool of_a_branch = seen.kind == "pmap_error" || seen.kind == "pcalls_error";
  return seen.kind == name || (of_a_branch && seen.message.find(name) != std::string::npos);
}

std::string without_fuel(Observation first, const Observation& second) {
  first.fuel = second.fuel;
  return difference_between(first, second);
}

}  // namespace

struct LimitSweep::Row {
  const LimitInfo& limit;
  std::string_view fault;
  bool ends_everything;                   // never the fault of a branch alone
};

namespace {

// A limit is tried unless passing it is no fault, the clock decides, or the host meets it outside of the program.
bool is_tried(const LimitInfo& limit) {
  return limit.fault && *limit.fault != FaultKind::Timeout && *limit.fault != FaultKind::AwaitTimeout &&
         limit.scope != LimitScope::Host;
}

// What passes one of these fails its branch, and the form around it.
bool fails_a_branch(FaultKind fault) {
  return fault == FaultKind::RecursionLimitExceeded || fault == FaultKind::LoopLimitExceeded ||
         fault == FaultKind::ParallelCapacityExceeded || fault == FaultKind::StringLimitExceeded ||
         fault == FaultKind::IntegerLimitExceeded || fault == FaultKind::RegexLimitExceeded;
}

std::uint64_t value_of(const Limits& limits, const LimitInfo& limit) {
  std::uint64_t value = 0;
  for_each_limit(limits, [&](const LimitInfo& row, const auto& number) {
    if (&row == &limit) value = static_cast<std::uint64_t>(number);
  });
  return value;
}

// Returns how much of the limit the unlimited run used at most.
std::uint64_t used_of(const LimitInfo& limit, const Observation& straight, const Limits& limits) {
  switch (*limit.fault) {
    case FaultKind::FuelExceeded: return straight.fuel;
    case FaultKind::MemoryExceeded: return straight.peak_bytes;
    case FaultKind::ToolCallLimitExceeded: return straight.calls.size();
    default: return value_of(limits, limit);
  }
}

}  // namespace

LimitSweep::LimitSweep(SweepSize size, std::string_view only_limit)
    : size_(size), only_(only_limit), memory_(std::make_shared<CountingSource>()), engine_([this] {
        EngineOptions options;
        options.memory = memory_;
        return options;
      }()) {}

Observation LimitSweep::run(const ProgramFile& file, Mode mode, std::uint64_t slice) {
  ++counts_.runs;
  return observe(engine_, file, mode, std::nullopt, slice);
}

std::string LimitSweep::failure_at(ProgramFile file, const Row& row, std::uint64_t limit, const Observation& straight,
                                   bool& is_enough) {
  // A limit below its least is refused before there is a run.
  if (!set_limit(file.options.limits, row.limit, std::to_string(limit)).empty()) return {};
  const auto is = [&row](FaultKind kind) { return *row.limit.fault == kind; };
  const Observation cut = run(file);
  if (!cut.setup_complaint.empty()) return {};   // its data do not fit into the limit
  is_enough = without_fuel(straight, cut).empty();
  const std::uint64_t bound = std::max(limit, at_start_) + largest_ + kSlackBytes;
  if (is(FaultKind::MemoryExceeded) && cut.peak_bytes > bound) {
    return "the heap came to " + std::to_string(cut.peak_bytes) + " bytes, an object to " + std::to_string(largest_);
  }
  if (is_enough) return {};
  ++counts_.faults;
  const bool is_named = row.ends_everything ? cut.kind == row.fault : is_fault(cut, row.fault);
  if (!is_named && cut.kind == "fuel_exhausted" && cut.kind == straight.kind) return {};   // that comes first
  if (!is_named) {
    return "expected " + std::string(row.fault) + ", seen " +
           (cut.kind.empty() ? "=> " + cut.value_edn : cut.kind + " (" + cut.message + ')');
  }
  if (std::string lost = records_lost(file, cut, straight); !lost.empty()) return lost;
  if (is(FaultKind::SymbolLimitExceeded)) return {};          // nothing ran
  if (std::string other = difference_between(cut, run(file)); !other.empty()) return "a second time:\n" + other;
  const std::uint64_t slice = 1 + cut.fuel / kSuspensions;
  const Observation suspended = run(file, Mode::Suspended, slice);
  // An answer came that there is no room for: the run goes no further, and is not taken up again.
  const bool is_full = suspended.message.find("memory limit") != std::string::npos;
  const bool is_refused = suspended.kind == "snapshot_invalid" && is_full;
  if (is(FaultKind::MemoryExceeded) && !file.tools.empty() && is_refused) return {};
  if (std::string other = difference_between(cut, suspended); !other.empty()) {
    return "suspended every " + std::to_string(slice) + ":\n" + other;
  }
  return {};
}

std::string LimitSweep::sweep(const ProgramFile& file, const Row& row, const Observation& straight) {
  const bool is_fuel = *row.limit.fault == FaultKind::FuelExceeded;
  const std::uint64_t used = used_of(row.limit, straight, file.options.limits);
  const std::uint64_t most = is_fuel && used > 0 ? used - 1 : used;
  for (const std::uint64_t limit : points_up_to(most, size_)) {
    bool is_enough = false;
    const std::string failure = failure_at(file, row, limit, straight, is_enough);
    if (!failure.empty()) return "  " + dashed_name(row.limit) + ' ' + std::to_string(limit) + ": " + failure + '\n';
    if (is_enough && !is_fuel) return {};
    if (is_enough) return "  fuel " + std::to_string(limit) + " of " + std::to_string(used) + " was enough\n";
  }
  return {};
}

// A run that is taken up with less fuel than it began with ends as one that never had more.
std::string LimitSweep::start_lower(const ProgramFile& file, const Observation& straight) {
  const std::uint64_t at = straight.fuel / 3, least = straight.fuel / 2;
  if (at == 0 || least >= straight.fuel || is_concurrent(file)) return {};
  ProgramFile limited = file;
  limited.options.limits.fuel = least;
  const Observation expected = run(limited);
  bool taken = false;
  const auto snapshots = snapshots_of(engine_, file, at, [&taken] { return !std::exchange(taken, true); });
  if (snapshots.empty()) return {};
  SessionRestore wanted;
  wanted.most.fuel = least;
  const Observation rest = observe_rest(engine_, file, snapshots.front(), wanted);
  if (rest.setup_complaint.find("range longer than the fuel limit") != std::string::npos) return {};
  const std::string other = difference_between(expected, rest);
  return other.empty() ? "" : "  taken up with less fuel:\n" + other;
}

std::string LimitSweep::refuse_memory(const ProgramFile& file, const Observation& straight, std::uint64_t takes) {
  SweepSize size = size_;
  size.points = size_.refusals;
  for (const std::uint64_t n : points_up_to(takes, size)) {
    memory_->refuse_from(n);
    ++counts_.refusals;
    const Observation cut = observe(engine_, file, Mode::Straight);
    const std::string where = "  memory refused from block " + std::to_string(n) + " on: ";
    memory_->refuse_from(0);
    if (memory_->outstanding() != 0) return where + std::to_string(memory_->outstanding()) + " blocks are lost\n";
    if (!cut.setup_complaint.empty() || without_fuel(straight, cut).empty()) continue;
    // Fuel comes first when both are used up, and calls are counted before an answer finds no room.
    const bool comes_first = cut.kind == "fuel_exhausted" || cut.kind == "tool_call_limit_exceeded";
    if (comes_first && cut.kind == straight.kind) continue;
    if (cut.kind != "memory_exceeded") {
      return where + cut.kind + " (" + cut.message + ") " + cut.value_edn + '\n' + without_fuel(straight, cut) + '\n';
    }
    if (std::string lost = records_lost(file, cut, straight); !lost.empty()) return where + lost + '\n';
  }
  return {};
}

std::string LimitSweep::failures_of(const ProgramFile& file) {
  ++counts_.programs;
  memory_->refuse_from(0);
  const Observation straight = run(file);
  const std::uint64_t takes = memory_->takes();
  largest_ = memory_->largest();
  ProgramFile barely = file;
  barely.options.limits.fuel = 1;
  at_start_ = run(barely).peak_bytes;
  if (!straight.setup_complaint.empty()) return {};
  std::string out;
  for (const LimitInfo& limit : kLimits) {
    if (!is_tried(limit) || (!only_.empty() && only_ != dashed_name(limit))) continue;
    const Row row{limit, fault_name(*limit.fault), !fails_a_branch(*limit.fault)};
    out += sweep(file, row, straight);
  }
  if (only_.empty() || only_ == "restored") out += start_lower(file, straight);
  if (only_.empty() || only_ == "refusal") out += refuse_memory(file, straight, takes);
  return out;
}

}  // namespace ptc::test
