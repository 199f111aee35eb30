#include "tools/ptcvm/process/interrupt.h"

namespace ptcvm::cli {
namespace {

using Cancel = void (*)(void*);

std::atomic<bool> interrupted{false};
std::atomic<void*> cancelled_run{nullptr};
std::atomic<Cancel> cancel_run{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<void*>::is_always_lock_free &&
              std::atomic<Cancel>::is_always_lock_free);

void on_interrupt(int) {
  interrupted.store(true);
  if (const Cancel cancel = cancel_run.load()) cancel(cancelled_run.load());
}

}  // namespace

InterruptFlag::InterruptFlag(StopsAt signals) : signals_(signals) {
  interrupted.store(false);
  struct sigaction action {};
  action.sa_handler = on_interrupt;      // no SA_RESTART: a waiting read gives up
  sigaction(SIGINT, &action, &before_);
  if (signals_ == StopsAt::Interrupt) return;
  sigaction(SIGTERM, &action, &before_termination_);
  sigaction(SIGHUP, &action, &before_hangup_);
  if (before_hangup_.sa_handler == SIG_IGN) sigaction(SIGHUP, &before_hangup_, nullptr);   // nohup
}

InterruptFlag::~InterruptFlag() {
  sigaction(SIGINT, &before_, nullptr);
  if (signals_ == StopsAt::InterruptAndTermination) {
    sigaction(SIGTERM, &before_termination_, nullptr);
    sigaction(SIGHUP, &before_hangup_, nullptr);
  }
  cancels_nothing();
}

const std::atomic<bool>* InterruptFlag::flag() const { return &interrupted; }
bool InterruptFlag::take() const { return interrupted.exchange(false); }

void InterruptFlag::cancels(void* target, Cancel cancel) const {
  cancels_nothing();
  cancelled_run.store(target);
  cancel_run.store(cancel);
  if (interrupted.load()) cancel(target);
}

void InterruptFlag::cancels_nothing() const { cancel_run.store(nullptr); }

}  // namespace ptcvm::cli
