#include "runtime/session/spent_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace ptc {

// Only whole pages are given back. What the system refuses stays, which harms nobody.
std::function<void(std::span<const std::uint8_t>)> giving_back(std::span<std::uint8_t> bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return [bytes, page](std::span<const std::uint8_t> read) {
    const auto from = static_cast<std::size_t>(read.data() - bytes.data());
    if (read.data() < bytes.data() || from + read.size() > bytes.size()) return;   // a copy that restoring has made
    const std::size_t askew = reinterpret_cast<std::uintptr_t>(read.data()) % page;
    const std::size_t skipped = askew == 0 ? 0 : page - askew;
    if (read.size() < skipped + page) return;
    madvise(bytes.data() + from + skipped, (read.size() - skipped) / page * page, MADV_DONTNEED);
  };
}

}  // namespace ptc
