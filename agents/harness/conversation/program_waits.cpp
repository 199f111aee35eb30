// What programs of a parked pass wait for, as a conversation sees it: facts that arrive, and deadlines.
#include <algorithm>

#include "agents/harness/conversation/conversation_view.h"
#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

std::vector<ProgramWait> read_waits(const json::object& body) {
  std::vector<ProgramWait> waits;
  const json::array* const list = array_at(body, "waits");
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    if (!(*list)[i].is_object()) continue;
    const json::object& wait = (*list)[i].get_object();
    waits.push_back({std::string(text_of(wait, "signal")), static_cast<std::int64_t>(count_of(wait, "deadline"))});
  }
  return waits;
}

}   // namespace

std::string timer_of(std::string_view program, std::string_view signal) {
  return std::string(program).append("/").append(signal);
}

std::string timer_signal(std::string_view timer) { return "timer_fired/" + std::string(timer); }

void ConversationView::take_waits(const json::object& body) {
  std::vector<ProgramWait>& waits = program_waits_[std::string(text_of(body, "program"))];
  waits = read_waits(body);
  for (const ProgramWait& wait : waits) {   // a call that is made again may be in doubt again
    if (is_settled_signal(wait.signal)) arrived_.erase(wait.signal);
  }
}

std::vector<ProgramWait> ConversationView::program_waits(std::string_view program) const {
  const auto found = program_waits_.find(program);
  return found == program_waits_.end() ? std::vector<ProgramWait>{} : found->second;
}

bool ConversationView::is_waited_for(std::string_view signal) const {
  return parked_pass_ && std::ranges::find(parked_pass_->waits, signal) != parked_pass_->waits.end();
}

// Calls `visit` with each timer that has not fired, and with its deadline.
template <class Visit>
void ConversationView::each_timer(const Visit& visit) const {
  for (const auto& [program, waits] : program_waits_) {
    for (const ProgramWait& wait : waits) {
      if (wait.deadline_ms == 0 || !is_waited_for(wait.signal) || has_arrived(wait.signal)) continue;
      std::string timer = timer_of(program, wait.signal);
      if (!has_arrived(timer_signal(timer))) visit(std::move(timer), wait.deadline_ms);
    }
  }
}

std::vector<std::string> ConversationView::due_timers(std::int64_t now_ms) const {
  std::vector<std::string> due;
  each_timer([&](std::string timer, std::int64_t deadline_ms) {
    if (deadline_ms <= now_ms) due.push_back(std::move(timer));
  });
  return due;
}

std::optional<std::int64_t> ConversationView::next_timer() const {
  std::optional<std::int64_t> next;
  each_timer([&next](const std::string&, std::int64_t deadline_ms) {
    next = std::min(next.value_or(deadline_ms), deadline_ms);
  });
  return next;
}

bool ConversationView::may_resume() const {
  if (!parked_pass_) return false;
  if (std::ranges::any_of(parked_pass_->waits, [this](const auto& wait) { return has_arrived(wait); })) return true;
  return std::ranges::any_of(program_waits_, [this](const auto& entry) {
    return std::ranges::any_of(entry.second, [this, &entry](const ProgramWait& wait) {
      return is_waited_for(wait.signal) && has_arrived(timer_signal(timer_of(entry.first, wait.signal)));
    });
  });
}

}   // namespace ptcvm::harness
