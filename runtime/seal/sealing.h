// Signs snapshots. The signature also covers the tenant, the run and the place of the snapshot in the history of the
// run.
//
// An envelope is a FlatBuffers table (schema/sealed.fbs) with one allowed encoding. The signature is over these bytes,
// where text(x) is the length of x as u64 followed by its bytes, and all numbers are little endian:
//
//   text("ptcvm sealed snapshot")   keeps signatures of other protocols from matching
//   u16 format   u8 algorithm   text(key id)   text(tenant)   text(run id)   u64 sequence   text(payload)
//
// The signature is HMAC-SHA-256 (32 bytes) or Ed25519ph of RFC 8032 without a context (64 bytes) of that string.
//
// A valid signature says who wrote the bytes, and nothing about their content. After opening an envelope, the caller
// must still pass the payload to the validator of snapshots, which does not rely on the signature.
//
// Opening checks the envelope in this order, and each check has its own error: shape, format, key, algorithm, validity,
// signature, encoding, then what the host expects. The error says nothing about tenant, run and sequence unless the
// signature is good. Opening allocates some hundred bytes, whatever the envelope claims.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/seal/key_ring.h"
#include "vm/snapshot/snapshot_pieces.h"

namespace ptc {

inline constexpr std::size_t kMaxSealedNameBytes = 256;          // the longest tenant or run id
inline constexpr std::size_t kMaxSealedBytes = 256u << 20;       // the largest envelope
inline constexpr std::size_t kSealedAlignment = 16;              // the alignment of envelope and payload in memory

enum class SealError : std::uint8_t {
  NotSealed,            // the bytes are not an envelope
  TooLarge,
  Misaligned,           // the bytes do not begin at a multiple of kSealedAlignment
  Damaged,              // the bytes are cut, or not in the allowed encoding
  UnsupportedVersion,
  UnknownKey,
  RevokedKey,
  WrongAlgorithm,       // the algorithm differs from the algorithm of the key
  KeyNotYetValid,
  ExpiredKey,
  BadSignature,
  WrongTenant,
  WrongRun,
  RolledBack,           // the snapshot is older than the host expects
  WrongSequence,        // the snapshot is newer than the host expects
  KeyCannotSign,        // sealing: the key is not active, or has no secret
  BadName,              // sealing: the tenant or the run id is empty or too long
};

std::string_view seal_error_name(SealError error);      // returns the name, such as rolled_back

struct SealFailure {
  SealError error{};
  std::string message;
};

struct SealRequest {
  std::string_view tenant, run_id;
  std::uint64_t sequence = 0;
  const SealingKey& key;
  std::int64_t now_seconds = 0;             // seconds since 1970; decide whether the key is valid
};

struct OpenRequest {
  std::string_view tenant;
  std::optional<std::string_view> expected_run_id;
  std::optional<std::uint64_t> expected_sequence;
  std::uint64_t minimum_sequence = 0;
  const KeyRing& keys;
  std::int64_t now_seconds = 0;
};

// The content of an envelope, as views into the envelope.
struct OpenedEnvelope {
  std::string_view key_id, tenant, run_id;
  SealAlgorithm algorithm{};
  std::uint64_t sequence = 0;
  std::span<const std::uint8_t> payload;    // has the alignment of the envelope
};

// What an envelope has before and behind its payload.
struct EnvelopeEdges {
  std::vector<std::uint8_t> before, behind;
};

// Seals the payload where it is, without a copy: the envelope is the edges with the payload between them.
std::variant<EnvelopeEdges, SealFailure> seal_around(std::span<const std::uint8_t> payload,
                                                     const SealRequest& request);
std::variant<EnvelopeEdges, SealFailure> seal_around(const SnapshotPieces& payload, const SealRequest& request);
std::variant<std::vector<std::uint8_t>, SealFailure> seal(std::span<const std::uint8_t> payload,
                                                          const SealRequest& request);
std::variant<OpenedEnvelope, SealFailure> open_sealed(std::span<const std::uint8_t> bytes, const OpenRequest& request);

// Returns whether the bytes claim to be an envelope.
bool looks_sealed(std::span<const std::uint8_t> bytes);

}  // namespace ptc
