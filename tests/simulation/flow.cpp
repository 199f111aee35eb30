#include "tests/simulation/flow.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace ptcvm::simulation {
namespace {

#ifdef PTC_SANITIZED
constexpr std::size_t kStackBytes = std::size_t{4} << 20;
#else
constexpr std::size_t kStackBytes = std::size_t{512} << 10;
#endif

// Stacks are used again: a seed has dozens of flows, and the system takes long to make a stack.
std::vector<std::byte*>& free_stacks() {
  static std::vector<std::byte*> all;
  return all;
}

std::byte* take_stack() {
  auto& free = free_stacks();
  if (!free.empty()) {
    std::byte* const out = free.back();
    free.pop_back();
    return out;
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const made = mmap(nullptr, kStackBytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED || mprotect(made, page, PROT_NONE) != 0) {   // a flow that needs more crashes at once
    std::perror("a stack for the simulation");
    std::abort();
  }
  return static_cast<std::byte*>(made) + page;
}

// The sanitizer must be told before and after each switch which stack is in use.
void start_switch([[maybe_unused]] void** fake, [[maybe_unused]] const void* stack,
                  [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(fake, stack, bytes);
#endif
}
void finish_switch([[maybe_unused]] void* fake, [[maybe_unused]] const void** stack,
                   [[maybe_unused]] std::size_t* bytes) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake, stack, bytes);
#endif
}

}  // namespace

Flow::Flow(std::function<void()> body) : body_(std::move(body)), stack_(take_stack()) {
  getcontext(&own_);
  own_.uc_stack.ss_sp = stack_;
  own_.uc_stack.ss_size = kStackBytes;
  own_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);   // makecontext() hands on numbers of 32 bits
  makecontext(&own_, reinterpret_cast<void (*)()>(&Flow::begin), 2, static_cast<unsigned int>(self >> 32),
              static_cast<unsigned int>(self & 0xffff'ffff));
}

Flow::~Flow() { free_stacks().push_back(stack_); }

void Flow::swap_thread_state() {
  account_.swap();
  auto* const of_thread = reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
  std::swap(*of_thread, exceptions_);
}

void Flow::begin(unsigned int high, unsigned int low) {
  auto* const self = reinterpret_cast<Flow*>((std::uintptr_t{high} << 32) | low);
  finish_switch(nullptr, &self->outside_stack_, &self->outside_bytes_);
  self->body_();
  self->has_ended_ = true;
  start_switch(nullptr, self->outside_stack_, self->outside_bytes_);   // the stack is not needed any more
  setcontext(&self->outside_);
}

void Flow::enter() {
  swap_thread_state();
  start_switch(&outside_fake_, stack_, kStackBytes);
  swapcontext(&outside_, &own_);
  finish_switch(outside_fake_, nullptr, nullptr);
  swap_thread_state();
  if (has_ended_) body_ = {};
}

void Flow::leave() {
  start_switch(&own_fake_, outside_stack_, outside_bytes_);
  swapcontext(&own_, &outside_);
  finish_switch(own_fake_, &outside_stack_, &outside_bytes_);
}

}  // namespace ptcvm::simulation
