// Runs a program to its end: text in, text out, both bounded, with a deadline and a cancel flag. The child gets a
// process group of its own, which is killed as a whole when time is up.
#pragma once
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptcvm::cli {

struct ChildLimits {
  std::size_t max_output_bytes = 16u << 20;
  std::size_t max_error_bytes = 8u << 10;       // the rest of standard error is thrown away
  std::optional<std::chrono::steady_clock::time_point> deadline;
  const std::atomic<bool>* cancelled = nullptr;
  std::vector<std::pair<std::string, std::string>> environment;   // on top of this process's
};

struct ChildResult {
  enum class End { Exited, Signalled, NotStarted, TimedOut, Cancelled, TooMuchOutput };
  End end = End::NotStarted;
  int code = 0;                  // exit status, signal number or errno
  std::string output, error;
};

ChildResult run_child(const std::vector<std::string>& command, std::string_view input, const ChildLimits& limits);

}  // namespace ptcvm::cli
