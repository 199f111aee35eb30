// The account of the run that works on this thread (decision 0022). Comparing, hashing, ordering, printing and walking
// through text do not know a run. They tell the account what they do, and the account knows
//   - the heap that pays: work in proportion to data becomes fuel (Heap::add_work()),
//   - the host that is asked: every few thousand units the host says whether the run may go on,
//   - whether the code may be left here: then OutOfPatience or OutOfMemory leaves the builtin.
//
// Code does not call these functions in its loops if it can go through its data with what walks.h has (Walk,
// TextBlocks, Clusters), and keep what it makes in what scratch.h has (ScratchText, ScratchVector): they call the
// account themselves. tools/walks finds other loops.
//
// An exception is thrown only inside of an InterruptibleScope, which surrounds calls of builtins, at places where every
// object is whole. Destructors release what the builtin holds, so the builtin keeps values in Owned, OwnedValues,
// builders and cursors. Elsewhere the account only counts, and asks at the next place that may be left.
#pragma once
#include <cstddef>
#include <cstdint>

#include "vm/value/heap.h"
#include "vm/value/patience.h"

namespace ptc {

struct OutOfPatience {};   // the host stopped the run
struct OutOfMemory {};     // the run has less memory than its next piece of work takes

namespace detail {
struct Account {
  std::uint32_t left;      // units until the host is asked
  bool interruptible;
  Patience* host;          // null when there is nobody to ask
  Heap* heap;              // pays; null outside of runs
};
// This TLS model saves a call for each use in a shared library. The library may still be loaded late, because the
// account has only some bytes. (Not with sanitizers: GCC 12 reads the flags of an addition that ld turns into an
// instruction without flags.)
#ifdef PTC_SANITIZED
extern constinit thread_local Account account_of_thread;
#else
extern constinit thread_local Account account_of_thread __attribute__((tls_model("initial-exec")));
#endif
void ask_host();
bool host_is_over();
void charge_slowly(std::uint64_t parts);
}  // namespace detail

// ---- fuel only: these functions never throw, so they also serve inside of changes. What is charged brings the next
// question nearer; a question that is due is asked at the next place that may be left.

// A walk may visit this many elements, entries or nodes without charge.
inline constexpr std::uint64_t kFreeParts = 64;
inline constexpr std::uint64_t kPartsPerUnit = 8;
inline constexpr std::uint64_t kTextBytesPerPart = 16;

inline void charge_parts(std::uint64_t parts) {
  if (parts >= kFreeParts) detail::charge_slowly(parts);
}
// Charges text that was read to here.
inline void charge_text(std::uint64_t bytes) { charge_parts(bytes / kTextBytesPerPart); }

// ---- questions only: for work that is charged in another way

// Counts units of work, and asks the host when enough of them were counted. May throw OutOfPatience.
inline void work_done(std::uint32_t units) {
  detail::Account& account = detail::account_of_thread;
  if (units >= account.left) [[unlikely]] return detail::ask_host();
  account.left -= units;
}

// Does the same without an exception, for work of an instruction: returns true when the run may not go on. The caller
// then gives up and calls Heap::refuse(), so that the program ends.
inline bool work_is_over(std::uint32_t units) {
  detail::Account& account = detail::account_of_thread;
  if (units >= account.left) [[unlikely]] return detail::host_is_over();
  account.left -= units;
  return false;
}

// Counts work for a byte of a text with `left` more bytes behind it.
inline void work_done_at_byte(std::size_t left) {
  constexpr std::size_t kBlockBytes = 64 * 1024;
  if (left % kBlockBytes == 0) work_done(kBlockBytes / 16);
}

namespace account {

// ---- fuel and questions

// Charges a visit of so many elements, and asks the host. May throw OutOfPatience.
inline void elements(std::uint64_t count) {
  if (count < kFreeParts) return work_done(static_cast<std::uint32_t>(count));
  detail::charge_slowly(count);
  work_done(1);
}
// Charges so many bytes of text that were read or written, and asks the host. May throw OutOfPatience.
inline void text(std::uint64_t bytes) { elements(bytes / kTextBytesPerPart); }

// ---- memory

// Takes notice that the heap refuses something: throws OutOfMemory where the code may be left. Elsewhere the heap is
// over its limit from now on, and the caller makes something small instead.
void refuse(Heap& heap);
// Asks for memory before it is taken. Returns false after refuse().
[[nodiscard]] inline bool ask(Heap& heap, std::uint64_t bytes) {
  if (heap.can_allocate(bytes)) [[likely]] return true;
  refuse(heap);
  return false;
}
// Returns the heap that pays, or null outside of runs.
inline Heap* paying_heap() { return detail::account_of_thread.heap; }
// Checks in loops that the heap is within its limit. May throw OutOfMemory; code that may not be left goes on, and the
// program ends after the instruction.
void check_memory_slowly();
inline void check_memory(Heap& heap) {
  if (heap.over_limit()) [[unlikely]] check_memory_slowly();
}

enum class Ending : std::uint8_t { Done, Stopped, NoMemory };

}  // namespace account

// While the scope lives, a run works on this thread: that heap pays and that host is asked. Null means that there is no
// host to ask.
class AccountScope {
 public:
  AccountScope(Heap& heap, Patience* host) : before_(detail::account_of_thread) {
    detail::account_of_thread = {host == nullptr ? Patience::kUsualUnits : host->units_between_questions(), false, host,
                                 &heap};
  }
  ~AccountScope() { detail::account_of_thread = before_; }
  AccountScope(const AccountScope&) = delete;
  AccountScope& operator=(const AccountScope&) = delete;

 private:
  detail::Account before_;
};

// While the scope lives, the account may throw.
class InterruptibleScope {
 public:
  InterruptibleScope() : before_(detail::account_of_thread.interruptible) {
    detail::account_of_thread.interruptible = true;
  }
  ~InterruptibleScope() { detail::account_of_thread.interruptible = before_; }
  InterruptibleScope(const InterruptibleScope&) = delete;
  InterruptibleScope& operator=(const InterruptibleScope&) = delete;

 private:
  bool before_;
};

namespace account {

// Does work that may be left. Says how the work ended.
template <class Work>
Ending within(Work work) {
  const InterruptibleScope scope;
  try {
    work();
  } catch (const OutOfPatience&) {
    return Ending::Stopped;
  } catch (const OutOfMemory&) {
    return Ending::NoMemory;
  }
  return Ending::Done;
}

}  // namespace account

}  // namespace ptc
