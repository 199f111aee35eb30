#include "vm/value/patience.h"

namespace ptc::detail {

#ifndef PTC_SANITIZED
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local WorkCounter work_counter{Patience::kUsualUnits, false, nullptr};

namespace {

void begin_anew(WorkCounter& counter) {
  counter.left = counter.host == nullptr ? Patience::kUsualUnits : counter.host->units_between_questions();
}

}  // namespace

bool host_is_over() {
  WorkCounter& counter = work_counter;
  begin_anew(counter);
  return counter.host != nullptr && counter.host->is_over();
}

void ask_host() {
  if (!work_counter.interruptible) return begin_anew(work_counter);
  if (host_is_over()) throw OutOfPatience{};
}

}  // namespace ptc::detail
