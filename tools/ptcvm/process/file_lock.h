// The right to replace a file. A command that reads a file, changes the content and renames a new file over it holds
// the lock meanwhile: commands at once wait for each other, and none loses what another one wrote.
#pragma once
#include <string>

namespace ptcvm::cli {

class FileLock {
 public:
  FileLock() = default;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  // Waits until no other command has the lock. Returns false, and why, when the file cannot be locked.
  bool take(const std::string& path, std::string& message);

 private:
  void release();
  int descriptor_ = -1;
};

}  // namespace ptcvm::cli
