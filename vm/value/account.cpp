#include "vm/value/account.h"

#include <algorithm>

namespace ptc {

namespace detail {

#ifndef PTC_SANITIZED
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local Account account_of_thread{Patience::kUsualUnits, false, nullptr, nullptr};

bool host_is_over() {
  Account& account = account_of_thread;
  account.left = account.host == nullptr ? Patience::kUsualUnits : account.host->units_between_questions();
  return account.host != nullptr && account.host->is_over();
}

// Work that may not be left postpones the question: the next unit of work that may be left asks.
void ask_host() {
  if (!account_of_thread.interruptible) {
    account_of_thread.left = 0;
    return;
  }
  if (host_is_over()) throw OutOfPatience{};
}

void charge_slowly(std::uint64_t parts) {
  Account& account = account_of_thread;
  if (account.heap == nullptr) return;
  account.heap->add_work(parts / kPartsPerUnit);
  account.left -= static_cast<std::uint32_t>(std::min<std::uint64_t>(account.left, parts));
}

}  // namespace detail

namespace account {

void refuse(Heap& heap) {
  if (detail::account_of_thread.interruptible) throw OutOfMemory{};
  heap.refuse();
}

void check_memory_slowly() {
  if (detail::account_of_thread.interruptible) throw OutOfMemory{};
}

}  // namespace account

}  // namespace ptc
