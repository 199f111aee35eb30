#include "vm/value/patience.h"

namespace ptc::detail {

#ifndef PTC_SANITIZED
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local WorkCounter work_counter{Patience::kUsualUnits, false, nullptr};

bool host_is_over() {
  WorkCounter& counter = work_counter;
  counter.left = counter.host == nullptr ? Patience::kUsualUnits : counter.host->units_between_questions();
  return counter.host != nullptr && counter.host->is_over();
}

void ask_host() {
  WorkCounter& counter = work_counter;
  if (counter.interruptible) {
    if (host_is_over()) throw OutOfPatience{};
  } else {
    counter.left = counter.host == nullptr ? Patience::kUsualUnits : counter.host->units_between_questions();
  }
}

}  // namespace ptc::detail
