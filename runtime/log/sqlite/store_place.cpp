#include "runtime/log/sqlite/store_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace ptc {
namespace {

constexpr std::string_view kMark =
    "ptcvm: the store beside this file was removed or renamed while a process used it. Put the store back, or remove "
    "this file to begin a new one.\n";

off_t size_of(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 ? found.st_size : 0;
}

}  // namespace

// The log first: a process that makes the store now writes the store before the log.
std::optional<StoreError> StorePlace::check_before_opening(const std::string& path) {
  const std::string log = path + "-wal";
  if (size_of(log) == 0 || size_of(path) != 0) return std::nullopt;
  return StoreError{StoreError::Kind::Moved,
                    "the store is not there, but " + log + " is: somebody removed or renamed the store while a process "
                    "used it. Put the store back, or remove " + log + " to begin a new one"};
}

StorePlace::Watched StorePlace::watched(const std::string& path) {
  struct stat found;
  if (path.empty() || stat(path.c_str(), &found) != 0) return {};
  return {path, found.st_dev, found.st_ino};
}

bool StorePlace::is_in_place(const Watched& file) {
  struct stat found;
  if (file.path.empty()) return true;
  return stat(file.path.c_str(), &found) == 0 && found.st_dev == file.device && found.st_ino == file.node;
}

void StorePlace::watch(const std::string& path, const std::string& log_path) {
  file_ = watched(path);
  log_ = watched(log_path);
}

std::optional<StoreError> StorePlace::check() const {
  for (const Watched* file : {&file_, &log_}) {
    if (is_in_place(*file)) continue;
    return StoreError{StoreError::Kind::Moved,
                      file->path + " is not the file that was opened: somebody removed, renamed or replaced the file. "
                                   "Put it back and run again"};
  }
  return std::nullopt;
}

void StorePlace::leave_mark() const {
  struct stat found;
  if (file_.path.empty() || stat(file_.path.c_str(), &found) == 0 || errno != ENOENT) return;
  const std::string path = file_.path + "-wal";
  const int mark = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (mark < 0) return;
  (void)!write(mark, kMark.data(), kMark.size());   // on a full disk there is no mark
  close(mark);
}

}  // namespace ptc
