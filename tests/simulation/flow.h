// A flow of control with a stack of its own, on the thread that enters it. What the library and the language keep
// for each thread goes with the flow: the account of the run (vm/value/flow_account.h), and exceptions under way.
#pragma once
#include <ucontext.h>

#include <cstddef>
#include <functional>

#include "vm/value/flow_account.h"

namespace ptcvm::simulation {

class Flow {
 public:
  explicit Flow(std::function<void()> body);
  ~Flow();                              // the flow has ended, or was never entered
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  void enter();                         // goes on in the flow, until it leaves or ends
  void leave();                         // inside of the flow: goes on where it was entered
  bool has_ended() const { return has_ended_; }

 private:
  struct Exceptions {                   // as the ABI of C++ says
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };
  static void begin(unsigned int high, unsigned int low);
  void swap_thread_state();

  std::function<void()> body_;
  std::byte* stack_;
  ucontext_t own_{}, outside_{};
  ptc::FlowAccount account_;
  Exceptions exceptions_;
  bool has_ended_ = false;
  // What AddressSanitizer wants to know of the two stacks.
  void* own_fake_ = nullptr;
  void* outside_fake_ = nullptr;
  const void* outside_stack_ = nullptr;
  std::size_t outside_bytes_ = 0;
};

}  // namespace ptcvm::simulation
