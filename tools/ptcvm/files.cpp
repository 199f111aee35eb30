#include "tools/ptcvm/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

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

}  // namespace

std::optional<std::string> read_while(const std::string& path, std::string& message,
                                      const std::function<bool(std::string_view so_far)>& goes_on) {
  const File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    message = reason(path, "cannot read");
    return std::nullopt;
  }
  std::string text;
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
  auto text = read_while(path, message, [most_bytes](std::string_view so_far) { return so_far.size() <= most_bytes; });
  if (!text || text->size() <= most_bytes) return text;
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
