#include "fuzz/seed_folder.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#include "fuzz/fuzz_target.h"

namespace ptc::fuzz {
namespace {

constexpr std::size_t kMostBytes = 16'000, kFewest = 8;

std::string hex(std::uint64_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

// As dictionaries of libFuzzer and AFL++ spell it.
std::string spelled(std::string_view word) {
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') {
      out.append("\\").push_back(c);
    } else if (c >= ' ' && c <= '~') {
      out.push_back(c);
    } else {
      out.append("\\x").append(hex(static_cast<std::uint8_t>(c)).substr(14));
    }
  }
  return out + '"';
}

}  // namespace

void SeedFolder::add(std::string_view target, std::string_view bytes) {
  add(target, std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

void SeedFolder::add(std::string_view target, std::span<const std::uint8_t> bytes) {
  if (bytes.size() > kMostBytes) return;
  const std::uint64_t hash = seed_of(bytes);
  std::size_t& kept = kept_[std::string(target)];
  if (kept >= kFewest && hash % every_ != 0) return;
  ++kept;
  const std::filesystem::path folder = folder_ / "seeds" / target;
  std::filesystem::create_directories(folder);
  std::ofstream out(folder / hex(hash), std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::size_t SeedFolder::count() const {
  std::size_t sum = 0;
  for (const auto& [target, kept] : kept_) sum += kept;
  return sum;
}

void SeedFolder::write_dictionaries() const {
  for (const auto& [target, words] : words_) {
    std::vector<std::string> sorted(words);
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    std::ofstream out(folder_ / (target + ".dict"), std::ios::trunc);
    for (const std::string& word : sorted) {
      if (!word.empty()) out << spelled(word) << '\n';
    }
  }
}

}  // namespace ptc::fuzz
