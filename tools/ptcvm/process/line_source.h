// Lines of a descriptor, and whether the next one is there already: who answers a peer that waits for each answer has
// to flush before a read that blocks.
#pragma once
#include <cstddef>
#include <string>

namespace ptcvm::cli {

class LineSource {
 public:
  LineSource(int fd, std::size_t max_line_bytes) : fd_(fd), max_line_bytes_(max_line_bytes) {}

  enum class Next { Line, TooLong, End };
  // Reads the next line without its end. Keeps nothing of a line that is too long.
  Next next(std::string& line);
  bool has_line() const;       // next() will not block

 private:
  bool fill();                 // false at the end of the input
  void hand_out(std::size_t end, std::size_t next, std::string& line);

  int fd_;
  std::size_t max_line_bytes_;
  std::string buffer_;
  std::size_t at_ = 0;         // first byte that was not handed out
  std::size_t scanned_ = 0;    // no newline in [at_, scanned_)
  bool ended_ = false;
};

}  // namespace ptcvm::cli
