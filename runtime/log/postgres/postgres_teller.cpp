#include "runtime/log/postgres/postgres_teller.h"

namespace ptc {

PostgresTeller::~PostgresTeller() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void PostgresTeller::add(std::string_view queues) {
  {
    const std::lock_guard lock(mutex_);
    if (ready_.contains(queues)) return;
    ready_.emplace(queues);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  changed_.notify_one();
}

void PostgresTeller::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_over_ || !ready_.empty(); });
    if (ready_.empty()) return;
    std::string queues;
    for (const std::string& each : ready_) queues += queues.empty() ? each : ' ' + each;
    ready_.clear();
    lock.unlock();
    tell_(queues);
    lock.lock();
    changed_.wait_for(lock, kTellPause, [this] { return is_over_; });
  }
}

}   // namespace ptc
