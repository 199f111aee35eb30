// Asks the host of a run whether the run may go on. The account of the run (vm/value/account.h) asks, on the thread
// that steps the run, each time after so many units of work.
#pragma once
#include <cstdint>

namespace ptc {

// One unit of work is about one visited element, some ten to some hundred nanoseconds.
class Patience {
 public:
  static constexpr std::uint32_t kUsualUnits = 4'096;
  explicit Patience(std::uint32_t units_between_questions = kUsualUnits) : units_(units_between_questions) {}
  virtual ~Patience() = default;
  virtual bool is_over() = 0;
  std::uint32_t units_between_questions() const { return units_; }

 private:
  std::uint32_t units_;
};

}  // namespace ptc
