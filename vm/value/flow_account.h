// The account of a flow of control that shares its thread with other flows (account.h). The engine keeps the account
// of the run that works on a thread in the thread; nothing else in the library belongs to a thread. A host that
// switches flows inside of calls, as the simulation of many nodes does, calls swap() before it enters a flow and when
// it is back.
#pragma once
#include <utility>

#include "vm/value/account.h"

namespace ptc {

class FlowAccount {
 public:
  // Exchanges what the thread has with what this object has. To be called in pairs, on the thread of the flow.
  void swap() { std::swap(own_, detail::account_of_thread); }

 private:
  detail::Account own_{Patience::kUsualUnits, false, nullptr, nullptr};
};

}  // namespace ptc
