// Work that no safe point interrupts: one builtin that goes through much data, one key that is a large collection.
// Whoever does such work says so, and every few thousand units the host is asked whether the run may go on.
//
//   work_done(n)    in loops of builtins, at places where every object is whole: throws OutOfPatience. What the loop
//                   holds is given back by destructors, so it keeps values in Owned, OwnedValues, builders, cursors.
//   work_noted(n)   everywhere else: never throws; the run stops at its next safe point.
//
// work_done() throws only inside of an InterruptibleScope, which stands where builtins are called; elsewhere it notes.
// The counter belongs to the thread, because walks such as hash_key() know no run; a WorkScope gives it to one.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ptc {

class Heap;

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
  Heap* heap;              // of the run that works; null exactly when host is
};
// The model spares a call for each use in a shared library, which may still be loaded late: it is some bytes.
extern constinit thread_local WorkCounter work_counter __attribute__((tls_model("initial-exec")));
void ask_host(bool may_throw);
}  // namespace detail

inline void work_done(std::uint32_t units) {
  detail::WorkCounter& counter = detail::work_counter;
  if (units >= counter.left) [[unlikely]] return detail::ask_host(true);
  counter.left -= units;
}

inline void work_noted(std::uint32_t units) {
  detail::WorkCounter& counter = detail::work_counter;
  if (units >= counter.left) [[unlikely]] return detail::ask_host(false);
  counter.left -= units;
}

// For a byte of a text that has so many others behind it.
inline void work_done_at_byte(std::size_t left) {
  constexpr std::size_t kBlockBytes = 64 * 1024;
  if (left % kBlockBytes == 0) work_done(kBlockBytes / 16);
}

// From here on a run works on this thread.
class WorkScope {
 public:
  WorkScope(Patience* host_or_null, Heap& heap) : before_(detail::work_counter) {
    if (host_or_null == nullptr) {
      detail::work_counter = {Patience::kUsualUnits, false, nullptr, nullptr};
    } else {
      detail::work_counter = {host_or_null->units_between_questions(), false, host_or_null, &heap};
    }
  }
  ~WorkScope() { detail::work_counter = before_; }
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

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
