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

 private:
  struct sigaction before_ {};
};

}  // namespace ptcvm::cli
