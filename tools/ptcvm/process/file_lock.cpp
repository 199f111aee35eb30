#include "tools/ptcvm/process/file_lock.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ptcvm::cli {
namespace {

bool wait_for_lock(int descriptor) {
  int done = -1;
  do done = flock(descriptor, LOCK_EX);
  while (done != 0 && errno == EINTR);
  return done == 0;
}

// Returns whether the path still names that file: the one who had the lock before may have put another one there.
bool is_at(const std::string& path, int descriptor) {
  struct stat opened{}, named{};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

}  // namespace

FileLock::~FileLock() { release(); }

bool FileLock::take(const std::string& path, std::string& message) {
  for (;;) {
    release();
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      message = "cannot read " + path + ": " + std::strerror(errno);
      return false;
    }
    if (!wait_for_lock(descriptor_)) {
      message = "cannot lock " + path + ": " + std::strerror(errno);
      return false;
    }
    if (is_at(path, descriptor_)) return true;
  }
}

void FileLock::release() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

}  // namespace ptcvm::cli
