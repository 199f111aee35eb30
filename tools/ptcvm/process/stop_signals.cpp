#include "tools/ptcvm/process/stop_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace ptcvm::cli {
namespace {

int signal_pipe[2] = {-1, -1};   // the handler writes, the thread reads

void on_stop_signal(int) {
  const int before = errno;
  (void)!::write(signal_pipe[1], "s", 1);
  errno = before;
}

}  // namespace

StopSignals::StopSignals(std::function<void(int)> on_signal) : on_signal_(std::move(on_signal)) {
  (void)!pipe2(signal_pipe, O_CLOEXEC);
  fcntl(signal_pipe[1], F_SETFL, O_NONBLOCK);
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  sigaction(SIGINT, &action, &before_interrupt_);
  sigaction(SIGTERM, &action, &before_terminate_);
  thread_ = std::thread([this] { watch(); });
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &before_interrupt_, nullptr);
  sigaction(SIGTERM, &before_terminate_, nullptr);
  (void)!::write(signal_pipe[1], "e", 1);
  thread_.join();
  ::close(signal_pipe[0]);
  ::close(signal_pipe[1]);
}

void StopSignals::watch() {
  for (int count = 1;;) {
    char what = 0;
    const ssize_t got = ::read(signal_pipe[0], &what, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || what == 'e') return;
    on_signal_(count++);
  }
}

}  // namespace ptcvm::cli
