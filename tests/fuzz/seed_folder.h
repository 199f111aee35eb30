// Where seeds and dictionaries of fuzz targets are written: FOLDER/seeds/TARGET/HASH and FOLDER/TARGET.dict.
#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc::fuzz {

class SeedFolder {
 public:
  explicit SeedFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Larger ones are left out: small seeds are tried, and changed, more often. Equal ones are one file.
  void add(std::string_view target, std::string_view bytes);
  void add(std::string_view target, std::span<const std::uint8_t> bytes);
  void word(std::string_view target, std::string_view bytes) { words_[std::string(target)].emplace_back(bytes); }

  void write_dictionaries() const;
  std::size_t count() const { return count_; }

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> words_;
  std::size_t count_ = 0;
};

}  // namespace ptc::fuzz
