#include "agents/harness/settled_doubts.h"

#include <algorithm>

namespace ptcvm::harness {

namespace {

Error refuse_while(const JournalCall& call, std::string_view what, std::string_view first) {
  std::string message = "another draft might repeat an effect: the call " + call.key + " of the planner ";
  message.append(what).append(": ").append(first).append(", and let the planner go on");
  return {Errc::wrong_state, std::move(message), std::nullopt, kCallUnknown};
}

// Finds the call that a process makes now.
Result<void> refuse_call_being_made(const Store& store, std::string_view run) {
  const auto info = store.find(run);
  if (!info) return info.error();
  if (!*info || (*info)->state != StoredState::Running || (*info)->is_interrupted) return {};
  const auto journal = store.journal(run);
  if (!journal) return journal.error();
  for (const JournalCall& call : journal->calls) {
    const bool may_be_repeated = call.effect == Effect::Pure || call.effect == Effect::Idempotent;
    if (call.state != "intended" || may_be_repeated) continue;
    return refuse_while(call, "is being made", "wait until it is done");
  }
  return {};
}

}  // namespace

std::string planner_run(std::string_view conversation) { return std::string(conversation) + "/planner"; }

Result<void> may_regenerate(const Conversation& conversation, const Store& store) {
  if (const auto allowed = conversation.may_rewind(RewindKeeps::Human); !allowed) return allowed;
  const std::string run = planner_run(conversation.log().id());
  const auto doubts = store.doubts(run);
  if (!doubts) return doubts.error();
  if (doubts->empty()) return refuse_call_being_made(store, run);
  return refuse_while(doubts->front(), "is in doubt", "settle it (`ptcvm doubt list` shows how)");
}

Result<void> tell_settled_doubts(Conversation& conversation, const Store& store, const Author& author) {
  if (const auto known = store.doubts(planner_run(conversation.log().id())); !known) return known.error();
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
