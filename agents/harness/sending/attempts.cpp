#include "agents/harness/sending/attempts.h"

namespace ptcvm::harness {

SendTurn turn_to_send(const ConversationView& view, const Sending& sending, std::int64_t now_ms) {
  const DraftState* const draft = view.draft(sending.compose_id);
  if (draft == nullptr) return SendTurn::Ended;
  if (draft->in_flight != sending.message_id) {
    return view.knows_message(sending.message_id) ? SendTurn::Arrived : SendTurn::Ended;
  }
  if (draft->is_sent) return SendTurn::SentAnew;
  if (draft->resumed != sending.resumed || draft->sender != HostLog::this_process()) return SendTurn::Elsewhere;
  return now_ms + kAttemptMostMs > draft->sends_until_ms ? SendTurn::Late : SendTurn::Ours;
}

std::string_view why_not_sent(SendTurn turn) {
  switch (turn) {
    case SendTurn::Late:
      return "the process took too long, or stood still, and sends the message no more";
    case SendTurn::Elsewhere:
      return "another process goes on with the message, and this one sends it no more";
    case SendTurn::Ended:
      return "somebody settled the message meanwhile, and this process sends it no more";
    case SendTurn::SentAnew:
      return "the draft was sent under another id";
    case SendTurn::Arrived:
    case SendTurn::Ours:
      break;
  }
  return "";
}

}   // namespace ptcvm::harness
