// What the kit writes into its ledger besides effects: what processes leave behind about themselves.
#pragma once
#include <vector>

#include "api/crash_kit/messages.h"
#include "ptcvm/crash_ledger.hpp"

namespace ptcvm::crash {

struct LedgerAccess {
  // Leaves a note. When the call has returned, the note survives the process.
  static void note(const Ledger& ledger, const Message& note);
  // Returns all notes in order and removes them.
  static std::vector<Message> take_notes(const Ledger& ledger);
};

}  // namespace ptcvm::crash
