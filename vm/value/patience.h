// Interrupts work that has no safe point: one builtin that goes through much data. The builtin calls work_done(n) at
// places where every object is whole. Every few thousand units the library asks the host whether the run may go on;
// when it may not, OutOfPatience leaves the builtin. Destructors release what the builtin holds, so the builtin keeps
// values in Owned, OwnedValues, builders and cursors.
//
// work_done() throws only inside of an InterruptibleScope, which surrounds calls of builtins; elsewhere it only counts.
// The counter belongs to the thread, because the functions that count do not know a run; a PatienceScope gives the
// counter to a run.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ptc {

// Asks the host whether a run may go on, on the thread that steps the run, each time after so many units of work. One
// unit is about one visited element, some ten to some hundred nanoseconds.
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
  std::uint32_t left;      // units until the host is asked
  bool interruptible;
  Patience* host;          // null when there is nobody to ask
};
// This TLS model saves a call for each use in a shared library. The library may still be loaded late, because the
// counter has only some bytes. (Not with sanitizers: GCC 12 reads the flags of an addition that ld turns into an
// instruction without flags.)
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

// Does the same without an exception, for work of an instruction: returns true when the run may not go on. The caller
// then gives up and calls Heap::refuse(), so that the program ends.
inline bool work_is_over(std::uint32_t units) {
  detail::WorkCounter& counter = detail::work_counter;
  if (units >= counter.left) [[unlikely]] return detail::host_is_over();
  counter.left -= units;
  return false;
}

// Counts work for a byte of a text with `left` more bytes behind it.
inline void work_done_at_byte(std::size_t left) {
  constexpr std::size_t kBlockBytes = 64 * 1024;
  if (left % kBlockBytes == 0) work_done(kBlockBytes / 16);
}

// While the scope lives, a run works on this thread for that host; null means for no host.
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

// While the scope lives, work_done() may throw.
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
