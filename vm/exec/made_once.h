// Holds a part of an immutable, shared object that is computed on first use. Threads that ask at the same time may both
// compute the part, and one result stays, so the computation must be a pure function of the object.
#pragma once
#include <atomic>
#include <memory>

namespace ptc {

template <class T>
class MadeOnce {
 public:
  MadeOnce() = default;
  ~MadeOnce() { delete made_.load(std::memory_order_relaxed); }
  MadeOnce(MadeOnce&& other) noexcept : made_(other.made_.exchange(nullptr)) {}   // only before the object is shared
  MadeOnce& operator=(MadeOnce&&) = delete;

  template <class Make>   // Make() -> std::unique_ptr<const T>
  const T& get(Make make) const {
    if (const T* known = made_.load(std::memory_order_acquire)) return *known;
    std::unique_ptr<const T> mine = make();
    const T* expected = nullptr;
    if (made_.compare_exchange_strong(expected, mine.get(), std::memory_order_acq_rel)) return *mine.release();
    return *expected;
  }

 private:
  mutable std::atomic<const T*> made_{nullptr};
};

}  // namespace ptc
