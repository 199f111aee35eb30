// SIGINT and SIGTERM as calls of a function, in a thread that may do anything.
#pragma once
#include <csignal>
#include <functional>
#include <thread>

namespace ptcvm::cli {

// One of these at a time. While it lives, a signal calls `on_signal` with how many have come, from 1.
class StopSignals {
 public:
  explicit StopSignals(std::function<void(int count)> on_signal);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  void watch();

  const std::function<void(int)> on_signal_;
  struct sigaction before_interrupt_ {}, before_terminate_ {};
  std::thread thread_;
};

}  // namespace ptcvm::cli
