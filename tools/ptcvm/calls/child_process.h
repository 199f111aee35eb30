// Runs a program to its end: text in, text out, both bounded, with a deadline and a cancel flag. The child gets a
// process group of its own, which is killed as a whole when time is up. Its text in is there before it begins.
#pragma once
#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptcvm::cli {

struct ChildLimits {
  std::size_t max_output_bytes = 16u << 20;
  std::size_t max_error_bytes = 8u << 10;       // the rest of standard error is thrown away
  std::uint64_t max_thrown_bytes = UINT64_MAX;  // the process is ended when more of it was thrown away
  std::optional<std::chrono::steady_clock::time_point> deadline;
  const std::atomic<bool>* cancelled = nullptr;
  std::vector<std::pair<std::string, std::string>> environment;   // on top of this process's
  std::string folder = {};                                        // where it runs; "": the folder of this process
};

struct ChildResult {
  enum class End { Exited, Signalled, NotStarted, TimedOut, Cancelled, TooMuchOutput, TooManyErrors };
  End end = End::NotStarted;
  int code = 0;                  // exit status, signal number or errno
  std::string output, error;
};

// A program that runs. Several run at once: poll what add_waits() names, then look() at each. Owned by one thread; the
// destructor kills what still runs.
class ChildProcess {
 public:
  ChildProcess(const std::vector<std::string>& command, std::string_view input, ChildLimits limits);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Adds the descriptors on which the process may have something to say.
  void add_waits(std::vector<pollfd>& waits) const;
  // Exchanges what can be exchanged; waits for at most `wait_millis`. Returns whether the result is known.
  bool look(int wait_millis);
  ChildResult take_result();     // once it is known
  std::size_t held_bytes() const;   // the memory of what the process has written so far
  // Bounds the memory that the output may take more from now on. Two copies of a text are there while its memory grows;
  // a process whose output lacks room for that ends with TooMuchOutput.
  void bound_memory(std::uint64_t more_bytes);

 private:
  class Pipes;
  std::unique_ptr<Pipes> pipes_;
};

// Runs a program to its end.
ChildResult run_child(const std::vector<std::string>& command, std::string_view input, const ChildLimits& limits);

}  // namespace ptcvm::cli
