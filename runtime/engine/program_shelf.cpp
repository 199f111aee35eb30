#include "runtime/engine/program_shelf.h"

#include <algorithm>
#include <cstring>

namespace ptc {
namespace {

// Not a hash to trust: only a first guess, the bytes themselves are compared.
std::uint64_t quick_key(std::span<const std::uint8_t> bytes) {
  std::uint64_t key = 0x9e3779b97f4a7c15u ^ bytes.size();
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    key = (key ^ word) * 0xd1342543de82ef95u;
    key ^= key >> 29;
  }
  for (; at < bytes.size(); ++at) key = (key ^ bytes[at]) * 0xd1342543de82ef95u;
  return key ^ key >> 32;
}

std::uint64_t first_word(std::span<const std::uint8_t> sha256) {
  std::uint64_t word = 0;
  std::memcpy(&word, sha256.data(), std::min<std::size_t>(sha256.size(), 8));
  return word;
}

bool same(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

std::shared_ptr<const Program> ProgramShelf::find(std::span<const std::uint8_t> sha256) {
  const std::lock_guard lock(mutex_);
  const auto [first, last] = by_hash_.equal_range(first_word(sha256));
  for (auto at = first; at != last; ++at) {
    if (same(at->second->encoded().sha256, sha256)) return at->second;
  }
  return nullptr;
}

std::shared_ptr<const Program> ProgramShelf::find_bytes(std::span<const std::uint8_t> bytes) {
  const std::uint64_t key = quick_key(bytes);
  const std::lock_guard lock(mutex_);
  const auto [first, last] = by_bytes_.equal_range(key);
  for (auto at = first; at != last; ++at) {
    if (same(at->second->encoded().bytes, bytes)) return at->second;
  }
  return nullptr;
}

void ProgramShelf::keep(const std::shared_ptr<const Program>& program) {
  const EncodedProgram& encoded = program->encoded();
  const Key hash = first_word(encoded.sha256), quick = quick_key(encoded.bytes);
  const std::lock_guard lock(mutex_);
  const auto [first, last] = by_bytes_.equal_range(quick);
  for (auto at = first; at != last; ++at) {
    if (at->second == program || same(at->second->encoded().bytes, encoded.bytes)) return;
  }
  by_hash_.emplace(hash, program);
  by_bytes_.emplace(quick, program);
  order_.push_back(program);
  bytes_ += encoded.bytes.size();
  while (order_.size() > 1 && (order_.size() > most_programs_ || bytes_ > most_bytes_)) forget_oldest();
}

void ProgramShelf::forget_oldest() {
  const auto forget = [this](auto& map) {
    for (auto at = map.begin(); at != map.end(); ++at) {
      if (at->second != order_.front()) continue;
      map.erase(at);
      return;
    }
  };
  forget(by_hash_);
  forget(by_bytes_);
  bytes_ -= order_.front()->encoded().bytes.size();
  order_.pop_front();
}

}  // namespace ptc
