// Sealing: a signature around snapshot bytes, with the tenant, the run and the place in its history bound in.
//
// An envelope is a FlatBuffers table (schema/sealed.fbs) in one encoding only. What is signed is this string of bytes,
// where text(x) is the length of x as u64 and then its bytes, and all numbers are little endian:
//
//   text("ptcvm sealed snapshot")   no signature of another protocol fits
//   u16 format   u8 algorithm   text(key id)   text(tenant)   text(run id)   u64 sequence   text(payload)
//
// The signature is HMAC-SHA-256 (32 bytes) or Ed25519ph of RFC 8032 without a context (64 bytes) of that string.
//
// A valid signature says who wrote the bytes, and nothing about what they are: whoever opens an envelope still hands
// the payload to the validator of snapshots, which must not rely on the signature.
//
// Opening looks at the envelope in this order, and each step refuses by name before the next one: shape, format, key,
// algorithm, validity, signature, encoding, then what the host expects. Nothing is said about tenant, run and
// sequence unless the signature is good. It allocates some hundred bytes, whatever the envelope claims.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/seal/key_ring.h"

namespace ptc {

inline constexpr std::size_t kMaxSealedNameBytes = 256;          // a tenant, a run id
inline constexpr std::size_t kMaxSealedBytes = 256u << 20;       // an envelope
inline constexpr std::size_t kSealedAlignment = 16;              // of envelope and payload in memory

enum class SealError : std::uint8_t {
  NotSealed,            // other bytes than an envelope
  TooLarge,
  Misaligned,           // the bytes do not begin at a multiple of kSealedAlignment
  Damaged,              // cut, or not in the one encoding
  UnsupportedVersion,
  UnknownKey,
  RevokedKey,
  WrongAlgorithm,       // not that of the key
  KeyNotYetValid,
  ExpiredKey,
  BadSignature,
  WrongTenant,
  WrongRun,
  RolledBack,           // an older snapshot than the host expects
  WrongSequence,        // a newer snapshot than the host expects
  KeyCannotSign,        // sealing: not active, or without its secret
  BadName,              // sealing: an empty or overlong tenant or run id
};

std::string_view seal_error_name(SealError error);      // rolled_back

struct SealFailure {
  SealError error{};
  std::string message;
};

struct SealRequest {
  std::string_view tenant, run_id;
  std::uint64_t sequence = 0;
  const SealingKey& key;
  std::int64_t now_seconds = 0;             // since 1970; decides whether the key is valid
};

struct OpenRequest {
  std::string_view tenant;
  std::optional<std::string_view> expected_run_id;
  std::optional<std::uint64_t> expected_sequence;
  std::uint64_t minimum_sequence = 0;
  const KeyRing& keys;
  std::int64_t now_seconds = 0;
};

// Views into the envelope.
struct OpenedEnvelope {
  std::string_view key_id, tenant, run_id;
  SealAlgorithm algorithm{};
  std::uint64_t sequence = 0;
  std::span<const std::uint8_t> payload;    // aligned as the envelope is
};

std::variant<std::vector<std::uint8_t>, SealFailure> seal(std::span<const std::uint8_t> payload,
                                                          const SealRequest& request);
std::variant<OpenedEnvelope, SealFailure> open_sealed(std::span<const std::uint8_t> bytes, const OpenRequest& request);

// Whether the bytes claim to be an envelope.
bool looks_sealed(std::span<const std::uint8_t> bytes);

}  // namespace ptc
