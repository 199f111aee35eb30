// Ctrl-C as a flag. While one of these lives, SIGINT sets the flag instead of ending the process.
#pragma once
#include <atomic>
#include <csignal>

namespace ptcvm::cli {

class InterruptFlag {
 public:
  InterruptFlag();
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
  struct sigaction before_ {};
};

}  // namespace ptcvm::cli
