#include "tools/ptcvm/interrupt.h"

namespace ptcvm::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) { interrupted.store(true); }

}  // namespace

InterruptFlag::InterruptFlag() {
  interrupted.store(false);
  struct sigaction action {};
  action.sa_handler = on_interrupt;      // no SA_RESTART: a waiting read gives up
  sigaction(SIGINT, &action, &before_);
}

InterruptFlag::~InterruptFlag() { sigaction(SIGINT, &before_, nullptr); }

const std::atomic<bool>* InterruptFlag::flag() const { return &interrupted; }
bool InterruptFlag::take() const { return interrupted.exchange(false); }

}  // namespace ptcvm::cli
