// Mutants of snapshots as a table counts them: one breakage each, of a snapshot kept in one of several ways.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "fuzz/byte_mutation.h"

namespace ptc::test {

// How a snapshot lies where others can write.
enum class Keeping : std::uint8_t {
  WithoutChecksum,   // formats 1 and 2
  AsShipped,         // binary, as this engine writes it
  Sealed,            // the same in an envelope
  Rechecksummed,     // the author of the change wrote the checksum that belongs to it
  Json,              // the face for people, which has no checksum
};
inline constexpr Keeping kKeepings[] = {Keeping::WithoutChecksum, Keeping::AsShipped, Keeping::Sealed,
                                        Keeping::Rechecksummed, Keeping::Json};
std::string_view keeping_name(Keeping keeping);
// What was broken by accident, or without the key, must never give another answer.
inline bool is_protected(Keeping keeping) { return keeping == Keeping::AsShipped || keeping == Keeping::Sealed; }

enum class Breakage : std::uint8_t { Bit, Byte, CutOff, BlockCopied, BlocksSwapped, Number, Several, Parts };
inline constexpr std::size_t kBreakageCount = 8;
std::string_view breakage_name(Breakage breakage);

// Never the bytes that it was made of; `other` gives parts and lies in the same keeping.
Octets mutant_of(const Octets& bytes, const Octets& other, Keeping keeping, Breakage breakage, Random& random);

// What an envelope holds, or why it is not opened; bytes in other keepings come back as they are.
std::string open_kept(Keeping keeping, const Octets& bytes, std::span<const std::uint8_t>& snapshot);
Octets sealed_by_the_host(const Octets& snapshot);

}  // namespace ptc::test
