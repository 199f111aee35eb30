#include "agents/harness/conversation/settled_doubts.h"

#include <algorithm>

namespace ptcvm::harness {

namespace {

Error refuse_while(const JournalCall& call, std::string_view what) {
  std::string message = "another draft might repeat an effect: the call " + call.key + " of the planner ";
  message.append(what);
  return {Errc::wrong_state, std::move(message), std::nullopt, kCallUnknown};
}

// Finds the call that a process makes now, or that was cut off when its process died: a call with a key is made again.
Result<void> refuse_open_call(const ConversationView& view, const Store& store, std::string_view run) {
  const auto info = store.find(run);
  if (!info) return info.error();
  if (!*info || (*info)->state != StoredState::Running) return {};
  if ((*info)->is_interrupted && view.program_calls().empty()) return {};   // the call is of an earlier conversation
  const auto journal = store.journal(run);
  if (!journal) return journal.error();
  for (const JournalCall& call : journal->calls) {
    const bool may_be_repeated = call.effect == Effect::Pure || call.effect == Effect::Idempotent;
    if (call.state != "intended" || may_be_repeated) continue;
    return refuse_while(call, (*info)->is_interrupted
                                  ? "was cut off: let the planner go on, which makes it again under its key"
                                  : "is being made: wait until it is done, and let the planner go on");
  }
  return {};
}

}  // namespace

std::string planner_run(std::string_view conversation) { return std::string(conversation) + "/planner"; }

Result<void> may_regenerate(Conversation& conversation, const Store& store, const Author& author) {
  const std::string run = planner_run(conversation.log().id());
  if (const auto told = tell_ended_calls(conversation, store, run, author); !told) return told;
  const bool is_in_flight = conversation.view().in_flight() != 0;
  if (!is_in_flight) {   // the store knows more of a call than the conversation
    const auto doubts = store.doubts(run);
    if (!doubts) return doubts.error();
    if (!doubts->empty()) {
      return refuse_while(doubts->front(),
                          "is in doubt: settle it (`ptcvm doubt list` shows how), and let the planner go on");
    }
    if (const auto allowed = refuse_open_call(conversation.view(), store, run); !allowed) return allowed;
  }
  return conversation.may_rewind(RewindKeeps::Human);
}

Result<void> tell_ended_calls(Conversation& conversation, const Store& store, const std::string& program,
                              const Author& author) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  std::vector<UnsettledCall> calls = conversation.view().program_calls();
  std::erase_if(calls, [&program](const UnsettledCall& call) { return call.program != program; });
  if (calls.empty()) return {};
  const auto info = store.find(program);
  if (!info) return info.error();
  const bool is_at_work = *info && (*info)->state == StoredState::Running && !(*info)->is_interrupted;
  const auto journal = store.journal(program);
  if (!journal) return journal.error();
  for (const UnsettledCall& call : calls) {
    const auto known = std::ranges::find(journal->calls, call.key, &JournalCall::key);
    const bool is_open = known == journal->calls.end() ? is_at_work
                                                       : known->state == "intended" || known->state == "in_doubt";
    if (is_open) continue;
    const auto noted = conversation.note(std::string(kProgramCallEnded), "",
                                         {{"program", call.program}, {"key", call.key}}, author);
    if (!noted) return noted;
  }
  return {};
}

Result<void> tell_settled_doubts(Conversation& conversation, const Store& store, const Author& author) {
  const std::string run = planner_run(conversation.log().id());
  if (const auto known = store.doubts(run); !known) return known.error();
  if (const auto ended = tell_ended_calls(conversation, store, run, author); !ended) return ended;
  for (const UnsettledCall& call : conversation.view().unsettled_calls()) {
    const auto doubts = store.doubts(call.program);
    if (!doubts) return doubts.error();
    if (std::ranges::any_of(*doubts, [&call](const JournalCall& doubt) { return doubt.key == call.key; })) continue;
    if (const auto told = conversation.tell_settled(call.key, author); !told) return told;
  }
  return {};
}

}  // namespace ptcvm::harness
