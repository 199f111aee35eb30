#include "tools/ptcvm/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>

extern char** environ;

namespace ptcvm::cli {
namespace {

constexpr int kTickMillis = 20;      // how often deadline, cancel flag and the child itself are looked at

class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void set(int fd) { fd_ = fd; }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

bool open_pipe(Descriptor& read_end, Descriptor& write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  read_end.set(ends[0]);
  write_end.set(ends[1]);
  return true;
}

void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace

class ChildProcess::Pipes {
 public:
  Pipes(const std::vector<std::string>& command, std::string input, ChildLimits limits)
      : limits_(std::move(limits)), text_(std::move(input)), input_(text_) {
    if (const int error = start(command); error != 0) {
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
    if (to_child_.is_open() && !input_.empty()) waits.push_back({to_child_.get(), POLLOUT, 0});
    if (from_child_.is_open()) waits.push_back({from_child_.get(), POLLIN, 0});
    if (errors_.is_open()) waits.push_back({errors_.get(), POLLIN, 0});
  }
  ChildResult take_result() { return std::move(result_); }
  std::size_t output_bytes() const { return result_.output.size(); }
  std::size_t held_bytes() const { return result_.output.capacity() + text_.capacity(); }
  void bound_output(std::size_t most_bytes) { limits_.max_output_bytes = most_bytes; }

 private:
  int start(const std::vector<std::string>& command) {
    Descriptor child_in, child_out, child_error;
    if (!open_pipe(child_in, to_child_) || !open_pipe(from_child_, child_out) || !open_pipe(errors_, child_error))
      return errno;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, child_in.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, child_out.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, child_error.get(), STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const std::vector<std::string> settings = environment();
    std::vector<char*> variables;
    for (const std::string& setting : settings) variables.push_back(const_cast<char*>(setting.c_str()));
    variables.push_back(nullptr);
    const int error = posix_spawnp(&pid_, arguments[0], &actions, &attributes, arguments.data(), variables.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return error;
    set_nonblocking(to_child_.get());
    set_nonblocking(from_child_.get());
    set_nonblocking(errors_.get());
    return 0;
  }

  // Returns NAME=VALUE of this process; a variable of the limits takes the place of its namesake.
  std::vector<std::string> environment() const {
    std::vector<std::string> settings;
    for (const auto& [name, value] : limits_.environment) settings.push_back(name + '=' + value);
    for (char** at = environ; *at != nullptr; ++at) {
      const std::string_view setting = *at;
      const std::string_view name = setting.substr(0, setting.find('='));
      const bool is_replaced = std::any_of(limits_.environment.begin(), limits_.environment.end(),
                                           [name](const auto& own) { return own.first == name; });
      if (!is_replaced) settings.emplace_back(setting);
    }
    return settings;
  }

  // Whether the result is known. A child that has ended but left its output open to a process of its own is not waited
  // for once its output is drained.
  bool finished() {
    const bool drained = !from_child_.is_open() && !errors_.is_open();
    if (result_.output.size() > limits_.max_output_bytes) return stop(ChildResult::End::TooMuchOutput);
    if (!reaped_ && waitpid(pid_, &status_, WNOHANG) == pid_) reaped_ = true;
    if (reaped_ && (drained || quiet_)) {
      result_.end = WIFSIGNALED(status_) ? ChildResult::End::Signalled : ChildResult::End::Exited;
      result_.code = WIFSIGNALED(status_) ? WTERMSIG(status_) : WEXITSTATUS(status_);
      return true;
    }
    if (limits_.cancelled != nullptr && limits_.cancelled->load()) return stop(ChildResult::End::Cancelled);
    if (limits_.deadline && std::chrono::steady_clock::now() >= *limits_.deadline)
      return stop(ChildResult::End::TimedOut);
    return false;
  }

  bool stop(ChildResult::End end) {
    kill(-pid_, SIGKILL);
    if (!reaped_) waitpid(pid_, &status_, 0);
    result_.end = end;
    return true;
  }

  void exchange(int wait_millis) {
    if (to_child_.is_open() && input_.empty()) {
      to_child_.close();
      std::string().swap(text_);
    }
    std::array<pollfd, 3> waits{
        {{to_child_.get(), POLLOUT, 0}, {from_child_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}}};
    const bool any_open = to_child_.is_open() || from_child_.is_open() || errors_.is_open();
    const int ready = any_open ? poll(waits.data(), waits.size(), reaped_ ? 0 : wait_millis) : 0;
    quiet_ = reaped_ && ready == 0;
    if (!any_open && !reaped_ && wait_millis > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (waits[0].revents != 0) write_input();
    if (waits[1].revents != 0) read_into(from_child_, result_.output, limits_.max_output_bytes + 1);
    if (waits[2].revents != 0) read_into(errors_, result_.error, limits_.max_error_bytes);
  }

  void write_input() {
    const ssize_t written = write(to_child_.get(), input_.data(), input_.size());
    if (written >= 0) {
      input_.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EAGAIN && errno != EINTR) {
      to_child_.close();      // the child does not want its input
    }
  }

  void read_into(Descriptor& from, std::string& text, std::size_t max_bytes) {
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got > 0) {
      const std::size_t room = max_bytes > text.size() ? max_bytes - text.size() : 0;
      text.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      from.close();
    }
  }

  ChildLimits limits_;
  Descriptor to_child_, from_child_, errors_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool reaped_ = false;
  bool quiet_ = false;           // the child has ended, and nothing came in since
  std::string text_;
  std::string_view input_;       // the rest of text_ that the child has not got yet
  bool is_over_ = false;
  ChildResult result_;
};

ChildProcess::ChildProcess(const std::vector<std::string>& command, std::string input, ChildLimits limits)
    : pipes_(std::make_unique<Pipes>(command, std::move(input), std::move(limits))) {}
ChildProcess::~ChildProcess() = default;
void ChildProcess::add_waits(std::vector<pollfd>& waits) const { pipes_->add_waits(waits); }
bool ChildProcess::look(int wait_millis) { return pipes_->look(wait_millis); }
std::size_t ChildProcess::output_bytes() const { return pipes_->output_bytes(); }
std::size_t ChildProcess::held_bytes() const { return pipes_->held_bytes(); }
void ChildProcess::bound_output(std::size_t most_bytes) { pipes_->bound_output(most_bytes); }
ChildResult ChildProcess::take_result() { return pipes_->take_result(); }

ChildResult run_child(const std::vector<std::string>& command, std::string_view input, const ChildLimits& limits) {
  ChildProcess child(command, std::string(input), limits);
  while (!child.look(kTickMillis)) {
  }
  return child.take_result();
}

}  // namespace ptcvm::cli
