// Work that several threads do, and whose results are written in the order in which the work was given.
//
// One thread gives, N work, one writes. What is in work is bounded (a ring of slots), so that a slow piece holds back
// the giver and takes no memory. Slot i of the ring is written by the giver, then by one worker, then read by the
// writer; `state` says whose turn it is.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace ptcvm::cli {

template <class Task>
class OrderedWork {
 public:
  using Work = std::function<std::string(Task&)>;
  using Write = std::function<bool(std::string_view)>;

  // `work_on` is called by several threads at once, `write_all` by one. Both must outlive the object.
  OrderedWork(unsigned threads, Work work_on, Write write_all)
      : work_(std::move(work_on)), write_(std::move(write_all)), slots_(threads * kSlotsPerThread) {
    for (unsigned i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
    writer_ = std::thread([this] { write(); });
  }
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;
  ~OrderedWork() { finish(); }

  // Gives a piece of work; waits while the ring is full. Returns false when nothing can be written any more.
  bool put(Task task) {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return failed_ || slot(asked_).state == Slot::State::Free; });
    if (failed_) return false;
    Slot& target = slot(asked_++);
    target.task = std::move(task);
    target.state = Slot::State::Asked;
    asking_.notify_one();
    return true;
  }

  // Waits until everything is written. Returns false when a write failed.
  bool finish() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    asking_.notify_all();
    answered_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
    answered_.notify_all();
    if (writer_.joinable()) writer_.join();
    return !failed_;
  }

 private:
  static constexpr std::size_t kSlotsPerThread = 32;
  static constexpr std::size_t kFlushBytes = 1u << 16;

  struct Slot {
    enum class State { Free, Asked, InWork, Answered } state = State::Free;
    Task task{};
    std::string result;
  };

  Slot& slot(std::size_t number) { return slots_[number % slots_.size()]; }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      asking_.wait(lock, [&] { return taken_ < asked_ || ended_; });
      if (taken_ == asked_) return;
      Slot& mine = slot(taken_++);
      mine.state = Slot::State::InWork;
      lock.unlock();
      mine.result = work_(mine.task);
      lock.lock();
      mine.state = Slot::State::Answered;
      answered_.notify_one();
    }
  }

  void write() {
    std::unique_lock lock(mutex_);
    std::string out;
    for (;;) {
      answered_.wait(lock,
                     [&] { return slot(written_).state == Slot::State::Answered || (ended_ && written_ == asked_); });
      if (slot(written_).state != Slot::State::Answered) return;
      while (slot(written_).state == Slot::State::Answered && out.size() < kFlushBytes) {
        Slot& done = slot(written_++);
        out += done.result;
        done.result.clear();
        done.state = Slot::State::Free;
      }
      freed_.notify_one();
      if (failed_) {
        out.clear();
        continue;
      }
      lock.unlock();
      const bool good = write_(out);
      out.clear();
      lock.lock();
      if (good) continue;
      failed_ = true;
      freed_.notify_one();
    }
  }

  Work work_;
  Write write_;
  std::mutex mutex_;
  std::condition_variable freed_, asking_, answered_;
  std::vector<Slot> slots_;
  std::size_t asked_ = 0, taken_ = 0, written_ = 0;     // pieces so far
  bool ended_ = false, failed_ = false;
  std::vector<std::thread> workers_;
  std::thread writer_;
};

}  // namespace ptcvm::cli
