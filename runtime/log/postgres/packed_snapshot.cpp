#include "runtime/log/postgres/packed_snapshot.h"

#include <algorithm>
#include <optional>

namespace ptc {
namespace {

constexpr std::string_view kPackedMark("\x01PTZ", 4);
constexpr std::size_t kWordBytes = 8, kMostZeroWords = 255;

// Appends the packed words.
void pack_words(std::string& out, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view word = bytes.substr(0, kWordBytes);
    bytes.remove_prefix(word.size());
    unsigned which = 0;
    for (std::size_t i = 0; i < word.size(); ++i) which |= (word[i] != 0 ? 1U : 0U) << i;
    out += static_cast<char>(which);
    for (const char byte : word) {
      if (byte != 0) out += byte;
    }
    if (which != 0) continue;
    const std::size_t zeros = std::min(bytes.find_first_not_of('\0'), bytes.size());
    const std::size_t words = std::min(zeros / kWordBytes, kMostZeroWords);
    out += static_cast<char>(words);
    bytes.remove_prefix(words * kWordBytes);
  }
}

// Takes the first byte away. nullopt: there is none.
std::optional<std::uint8_t> taken_byte(std::string_view& bytes) {
  if (bytes.empty()) return std::nullopt;
  const auto out = static_cast<std::uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  return out;
}

std::optional<std::vector<std::uint8_t>> unpacked_words(std::string_view packed) {
  std::size_t size = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = taken_byte(packed);
    if (!byte || shift > 14) return std::nullopt;
    size |= std::size_t{*byte & 127U} << shift;
    if (*byte < 128) break;
  }
  if (size > kMostPackedBytes) return std::nullopt;
  std::vector<std::uint8_t> out;
  out.reserve(size + kWordBytes);
  while (out.size() < size) {
    const auto which = taken_byte(packed);
    if (!which) return std::nullopt;
    for (unsigned i = 0; i < kWordBytes; ++i) {
      const auto byte = (*which >> i & 1) != 0 ? taken_byte(packed) : std::uint8_t{0};
      if (!byte) return std::nullopt;
      out.push_back(*byte);
    }
    if (*which != 0) continue;
    const auto words = taken_byte(packed);
    if (!words || out.size() + *words * kWordBytes > size + kWordBytes) return std::nullopt;
    out.insert(out.end(), *words * kWordBytes, 0);
  }
  if (!packed.empty()) return std::nullopt;
  out.resize(size);
  return out;
}

}   // namespace

std::string packed_snapshot(std::string_view snapshot) {
  std::string out(kPackedMark);
  out.reserve(snapshot.size() + snapshot.size() / kWordBytes + 16);
  std::size_t size = snapshot.size();
  for (; size > 127; size >>= 7) out += static_cast<char>(size | 128);
  out += static_cast<char>(size);
  pack_words(out, snapshot);
  const bool is_wanted = out.size() < snapshot.size() || snapshot.starts_with(kPackedMark);
  return is_wanted ? out : std::string(snapshot);
}

std::vector<std::uint8_t> unpacked_snapshot(std::string_view stored) {
  if (stored.starts_with(kPackedMark)) {
    if (auto out = unpacked_words(stored.substr(kPackedMark.size()))) return *std::move(out);
  }
  return {stored.begin(), stored.end()};
}

}   // namespace ptc
