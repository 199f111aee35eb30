#include "vm/value/patience.h"

#include "vm/value/heap.h"

namespace ptc::detail {

constinit thread_local WorkCounter work_counter{Patience::kUsualUnits, false, nullptr, nullptr};

void ask_host(bool may_throw) {
  WorkCounter& counter = work_counter;
  counter.left = counter.host == nullptr ? Patience::kUsualUnits : counter.host->units_between_questions();
  if (counter.host == nullptr || !counter.host->is_over()) return;
  counter.heap->stop_soon();
  if (may_throw && counter.interruptible) throw OutOfPatience{};
}

}  // namespace ptc::detail
