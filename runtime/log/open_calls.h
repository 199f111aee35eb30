// The calls of a log that are open: their intents are written, and nobody knows yet what became of them.
//
//   an intent                             opens its call; earlier intents of the call with the same or a lower attempt
//                                         are open no more
//   a fact that settles the attempt       closes it: EffectSettled, or DoubtSettled by a person; a call that is only
//                                         noted as being in doubt stays open
//   a reset of its task                   closes it: the call counts no more
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/log/fact.h"

namespace ptc {

// What a fact says about open calls.
enum class CallMark : std::uint8_t { None, Opens, Settles, Resets };
CallMark call_mark(const Fact& fact);

// The fold, for stores that have no table for it. Facts are added in the order of their log.
class OpenCalls {
 public:
  void add(const Fact& fact);
  std::vector<Fact> intents() const;   // of the open calls, in the order of the log

 private:
  std::map<std::pair<std::string, std::uint64_t>, Fact> open_;   // by idempotency key and attempt
};

}  // namespace ptc
