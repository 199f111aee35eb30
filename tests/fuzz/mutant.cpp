#include "fuzz/mutant.h"

#include <algorithm>
#include <variant>

#include "fuzz/fuzz_keys.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/json_mutation.h"
#include "fuzz/part_mutation.h"
#include "fuzz/snapshot_mutation.h"
#include "runtime/seal/sealing.h"
#include "support/packed_snapshot.h"

namespace ptc::test {
namespace {

std::ptrdiff_t at(std::size_t index) { return static_cast<std::ptrdiff_t>(index); }

void copy_block(Octets& bytes, Random& random) {
  const std::size_t length = 1 + random.below(std::min<std::size_t>(bytes.size(), 64));
  const std::size_t from = random.below(bytes.size() - length + 1), to = random.below(bytes.size() - length + 1);
  const Octets block(bytes.begin() + at(from), bytes.begin() + at(from + length));
  std::copy(block.begin(), block.end(), bytes.begin() + at(to));
}

// Two that do not overlap.
void swap_blocks(Octets& bytes, Random& random) {
  const std::size_t half = bytes.size() / 2, length = 1 + random.below(std::min<std::size_t>(half, 64));
  const std::size_t first = random.below(half - length + 1);
  const std::size_t second = half + random.below(bytes.size() - half - length + 1);
  std::swap_ranges(bytes.begin() + at(first), bytes.begin() + at(first + length), bytes.begin() + at(second));
}

// What lies at a multiple of four is a length or an offset more often than not.
void change_number(Octets& bytes, Random& random) {
  const std::size_t width = std::size_t{1} << (1 + random.below(3));
  if (bytes.size() < width) return;
  const std::size_t place = random.below(bytes.size() / width) * width;
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < width; ++k) number |= std::uint64_t{bytes[place + k]} << (8 * k);
  change(number, random);
  for (std::size_t k = 0; k < width; ++k) bytes[place + k] = static_cast<std::uint8_t>(number >> (8 * k));
}

// Of somebody who has no key, but one of the same name.
const KeyRing& forged_keys() {
  static const auto parsed = KeyRing::parse(R"({"keys": [
    {"id": "hmac", "algorithm": "hmac-sha256", "state": "active", "created": "2026-01-01T00:00:00Z", "not_after": null,
     "secret": "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="}], "signing": "hmac"})");
  if (const auto* message = std::get_if<std::string>(&parsed)) fuzz::complain(*message);
  return std::get<KeyRing>(parsed);
}

Octets sealed(const Octets& bytes, const KeyRing& keys) {
  auto made = seal(bytes, {fuzz::kTenant, fuzz::kRunId, 1, *keys.signing(), fuzz::kNow});
  if (const auto* failure = std::get_if<SealFailure>(&made)) fuzz::complain(failure->message);
  return std::get<Octets>(std::move(made));
}

// Well-formed on the outside, as far as its keeping allows without the key.
Octets with_other_parts(const Octets& bytes, const Octets& other, Keeping keeping, Random& random) {
  switch (keeping) {
    case Keeping::Json: return mutated_json_bytes(bytes, other, random);
    case Keeping::Sealed: {
      std::span<const std::uint8_t> inside, donor;
      open_kept(keeping, bytes, inside);
      open_kept(keeping, other, donor);
      return sealed(mutated_parts({inside.begin(), inside.end()}, {donor.begin(), donor.end()}, random),
                    forged_keys());
    }
    case Keeping::AsShipped: {
      Octets made = mutated_parts(bytes, other, random);
      if (made.size() >= kChecksumBytes && bytes.size() >= kChecksumBytes) {   // the old checksum stays
        std::copy_n(bytes.end() - at(kChecksumBytes), kChecksumBytes, made.end() - at(kChecksumBytes));
      }
      return made;
    }
    case Keeping::WithoutChecksum:
    case Keeping::Rechecksummed: return mutated_parts(bytes, other, random);
  }
  return bytes;
}

Octets broken(Octets bytes, const Octets& other, Keeping keeping, Breakage breakage, Random& random) {
  switch (breakage) {
    case Breakage::Bit: bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(1u << random.below(8)); break;
    case Breakage::Byte: bytes[random.below(bytes.size())] = static_cast<std::uint8_t>(random.below(256)); break;
    case Breakage::CutOff: bytes.resize(random.below(bytes.size())); break;
    case Breakage::BlockCopied: copy_block(bytes, random); break;
    case Breakage::BlocksSwapped: swap_blocks(bytes, random); break;
    case Breakage::Number: change_number(bytes, random); break;
    case Breakage::Several: return mutated_bytes(std::move(bytes), other, random);
    case Breakage::Parts: return with_other_parts(bytes, other, keeping, random);
  }
  return bytes;
}

}  // namespace

std::string_view keeping_name(Keeping keeping) {
  switch (keeping) {
    case Keeping::WithoutChecksum: return "binary, formats 1 and 2 (no checksum)";
    case Keeping::AsShipped: return "binary, unsigned, as shipped";
    case Keeping::Sealed: return "binary, sealed";
    case Keeping::Rechecksummed: return "binary, checksum made anew";
    case Keeping::Json: return "JSON (no checksum)";
  }
  return "";
}

std::string_view breakage_name(Breakage breakage) {
  constexpr std::string_view kNames[kBreakageCount] = {"bit",           "byte",   "cut off", "block copied",
                                                       "blocks swapped", "number", "several", "parts"};
  return kNames[static_cast<std::size_t>(breakage)];
}

Octets mutant_of(const Octets& bytes, const Octets& other, Keeping keeping, Breakage breakage, Random& random) {
  constexpr int kTries = 100;
  for (int k = 0; k < kTries; ++k) {
    Octets made = broken(bytes, other, keeping, breakage, random);
    if (keeping == Keeping::Rechecksummed) made = with_right_checksum(made);
    if (made != bytes) return made;
  }
  return {};
}

std::string open_kept(Keeping keeping, const Octets& bytes, std::span<const std::uint8_t>& snapshot) {
  snapshot = bytes;
  if (keeping != Keeping::Sealed) return {};
  OpenRequest request{.tenant = fuzz::kTenant, .expected_run_id = fuzz::kRunId, .expected_sequence = 1,
                      .minimum_sequence = 1, .keys = fuzz::fuzz_keys(), .now_seconds = fuzz::kNow};
  const auto opened = open_sealed(bytes, request);
  if (const auto* failure = std::get_if<SealFailure>(&opened)) {
    return std::string(seal_error_name(failure->error)) + ": " + failure->message;
  }
  snapshot = std::get<OpenedEnvelope>(opened).payload;
  return {};
}

Octets sealed_by_the_host(const Octets& snapshot) { return sealed(snapshot, fuzz::fuzz_keys()); }

}  // namespace ptc::test
