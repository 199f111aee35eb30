#include "tools/ptcvm/line_source.h"

#include <unistd.h>

#include <cerrno>

namespace ptcvm::cli {

constexpr std::size_t kReadBytes = 1u << 18;

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

bool LineSource::has_line() const { return buffer_.find('\n', scanned_) != std::string::npos; }

LineSource::Next LineSource::next(std::string& line) {
  bool too_long = false;
  for (;;) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) {
      if (!too_long) line.assign(buffer_, at_, end - at_);
      at_ = scanned_ = end + 1;
      return too_long || line.size() > max_line_bytes_ ? Next::TooLong : Next::Line;
    }
    scanned_ = buffer_.size();
    if (buffer_.size() - at_ > max_line_bytes_) {
      too_long = true;
      at_ = buffer_.size();
    }
    if (fill()) continue;
    if (at_ == buffer_.size()) return too_long ? Next::TooLong : Next::End;
    line.assign(buffer_, at_);
    at_ = scanned_ = buffer_.size();
    return Next::Line;
  }
}

}  // namespace ptcvm::cli
