// A folder that ends with its object.
#pragma once
#include <memory>
#include <string>

#include "ptcvm/result.hpp"

namespace ptcvm::crash {

// Removed with the object in the process that made it; children of that process leave it alone.
class TemporaryFolder {
 public:
  // Makes a new folder under `parent` ("": the system's folder for temporary files). store_failed.
  static Result<std::unique_ptr<TemporaryFolder>> make(const std::string& parent);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path);
  const std::string path_;
  const int maker_;   // process id
};

}  // namespace ptcvm::crash
