// A path for a store of a test; what lies there goes with the object.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace ptc {

class StoreFile {
 public:
  StoreFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ptc_store_XXXXXX").string();
    folder_ = mkdtemp(pattern.data()) == nullptr ? "" : pattern;
    EXPECT_NE(folder_, "") << "no folder for the test";
  }
  StoreFile(const StoreFile&) = delete;
  StoreFile& operator=(const StoreFile&) = delete;
  ~StoreFile() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  std::string path() const { return folder_ + "/facts.db"; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

}  // namespace ptc
