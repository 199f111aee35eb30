// Where seeds and dictionaries of fuzz targets are written: FOLDER/seeds/TARGET/HASH and FOLDER/TARGET.dict.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc::fuzz {

class SeedFolder {
 public:
  // `every`: about one in that many seeds of a target is written, and never fewer than some.
  SeedFolder(std::filesystem::path folder, std::uint64_t every) : folder_(std::move(folder)), every_(every) {}

  // Larger ones are left out: small seeds are tried, and changed, more often. Equal ones are one file.
  void add(std::string_view target, std::string_view bytes);
  void add(std::string_view target, std::span<const std::uint8_t> bytes);
  void word(std::string_view target, std::string_view bytes) { words_[std::string(target)].emplace_back(bytes); }

  void write_dictionaries() const;
  std::size_t count() const;

 private:
  std::filesystem::path folder_;
  std::uint64_t every_;
  std::map<std::string, std::vector<std::string>> words_;
  std::map<std::string, std::size_t, std::less<>> kept_;   // by target
};

}  // namespace ptc::fuzz
