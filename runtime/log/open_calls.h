// A call is open when its intent is in the log and its outcome is unknown.
//
//   an intent                             opens its call, and closes intents of the same or a lower attempt
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

// Returns what a fact does to open calls. Its kind is one of the table.
CallMark call_mark(const Fact& fact);

// Folds facts into open calls, for stores without a table for them. Add facts in the order of their log.
class OpenCalls {
 public:
  void add(const Fact& fact);
  std::vector<Fact> intents() const;   // returns the intents of the open calls, in the order of the log

 private:
  std::map<std::pair<std::string, std::uint64_t>, Fact> open_;   // the key is an idempotency key and an attempt
};

}  // namespace ptc
