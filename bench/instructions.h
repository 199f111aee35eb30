// Instructions retired by this process, where the kernel gives them (Linux perf events); else zero.
#pragma once
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace ptc {

class InstructionCounter {
 public:
  InstructionCounter() {
    perf_event_attr attributes;
    std::memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
  }
  ~InstructionCounter() {
    if (file_ >= 0) close(file_);
  }
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;
  bool available() const { return file_ >= 0; }
  std::uint64_t now() const {
    std::uint64_t count = 0;
    if (file_ < 0 || read(file_, &count, sizeof count) != sizeof count) return 0;
    return count;
  }

 private:
  int file_ = -1;
};

}  // namespace ptc
