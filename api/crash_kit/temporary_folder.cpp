#include "api/crash_kit/temporary_folder.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace ptcvm::crash {

Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::make(const std::string& parent) {
  std::error_code ignored;
  const std::filesystem::path base =
      parent.empty() ? std::filesystem::temp_directory_path(ignored) : std::filesystem::path(parent);
  std::string pattern = (base / "ptcvm_crash_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return Error{Errc::store_failed, "no folder can be made in " + base.string() + ": " + std::strerror(errno), {}};
  }
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(pattern)));
}

TemporaryFolder::TemporaryFolder(std::string path) : path_(std::move(path)), maker_(getpid()) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (getpid() == maker_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace ptcvm::crash
