#include "tools/ptcvm/calls/child_process.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <algorithm>
#include <cerrno>
#include <thread>

#include "drivers/stdio/child_spawn.h"
#include "drivers/stdio/marked_processes.h"

namespace ptcvm::cli {

using stdio::ChildEnds, stdio::Descriptor, stdio::kill_child, stdio::kill_marked, stdio::reap_child;

namespace {

constexpr int kTickMillis = 20;      // how often deadline, cancel flag and the child itself are looked at

}  // namespace

class ChildProcess::Pipes {
 public:
  Pipes(const std::vector<std::string>& command, std::string_view input, ChildLimits limits)
      : limits_(std::move(limits)) {
    if (const int error = ends_.start({command, limits_.environment, limits_.folder, input}); error != 0) {
      result_.end = ChildResult::End::NotStarted;
      result_.code = error;
      is_over_ = true;
    }
  }
  ~Pipes() {
    if (!is_over_) stop(ChildResult::End::Cancelled);
  }

  bool look(int wait_millis) {
    if (is_over_ || (is_over_ = finished())) return true;
    exchange(wait_millis);
    return is_over_ = finished();
  }
  void add_waits(std::vector<pollfd>& waits) const {
    if (is_over_) return;
    if (ends_.from_child.is_open()) waits.push_back({ends_.from_child.get(), POLLIN, 0});
    if (ends_.errors.is_open()) waits.push_back({ends_.errors.get(), POLLIN, 0});
  }
  ChildResult take_result() { return std::move(result_); }
  std::size_t held_bytes() const { return result_.output.capacity(); }
  void bound_memory(std::uint64_t more_bytes) { room_ = more_bytes; }

 private:
  // Whether the result is known. A child that has ended but left its output open to a process of its own is not waited
  // for once its output is drained.
  bool finished() {
    const bool drained = !ends_.from_child.is_open() && !ends_.errors.is_open();
    if (lacks_room_ || result_.output.size() > limits_.max_output_bytes) return stop(ChildResult::End::TooMuchOutput);
    if (thrown_bytes_ > limits_.max_thrown_bytes) return stop(ChildResult::End::TooManyErrors);
    if (!reaped_) reaped_ = reap_child(ends_.pid, status_);
    if (reaped_ && (drained || quiet_)) {
      result_.end = WIFSIGNALED(status_) ? ChildResult::End::Signalled : ChildResult::End::Exited;
      result_.code = WIFSIGNALED(status_) ? WTERMSIG(status_) : WEXITSTATUS(status_);
      if (WIFSIGNALED(status_) || !drained) kill_marked(ends_.mark);   // what has the pipes still is no daemon
      return true;
    }
    if (limits_.cancelled != nullptr && limits_.cancelled->load()) return stop(ChildResult::End::Cancelled);
    if (limits_.deadline && std::chrono::steady_clock::now() >= *limits_.deadline)
      return stop(ChildResult::End::TimedOut);
    return false;
  }

  bool stop(ChildResult::End end) {
    if (!reaped_) kill_child(ends_, status_);
    if (reaped_) kill_marked(ends_.mark);
    result_.end = end;
    return true;
  }

  void exchange(int wait_millis) {
    std::array<pollfd, 2> waits{{{ends_.from_child.get(), POLLIN, 0}, {ends_.errors.get(), POLLIN, 0}}};
    const bool any_open = ends_.from_child.is_open() || ends_.errors.is_open();
    const int ready = any_open ? poll(waits.data(), waits.size(), reaped_ ? 0 : wait_millis) : 0;
    quiet_ = reaped_ && ready == 0;
    if (!any_open && !reaped_ && wait_millis > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Block block;
    if (waits[0].revents != 0) keep_output(read_some(ends_.from_child, block));
    if (waits[1].revents != 0) keep_errors(read_some(ends_.errors, block));
  }

  using Block = std::array<char, 65536>;
  static std::string_view read_some(Descriptor& from, Block& block) {
    const ssize_t got = ::read(from.get(), block.data(), block.size());
    if (got > 0) return {block.data(), static_cast<std::size_t>(got)};
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) from.close();
    return {};
  }

  void keep_output(std::string_view text) {
    std::string& output = result_.output;
    const std::size_t most = limits_.max_output_bytes + 1;
    text = text.substr(0, most - std::min(most, output.size()));
    const std::size_t needed = output.size() + text.size();
    if (needed > output.capacity()) {
      if (needed > room_) {
        lacks_room_ = true;
        return;
      }
      const std::uint64_t wanted = std::max(needed, std::min(2 * output.capacity(), most));
      std::string grown;
      grown.reserve(static_cast<std::size_t>(std::min(wanted, room_)));
      output.swap(grown.append(output));
    }
    output.append(text);
  }

  void keep_errors(std::string_view text) {
    const std::size_t room = limits_.max_error_bytes - std::min(limits_.max_error_bytes, result_.error.size());
    result_.error.append(text.substr(0, room));
    thrown_bytes_ += text.size() - std::min(text.size(), room);
  }

  ChildLimits limits_;
  ChildEnds ends_;
  std::uint64_t room_ = UINT64_MAX;  // that the output may take when it grows
  bool lacks_room_ = false;
  std::uint64_t thrown_bytes_ = 0;   // of standard error
  int status_ = 0;
  bool reaped_ = false;
  bool quiet_ = false;           // the child has ended, and nothing came in since
  bool is_over_ = false;
  ChildResult result_;
};

ChildProcess::ChildProcess(const std::vector<std::string>& command, std::string_view input, ChildLimits limits)
    : pipes_(std::make_unique<Pipes>(command, input, std::move(limits))) {}
ChildProcess::~ChildProcess() = default;
void ChildProcess::add_waits(std::vector<pollfd>& waits) const { pipes_->add_waits(waits); }
bool ChildProcess::look(int wait_millis) { return pipes_->look(wait_millis); }
std::size_t ChildProcess::held_bytes() const { return pipes_->held_bytes(); }
void ChildProcess::bound_memory(std::uint64_t more_bytes) { pipes_->bound_memory(more_bytes); }
ChildResult ChildProcess::take_result() { return pipes_->take_result(); }

ChildResult run_child(const std::vector<std::string>& command, std::string_view input, const ChildLimits& limits) {
  ChildProcess child(command, input, limits);
  while (!child.look(kTickMillis)) {
  }
  return child.take_result();
}

}  // namespace ptcvm::cli
