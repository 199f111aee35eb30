// Counts what the tables of the compiler take for one text, before they take it, and asks the host whether compiling
// may go on. A small text can become large tables (a name in a binding pattern is three nodes), and each function looks
// at all locals of the text, so neither is bounded by the size of the text.
//
// The arenas of forms and nodes count what they hand out. Passes whose work is not in proportion to nodes say work().
// What is refused leaves the compiler as an exception, which compile() and check_program_text() catch; nothing else may
// catch it.
#pragma once
#include <cstdint>
#include <functional>

#include "schema/fault_kind.h"
#include "schema/source_span.h"

namespace ptc {

// What ended compiling before its end, and the place of the text that was being compiled.
struct CompileStopped {
  FaultKind kind{};   // MemoryExceeded, or Cancelled when the host said so
  SourceSpan span;
};

class CompileMeter {
 public:
  // is_over may be empty.
  CompileMeter(std::uint64_t most_bytes, const std::function<bool()>& is_over)
      : most_bytes_(most_bytes), is_over_(is_over) {}

  void take(std::uint64_t bytes, SourceSpan at) {
    at_ = at;
    bytes_ += bytes;
    if (bytes_ > kFreeBytes && bytes_ - kFreeBytes > most_bytes_) throw CompileStopped{FaultKind::MemoryExceeded, at_};
    work(1);
  }
  // Takes memory for a while: the caller gives it back.
  void take_for_a_while(std::uint64_t bytes) { take(bytes, at_); }
  void give_back(std::uint64_t bytes) { bytes_ -= bytes; }
  // Counts work: a unit is about a node, or a few words of a set.
  void work(std::uint64_t units) {
    units_ += units;
    all_units_ += units;
    if (units_ < kUnitsBetweenQuestions) return;
    units_ = 0;
    if (is_over_ && is_over_()) throw CompileStopped{FaultKind::Cancelled, at_};
  }

  // Returns the work so far, in units.
  std::uint64_t work_done() const { return all_units_; }

 private:
  // Tables of programs of usual size count nothing, so that a run with little memory can still be compiled.
  static constexpr std::uint64_t kFreeBytes = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kUnitsBetweenQuestions = 16'384;

  const std::uint64_t most_bytes_;
  const std::function<bool()>& is_over_;
  std::uint64_t bytes_ = 0;
  std::uint64_t units_ = 0, all_units_ = 0;   // since the host was asked, and from the beginning
  SourceSpan at_;
};

}  // namespace ptc
