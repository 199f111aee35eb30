#include "tools/ptcvm/process/files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>

#include "tools/ptcvm/process/bounded_file.h"

namespace ptcvm::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin && file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string reason(const std::string& path, std::string_view what) {
  return std::string(what) + " " + (path == "-" ? "standard input" : path) + ": " + std::strerror(errno);
}

// Returns the size of a regular file, within bounds: room that is not used takes no memory of the machine. Else 0.
std::size_t likely_size(std::FILE* file) {
  constexpr off_t kMost = off_t{1} << 28;
  struct stat found {};
  if (fstat(fileno(file), &found) != 0 || !S_ISREG(found.st_mode)) return 0;
  return static_cast<std::size_t>(std::min(found.st_size, kMost)) + 1;
}

}  // namespace

std::optional<std::string> read_while(const std::string& path, std::string& message,
                                      const std::function<bool(std::string_view so_far)>& goes_on) {
  const File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    message = reason(path, "cannot read");
    return std::nullopt;
  }
  std::string text;
  text.reserve(likely_size(file.get()));   // growing would have two copies in memory
  char buffer[65536];
  for (;;) {
    const std::size_t got = std::fread(buffer, 1, sizeof buffer, file.get());
    text.append(buffer, got);
    if (got < sizeof buffer || !goes_on(text)) break;
  }
  if (std::ferror(file.get())) {
    message = reason(path, "cannot read");
    return std::nullopt;
  }
  return text;
}

std::optional<std::string> read_file(const std::string& path, std::string& message, std::uint64_t most_bytes) {
  if (most_bytes == UINT64_MAX) return read_file(path, message, FileBound());
  auto text = read_bounded(path, message, [most_bytes](std::string_view) { return most_bytes; });
  if (!text) return std::nullopt;
  if (!text->is_longer) return std::move(text->bytes);
  message = "memory_exceeded: " + (path == "-" ? "standard input" : path) + " has more than the " +
            std::to_string(most_bytes) + " bytes for which the run has memory: give a larger --memory-bytes";
  return std::nullopt;
}

bool write_file(const std::string& path, std::string_view bytes, std::string& message) {
  const File file(path == "-" ? stdout : std::fopen(path.c_str(), "wb"));
  if (file == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
      std::fflush(file.get()) != 0) {
    message = reason(path, "cannot write");
    return false;
  }
  return true;
}

}  // namespace ptcvm::cli
