#include "agents/loop/event_feed.h"

#include <algorithm>
#include <utility>

namespace ptcvm::loop {

void EventFeed::give(Reader& reader, const std::shared_ptr<const RunEvent>& event) {
  reader.bytes += event_bytes(*event);
  reader.events.push_back(event);
}

void EventFeed::tell(RunEvent event) {
  if (event.kind == RunEventKind::Token) {
    coming_[event.path] += event.text;
  } else if (event.kind == RunEventKind::ModelStart || event.kind == RunEventKind::ModelEnd) {
    coming_.erase(event.path);
  }
  if (readers_.empty()) return;
  const auto shared = std::make_shared<const RunEvent>(std::move(event));
  for (auto& [id, reader] : readers_) give(reader, shared);
  was_full_ = was_full_ || !has_room();
  if (on_event_) on_event_();
}

void EventFeed::on_token(std::string_view agent, std::string_view text) {
  std::string path(agent);
  path += agent.empty() ? "model" : "/model";
  tell({RunEventKind::Token, std::move(path), std::string(text), {}});
}

bool EventFeed::has_room() const {
  return std::none_of(readers_.begin(), readers_.end(),
                      [this](const auto& entry) { return entry.second.bytes >= window_bytes_; });
}

EventFeed::ReaderId EventFeed::open() {
  Reader& reader = readers_[++last_reader_];
  for (const auto& [path, text] : coming_) {
    give(reader, std::make_shared<const RunEvent>(RunEvent{RunEventKind::Token, path, text, {}}));
  }
  was_full_ = was_full_ || !has_room();
  return last_reader_;
}

std::vector<RunEvent> EventFeed::take(ReaderId id, std::size_t most_bytes) {
  std::vector<RunEvent> taken;
  const auto found = readers_.find(id);
  if (found == readers_.end()) return taken;
  Reader& reader = found->second;
  std::size_t bytes = 0;
  while (!reader.events.empty()) {
    const std::size_t next = event_bytes(*reader.events.front());
    if (!taken.empty() && next > most_bytes - std::min(bytes, most_bytes)) break;
    bytes += next;
    taken.push_back(*reader.events.front());
    reader.events.pop_front();
  }
  reader.bytes -= bytes;
  tell_room();
  return taken;
}

void EventFeed::close(ReaderId id) {
  readers_.erase(id);
  tell_room();
}

void EventFeed::tell_room() {
  if (!was_full_ || !has_room()) return;
  was_full_ = false;
  if (on_room_) on_room_();
}

}  // namespace ptcvm::loop
