#include "support/refusal_cost.h"

#include <ctime>
#include <fstream>
#include <string>

namespace ptc::test {
namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

long peak_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  }
  return 0;
}

void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace

CostMeter::CostMeter() {
  if (!kCostIsMeasured) return;
  forget_peak();
  kilobytes_before_ = peak_kilobytes();
  seconds_before_ = processor_seconds();
}

double CostMeter::seconds() const { return kCostIsMeasured ? processor_seconds() - seconds_before_ : 0; }
long CostMeter::kilobytes() const { return kCostIsMeasured ? peak_kilobytes() - kilobytes_before_ : 0; }

}  // namespace ptc::test
