// Work that no safe point interrupts: one builtin that goes through much data. As it goes on it says work_done(n), at
// places where every object is whole; every few thousand units the host is asked whether the run may go on, and when it
// may not, OutOfPatience leaves the builtin. What the builtin holds is given back by destructors, so it keeps values in
// Owned, OwnedValues, builders and cursors.
//
// work_done() throws only inside of an InterruptibleScope, which stands where builtins are called; elsewhere it counts.
// The counter belongs to the thread, because the functions that count know no run; a PatienceScope gives it to one.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ptc {

// A host's answer to whether a run may go on. Asked from the thread that steps the run, each time that so many units
// were done. One unit is about one element visited, some ten to some hundred nanoseconds.
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

struct OutOfPatience {};

namespace detail {
struct WorkCounter {
  std::uint32_t left;      // until the host is asked
  bool interruptible;
  Patience* host;          // null: nobody to ask
};
// The model spares a call for each use in a shared library, which may still be loaded late: it is some bytes. (Not with
// sanitizers: GCC 12 looks at the flags of an addition that ld then turns into an instruction that sets none.)
#ifdef PTC_SANITIZED
extern constinit thread_local WorkCounter work_counter;
#else
extern constinit thread_local WorkCounter work_counter __attribute__((tls_model("initial-exec")));
#endif
void ask_host();
bool host_is_over();
}  // namespace detail

inline void work_done(std::uint32_t units) {
  detail::WorkCounter& counter = detail::work_counter;
  if (units >= counter.left) [[unlikely]] return detail::ask_host();
  counter.left -= units;
}

// The same without an exception, for work of an instruction: true when the run may not go on. Who asked gives up then
// and calls Heap::refuse(), so that the program ends.
inline bool work_is_over(std::uint32_t units) {
  detail::WorkCounter& counter = detail::work_counter;
  if (units >= counter.left) [[unlikely]] return detail::host_is_over();
  counter.left -= units;
  return false;
}

// For a byte of a text that has so many others behind it.
inline void work_done_at_byte(std::size_t left) {
  constexpr std::size_t kBlockBytes = 64 * 1024;
  if (left % kBlockBytes == 0) work_done(kBlockBytes / 16);
}

// From here on a run works on this thread, for that host; null: for nobody.
class PatienceScope {
 public:
  explicit PatienceScope(Patience* host) : before_(detail::work_counter) {
    detail::work_counter = {host == nullptr ? Patience::kUsualUnits : host->units_between_questions(), false, host};
  }
  ~PatienceScope() { detail::work_counter = before_; }
  PatienceScope(const PatienceScope&) = delete;
  PatienceScope& operator=(const PatienceScope&) = delete;

 private:
  detail::WorkCounter before_;
};

// From here on work_done() may throw.
class InterruptibleScope {
 public:
  InterruptibleScope() : before_(detail::work_counter.interruptible) { detail::work_counter.interruptible = true; }
  ~InterruptibleScope() { detail::work_counter.interruptible = before_; }
  InterruptibleScope(const InterruptibleScope&) = delete;
  InterruptibleScope& operator=(const InterruptibleScope&) = delete;

 private:
  bool before_;
};

}  // namespace ptc
