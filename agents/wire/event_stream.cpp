#include "agents/wire/event_stream.h"

#include <utility>

namespace ptcvm::wire {

namespace {
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Returns the place of the first line end at or behind `from`, or npos. A stream that ends its lines with carriage
// returns is searched for a line feed no further than a window, else each of its lines would cost the whole stream.
std::size_t find_line_end(std::string_view bytes, std::size_t from) {
  constexpr std::size_t kWindowBytes = 256;
  for (; from < bytes.size(); from += kWindowBytes) {
    const std::string_view window = bytes.substr(from, kWindowBytes);
    const std::size_t line_feed = window.find('\n');
    const std::size_t carriage_return = window.substr(0, line_feed).find('\r');
    if (carriage_return != std::string_view::npos) return from + carriage_return;
    if (line_feed != std::string_view::npos) return from + line_feed;
  }
  return std::string_view::npos;
}

}  // namespace

void EventStreamReader::feed(std::string_view bytes) {
  bytes_.erase(0, position_);
  searched_ -= position_;
  position_ = 0;
  bytes_ += bytes;
  if (bytes_.size() + data_.size() > most_event_bytes_ + bytes.size()) too_long_ = true;
}

std::optional<std::string_view> EventStreamReader::next_line() {
  if (skips_line_feed_ && position_ < bytes_.size()) {
    if (bytes_[position_] == '\n') ++position_;
    skips_line_feed_ = false;
  }
  if (searched_ < position_) searched_ = position_;
  const std::size_t end = find_line_end(bytes_, searched_);
  if (end == std::string_view::npos) {
    searched_ = bytes_.size();
    return std::nullopt;
  }
  const std::string_view line(bytes_.data() + position_, end - position_);
  skips_line_feed_ = bytes_[end] == '\r';
  position_ = searched_ = end + 1;
  return line;
}

void EventStreamReader::add_data(std::string_view value) {
  if (has_data_) data_ += '\n';
  data_ += value;
  has_data_ = true;
  if (data_.size() > most_event_bytes_) too_long_ = true;
}

void EventStreamReader::take_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    add_data(value);
  } else if (field == "event") {
    name_ = value;
  } else if (field == "error") {
    name_ = "error";
    add_data(value);
  }
}

std::optional<ServerSentEvent> EventStreamReader::finished_event() {
  std::swap(name_, told_name_);
  std::swap(data_, told_data_);
  name_.clear();
  data_.clear();
  if (!std::exchange(has_data_, false)) return std::nullopt;
  return ServerSentEvent{told_name_, told_data_};
}

std::optional<ServerSentEvent> EventStreamReader::next() {
  if (is_start_) {
    if (bytes_.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(bytes_)) return std::nullopt;
    is_start_ = false;
    if (bytes_.starts_with(kByteOrderMark)) position_ = kByteOrderMark.size();
  }
  while (!too_long_) {
    const std::optional<std::string_view> line = next_line();
    if (!line) return std::nullopt;
    if (!line->empty()) {
      take_line(*line);
    } else if (const auto event = finished_event()) {
      return event;
    }
  }
  return std::nullopt;
}

std::optional<ServerSentEvent> EventStreamReader::last() {
  if (too_long_) return std::nullopt;
  take_line(std::string_view(bytes_).substr(position_));
  position_ = bytes_.size();
  return finished_event();
}

}  // namespace ptcvm::wire
