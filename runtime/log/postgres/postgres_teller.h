// Tells workers of ready runs from a thread of its own, so that no call waits for it: at once, and from then on at most
// once in kTellPause, however many runs become ready meanwhile. A notification costs the server a transaction.
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>

namespace ptc {

inline constexpr std::chrono::milliseconds kTellPause{2};

class PostgresTeller {
 public:
  // Tells of queues, in the words of keep_ready() (queue_functions.sql). It must not throw.
  using Tell = std::function<void(const std::string& queues)>;
  explicit PostgresTeller(Tell tell) : tell_(std::move(tell)) {}
  ~PostgresTeller();   // tells what is left
  PostgresTeller(const PostgresTeller&) = delete;
  PostgresTeller& operator=(const PostgresTeller&) = delete;

  void add(std::string_view queues);

 private:
  void run();

  const Tell tell_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string, std::less<>> ready_;   // under mutex_
  bool is_over_ = false;                       // under mutex_
  std::thread thread_;                         // since the first word
};

}   // namespace ptc
