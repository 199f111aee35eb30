// Ctrl-C as a flag. While one of these lives, SIGINT sets the flag instead of ending the process. Where a program is
// executed, SIGTERM does so, too, and the SIGHUP of a terminal that is closed: a process that ends at once would leave
// its tools behind.
#pragma once
#include <atomic>
#include <csignal>

namespace ptcvm::cli {

enum class StopsAt { Interrupt, InterruptAndTermination };

class InterruptFlag {
 public:
  explicit InterruptFlag(StopsAt signals = StopsAt::InterruptAndTermination);
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

  const std::atomic<bool>* flag() const;
  bool take() const;       // whether it was set; clears it

  // Lets SIGINT also cancel that run: a Run or a StoredRun, which must stay where it is until the flag is gone or
  // cancels another run.
  template <class SomeRun>
  void cancels(SomeRun& run) const {
    cancels(&run, [](void* target) { static_cast<SomeRun*>(target)->cancel(); });
  }
  void cancels_nothing() const;

 private:
  void cancels(void* target, void (*cancel)(void*)) const;
  const StopsAt signals_;
  struct sigaction before_ {}, before_termination_ {}, before_hangup_ {};
};

}  // namespace ptcvm::cli
