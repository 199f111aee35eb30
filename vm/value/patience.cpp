#include "vm/value/patience.h"

namespace ptc::detail {

#ifndef PTC_SANITIZED
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local WorkCounter work_counter{Patience::kUsualUnits, false, nullptr};

void ask_host() {
  WorkCounter& counter = work_counter;
  if (counter.host == nullptr) {
    counter.left = Patience::kUsualUnits;
    return;
  }
  counter.left = counter.host->units_between_questions();
  if (counter.interruptible && counter.host->is_over()) throw OutOfPatience{};
}

}  // namespace ptc::detail
