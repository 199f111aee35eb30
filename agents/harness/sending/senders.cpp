#include "agents/harness/sending/senders.h"

#include <mutex>
#include <set>

namespace ptcvm::harness {

namespace {

// The messages that this process sends.
struct LivingSends {
  std::mutex mutex;
  std::multiset<std::string, std::less<>> names;
};

LivingSends& living_sends() {
  static LivingSends sends;
  return sends;
}

std::string name_of(std::string_view log, std::string_view message_id) {
  return std::string(log).append("/").append(message_id);
}

bool is_sent_here(std::string_view name) {
  LivingSends& sends = living_sends();
  const std::lock_guard lock(sends.mutex);
  return sends.names.contains(name);
}

}   // namespace

LivingSend::LivingSend(std::string_view log, std::string_view message_id) : name_(name_of(log, message_id)) {
  LivingSends& sends = living_sends();
  const std::lock_guard lock(sends.mutex);
  sends.names.insert(name_);
}

LivingSend::~LivingSend() {
  LivingSends& sends = living_sends();
  const std::lock_guard lock(sends.mutex);
  sends.names.erase(sends.names.find(name_));
}

bool may_be_sending(const Conversation& conversation, const DraftState& draft, std::int64_t now_ms) {
  if (draft.in_flight.empty() || draft.sender.empty()) return false;
  if (draft.sender == HostLog::this_process()) return is_sent_here(name_of(conversation.log().id(), draft.in_flight));
  return now_ms < draft.sends_until_ms && !HostLog::is_gone(draft.sender);
}

}   // namespace ptcvm::harness
