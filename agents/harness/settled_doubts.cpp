#include "agents/harness/settled_doubts.h"

#include <algorithm>

namespace ptcvm::harness {

Result<void> tell_settled_doubts(Conversation& conversation, const Store& store, const Author& author) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  for (const UnsettledCall& call : conversation.view().unsettled_calls()) {
    const auto doubts = store.doubts(call.program);
    if (!doubts) return doubts.error();
    if (std::ranges::any_of(*doubts, [&call](const JournalCall& doubt) { return doubt.key == call.key; })) continue;
    if (const auto told = conversation.tell_settled(call.key, author); !told) return told;
  }
  return {};
}

}  // namespace ptcvm::harness
