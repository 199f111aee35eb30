#include "tools/ptcvm/process/line_source.h"

#include <unistd.h>

#include <cerrno>

namespace ptcvm::cli {

constexpr std::size_t kReadBytes = 1u << 18;
constexpr std::size_t kLargeBytes = 1u << 20;   // a line of so many is handed out without a copy

bool LineSource::fill() {
  if (ended_) return false;
  if (at_ > kReadBytes) {
    buffer_.erase(0, at_);
    scanned_ -= at_;
    at_ = 0;
  }
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kReadBytes);
  ssize_t got = 0;
  do {
    got = ::read(fd_, buffer_.data() + size, kReadBytes);
  } while (got < 0 && errno == EINTR);
  buffer_.resize(size + static_cast<std::size_t>(got > 0 ? got : 0));
  ended_ = got <= 0;
  return !ended_;
}

// Hands out [at_, end) of the buffer, which goes on behind `next`.
void LineSource::hand_out(std::size_t end, std::size_t next, std::string& line) {
  if (end - at_ < kLargeBytes) {
    line.assign(buffer_, at_, end - at_);
    at_ = scanned_ = next;
    return;
  }
  std::string rest = buffer_.substr(next);
  buffer_.resize(end);
  buffer_.erase(0, at_);
  line = std::move(buffer_);
  buffer_ = std::move(rest);
  at_ = scanned_ = 0;
}

bool LineSource::has_line() const { return buffer_.find('\n', scanned_) != std::string::npos; }

LineSource::Next LineSource::next(std::string& line) {
  bool too_long = false;
  for (;;) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) {
      too_long |= end - at_ > max_line_bytes_;
      if (too_long) {
        at_ = scanned_ = end + 1;
      } else {
        hand_out(end, end + 1, line);
      }
      return too_long ? Next::TooLong : Next::Line;
    }
    scanned_ = buffer_.size();
    if (buffer_.size() - at_ > max_line_bytes_) {
      too_long = true;
      at_ = buffer_.size();
    }
    if (fill()) continue;
    if (at_ == buffer_.size()) return too_long ? Next::TooLong : Next::End;
    hand_out(buffer_.size(), buffer_.size(), line);
    return Next::Line;
  }
}

}  // namespace ptcvm::cli
