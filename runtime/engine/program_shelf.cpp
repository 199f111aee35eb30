#include "runtime/engine/program_shelf.h"

#include <algorithm>
#include <cstring>

namespace ptc {
namespace {

// No hash to trust, but a first guess: the bytes themselves are compared.
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

// Returns the program of that key whose bytes, as `bytes_of` gives them, are these.
template <class Programs, class BytesOf>
std::shared_ptr<const Program> found(const Programs& programs, std::uint64_t key, std::span<const std::uint8_t> bytes,
                                     BytesOf bytes_of) {
  const auto [first, last] = programs.equal_range(key);
  for (auto at = first; at != last; ++at) {
    if (same(bytes_of(at->second->encoded()), bytes)) return at->second;
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<const Program> ProgramShelf::find(std::span<const std::uint8_t> sha256) {
  const std::lock_guard lock(mutex_);
  return found(by_hash_, first_word(sha256), sha256, [](const EncodedProgram& one) { return std::span(one.sha256); });
}

std::shared_ptr<const Program> ProgramShelf::find_bytes(std::span<const std::uint8_t> bytes) {
  const std::uint64_t key = quick_key(bytes);
  const std::lock_guard lock(mutex_);
  return found(by_bytes_, key, bytes, [](const EncodedProgram& one) { return std::span(one.bytes); });
}

std::shared_ptr<const Program> ProgramShelf::find_packed(std::span<const std::uint8_t> packed) {
  const std::uint64_t key = quick_key(packed);
  const std::lock_guard lock(mutex_);
  return found(by_packed_, key, packed, [](const EncodedProgram& one) { return std::span(one.packed); });
}

void ProgramShelf::keep(const std::shared_ptr<const Program>& program) {
  const EncodedProgram& encoded = program->encoded();
  const Key quick = quick_key(encoded.bytes), packed = quick_key(encoded.packed);
  const std::lock_guard lock(mutex_);
  if (found(by_bytes_, quick, encoded.bytes, [](const EncodedProgram& one) { return std::span(one.bytes); })) return;
  by_hash_.emplace(first_word(encoded.sha256), program);
  by_bytes_.emplace(quick, program);
  by_packed_.emplace(packed, program);
  order_.push_back(program);
  bytes_ += encoded.bytes.size();
  while (order_.size() > 1 && (order_.size() > most_programs_ || bytes_ > most_bytes_)) forget_oldest();
}

void ProgramShelf::forget_oldest() {
  const std::shared_ptr<const Program> oldest = std::move(order_.front());
  order_.pop_front();
  const EncodedProgram& encoded = oldest->encoded();
  const auto forget = [&oldest](Programs& programs, Key key) {
    const auto [first, last] = programs.equal_range(key);
    const auto at = std::find_if(first, last, [&oldest](const auto& one) { return one.second == oldest; });
    if (at != last) programs.erase(at);
  };
  forget(by_hash_, first_word(encoded.sha256));
  forget(by_bytes_, quick_key(encoded.bytes));
  forget(by_packed_, quick_key(encoded.packed));
  bytes_ -= encoded.bytes.size();
}

}  // namespace ptc
