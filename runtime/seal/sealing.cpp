#include "runtime/seal/sealing.h"

#include <sodium.h>

#include <algorithm>
#include <array>

#include "schema/version.h"
#include "sealed_generated.h"

namespace ptc {
namespace {

static_assert(static_cast<int>(SealAlgorithm::HmacSha256) == static_cast<int>(schema::SealAlgorithm::HmacSha256));
static_assert(static_cast<int>(SealAlgorithm::Ed25519) == static_cast<int>(schema::SealAlgorithm::Ed25519ph));
static_assert(kKeyBytes == crypto_auth_hmacsha256_KEYBYTES && kKeyBytes == crypto_sign_PUBLICKEYBYTES);

constexpr std::string_view kDomain = "ptcvm sealed snapshot";
constexpr std::size_t kMaxSealBytes = crypto_sign_BYTES;
constexpr std::size_t kHeadBytes = 8;              // root offset and file identifier
constexpr std::size_t kSpareBytes = 256;           // an envelope has so much beyond names and payload

using Bytes = std::span<const std::uint8_t>;

// What a signature covers. The payload of the names is not looked at.
struct Signed {
  const OpenedEnvelope& names;
  const SnapshotPieces& payload;
};

struct Seal {
  std::array<std::uint8_t, kMaxSealBytes> bytes{};
  std::size_t size = 0;
  Bytes view() const { return Bytes(bytes).first(size); }
};

std::size_t signature_size(SealAlgorithm algorithm) {
  return algorithm == SealAlgorithm::HmacSha256 ? crypto_auth_hmacsha256_BYTES : crypto_sign_BYTES;
}

Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }
std::string_view text_of(const flatbuffers::String* string) { return {string->c_str(), string->size()}; }
Bytes bytes_of(const flatbuffers::Vector<std::uint8_t>* vector) { return {vector->data(), vector->size()}; }

// Hands the signed string (sealing.h) to `update`, piece by piece: the payload is not copied.
template <class Update>
void each_signed_piece(const Signed& content, const Update& update) {
  const auto number = [&](std::uint64_t value, std::size_t size) {
    std::array<std::uint8_t, 8> little{};
    for (std::size_t i = 0; i < size; ++i) little[i] = static_cast<std::uint8_t>(value >> (8 * i));
    update(Bytes(little).first(size));
  };
  const auto text = [&](Bytes bytes) {
    number(bytes.size(), 8);
    update(bytes);
  };
  text(bytes_of(kDomain));
  number(kSealedFormat, 2);
  number(static_cast<std::uint64_t>(content.names.algorithm), 1);
  text(bytes_of(content.names.key_id));
  text(bytes_of(content.names.tenant));
  text(bytes_of(content.names.run_id));
  number(content.names.sequence, 8);
  number(content.payload.size(), 8);
  SnapshotSlicer pieces(SIZE_MAX, update);
  content.payload.write(pieces);
}

Seal authentication_code(const Signed& content, const SealingKey& key) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, key.secret.bytes().data(), key.secret.bytes().size());
  each_signed_piece(content,
                    [&](Bytes piece) { crypto_auth_hmacsha256_update(&state, piece.data(), piece.size()); });
  Seal code;
  code.size = crypto_auth_hmacsha256_BYTES;
  crypto_auth_hmacsha256_final(&state, code.bytes.data());
  sodium_memzero(&state, sizeof state);
  return code;
}

void digest_for_signature(const Signed& content, crypto_sign_state& state) {
  crypto_sign_init(&state);
  each_signed_piece(content, [&](Bytes piece) { crypto_sign_update(&state, piece.data(), piece.size()); });
}

Seal sign(const Signed& content, const SealingKey& key) {
  if (key.algorithm == SealAlgorithm::HmacSha256) return authentication_code(content, key);
  std::array<std::uint8_t, crypto_sign_PUBLICKEYBYTES> public_key;
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> expanded;
  crypto_sign_seed_keypair(public_key.data(), expanded.data(), key.secret.bytes().data());
  crypto_sign_state state;
  digest_for_signature(content, state);
  Seal signature;
  signature.size = crypto_sign_BYTES;
  crypto_sign_final_create(&state, signature.bytes.data(), nullptr, expanded.data());
  sodium_memzero(expanded.data(), expanded.size());
  return signature;
}

bool signature_is_good(const OpenedEnvelope& envelope, Bytes signature, const SealingKey& key) {
  if (signature.size() != signature_size(key.algorithm)) return false;
  if (key.algorithm == SealAlgorithm::HmacSha256) {
    const Seal expected = authentication_code({envelope, OnePiece(envelope.payload)}, key);
    return sodium_memcmp(expected.bytes.data(), signature.data(), expected.size) == 0;
  }
  crypto_sign_state state;
  digest_for_signature({envelope, OnePiece(envelope.payload)}, state);
  return crypto_sign_final_verify(&state, signature.data(), key.public_key.data()) == 0;
}

// The payload goes first, which is last in the file.
void write_envelope(flatbuffers::FlatBufferBuilder& builder, const OpenedEnvelope& envelope, Bytes payload,
                    Bytes signature) {
  builder.ForceVectorAlignment(payload.size(), 1, kSealedAlignment);
  const auto payload_at = builder.CreateVector(payload.data(), payload.size());
  const auto signature_at = builder.CreateVector(signature.data(), signature.size());
  const auto run_at = builder.CreateString(envelope.run_id.data(), envelope.run_id.size());
  const auto tenant_at = builder.CreateString(envelope.tenant.data(), envelope.tenant.size());
  const auto key_at = builder.CreateString(envelope.key_id.data(), envelope.key_id.size());
  const auto algorithm = static_cast<schema::SealAlgorithm>(envelope.algorithm);
  schema::FinishEnvelopeBuffer(
      builder, schema::CreateEnvelope(builder, kSealedFormat, algorithm, key_at, tenant_at, run_at, envelope.sequence,
                                      payload_at, signature_at));
}

std::size_t names_bytes(const OpenedEnvelope& envelope) {
  return envelope.key_id.size() + envelope.tenant.size() + envelope.run_id.size();
}

// Returns what write_envelope writes around a payload of that length. What precedes the payload depends on the
// payload's length only by its remainder of the alignment, so a twin with a short payload is written, and has the
// length of the payload put in. The payload is not copied.
EnvelopeEdges edges_of(const OpenedEnvelope& envelope, std::size_t length, Bytes signature) {
  constexpr std::array<std::uint8_t, 2 * kSealedAlignment> kTwin{};
  const std::size_t twin_length = length <= kSealedAlignment ? length : kSealedAlignment + length % kSealedAlignment;
  flatbuffers::FlatBufferBuilder builder(kSpareBytes + names_bytes(envelope));
  write_envelope(builder, envelope, Bytes(kTwin).first(twin_length), signature);
  const Bytes twin(builder.GetBufferPointer(), builder.GetSize());
  const auto begin = static_cast<std::size_t>(schema::GetEnvelope(twin.data())->payload()->data() - twin.data());
  const Bytes before = twin.first(begin), behind = twin.subspan(begin + twin_length);
  EnvelopeEdges out{{before.begin(), before.end()}, {behind.begin(), behind.end()}};
  for (std::size_t i = 0; i < sizeof(flatbuffers::uoffset_t); ++i) {
    out.before[begin - sizeof(flatbuffers::uoffset_t) + i] = static_cast<std::uint8_t>(length >> (8 * i));
  }
  return out;
}

// Whether write_envelope would write exactly these bytes.
bool is_canonical(Bytes bytes, const OpenedEnvelope& envelope, Bytes signature) {
  const EnvelopeEdges edges = edges_of(envelope, envelope.payload.size(), signature);
  const std::size_t begin = edges.before.size(), length = envelope.payload.size();
  if (bytes.size() != begin + length + edges.behind.size()) return false;
  if (envelope.payload.data() != bytes.data() + begin) return false;
  return std::ranges::equal(bytes.first(begin), edges.before) &&
         std::ranges::equal(bytes.subspan(begin + length), edges.behind);
}

SealFailure refuse(SealError error, std::string message) { return {error, std::move(message)}; }

std::optional<SealFailure> check_container(Bytes bytes) {
  if (bytes.size() > kMaxSealedBytes) return refuse(SealError::TooLarge, "the envelope is too large");
  if (!looks_sealed(bytes)) return refuse(SealError::NotSealed, "these bytes are no sealed snapshot");
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kSealedAlignment != 0) {
    return refuse(SealError::Misaligned, "the bytes of an envelope must begin at a multiple of 16");
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), 4, 4);
  if (!schema::VerifyEnvelopeBuffer(verifier)) return refuse(SealError::Damaged, "the envelope is damaged");
  return std::nullopt;
}

std::optional<SealFailure> check_shape(const schema::Envelope& table) {
  if (table.format() != kSealedFormat) {
    return refuse(SealError::UnsupportedVersion,
                  "envelope format " + std::to_string(table.format()) + " is not supported");
  }
  const std::size_t longest = std::max(table.tenant()->size(), table.run_id()->size());
  const bool named = table.tenant()->size() > 0 && table.run_id()->size() > 0 && is_key_id(text_of(table.key_id()));
  if (longest > kMaxSealedNameBytes || !named || table.signature()->size() > kMaxSealBytes) {
    return refuse(SealError::Damaged, "the envelope is damaged: a name or the signature has an impossible length");
  }
  return std::nullopt;
}

std::optional<SealFailure> check_validity(const SealingKey& key, std::int64_t now_seconds) {
  if (key.state == KeyState::Revoked) return refuse(SealError::RevokedKey, "key " + key.id + " is revoked");
  if (now_seconds < key.created_seconds) {
    return refuse(SealError::KeyNotYetValid, "key " + key.id + " is not valid yet");
  }
  if (key.not_after_seconds && now_seconds >= *key.not_after_seconds) {
    return refuse(SealError::ExpiredKey, "key " + key.id + " has expired");
  }
  return std::nullopt;
}

std::optional<SealFailure> check_expectations(const OpenedEnvelope& envelope, const OpenRequest& request) {
  if (envelope.tenant != request.tenant) return refuse(SealError::WrongTenant, "the snapshot is of another tenant");
  if (request.expected_run_id && envelope.run_id != *request.expected_run_id) {
    return refuse(SealError::WrongRun, "the snapshot is of another run");
  }
  const std::uint64_t least = std::max(request.minimum_sequence, request.expected_sequence.value_or(0));
  const auto is = [&] { return "the snapshot is number " + std::to_string(envelope.sequence) + " of its run"; };
  if (envelope.sequence < least) {
    return refuse(SealError::RolledBack, is() + ", older than " + std::to_string(least));
  }
  if (request.expected_sequence && envelope.sequence != *request.expected_sequence) {
    return refuse(SealError::WrongSequence, is() + ", not " + std::to_string(*request.expected_sequence));
  }
  return std::nullopt;
}

bool is_name(std::string_view text) { return !text.empty() && text.size() <= kMaxSealedNameBytes; }

std::optional<SealFailure> check_request(std::size_t payload_bytes, const SealRequest& request) {
  const SealingKey& key = request.key;
  if (!is_name(request.tenant) || !is_name(request.run_id)) {
    return refuse(SealError::BadName, "tenant and run id are 1 to 256 bytes");
  }
  if (auto failure = check_validity(key, request.now_seconds)) return failure;
  if (key.state != KeyState::Active || !key.secret.present()) {
    return refuse(SealError::KeyCannotSign, "key " + key.id + " can only check");
  }
  if (payload_bytes > kMaxSealedBytes - kSpareBytes - kMaxKeyIdBytes - 2 * kMaxSealedNameBytes) {
    return refuse(SealError::TooLarge, "the snapshot is too large to be sealed");
  }
  return std::nullopt;
}

}  // namespace

std::string_view seal_error_name(SealError error) {
  switch (error) {
    case SealError::NotSealed: return "not_sealed";
    case SealError::TooLarge: return "too_large";
    case SealError::Misaligned: return "misaligned";
    case SealError::Damaged: return "damaged";
    case SealError::UnsupportedVersion: return "unsupported_version";
    case SealError::UnknownKey: return "unknown_key";
    case SealError::RevokedKey: return "revoked_key";
    case SealError::WrongAlgorithm: return "wrong_algorithm";
    case SealError::KeyNotYetValid: return "key_not_yet_valid";
    case SealError::ExpiredKey: return "expired_key";
    case SealError::BadSignature: return "bad_signature";
    case SealError::WrongTenant: return "wrong_tenant";
    case SealError::WrongRun: return "wrong_run";
    case SealError::RolledBack: return "rolled_back";
    case SealError::WrongSequence: return "wrong_sequence";
    case SealError::KeyCannotSign: return "key_cannot_sign";
    case SealError::BadName: return "bad_name";
  }
  return "";
}

bool looks_sealed(std::span<const std::uint8_t> bytes) {
  const std::string_view identifier = schema::EnvelopeIdentifier();
  if (bytes.size() < kHeadBytes) return false;
  const Bytes claimed = bytes.subspan(kHeadBytes - identifier.size(), identifier.size());
  return std::equal(identifier.begin(), identifier.end(), claimed.begin());
}

std::variant<EnvelopeEdges, SealFailure> seal_around(std::span<const std::uint8_t> payload,
                                                     const SealRequest& request) {
  return seal_around(OnePiece(payload), request);
}

std::variant<EnvelopeEdges, SealFailure> seal_around(const SnapshotPieces& payload, const SealRequest& request) {
  if (auto failure = check_request(payload.size(), request)) return std::move(*failure);
  const OpenedEnvelope names{request.key.id,   request.tenant, request.run_id, request.key.algorithm,
                             request.sequence, {}};
  return edges_of(names, payload.size(), sign({names, payload}, request.key).view());
}

std::variant<std::vector<std::uint8_t>, SealFailure> seal(std::span<const std::uint8_t> payload,
                                                          const SealRequest& request) {
  auto sealed = seal_around(payload, request);
  if (auto* failure = std::get_if<SealFailure>(&sealed)) return std::move(*failure);
  auto& edges = std::get<EnvelopeEdges>(sealed);
  std::vector<std::uint8_t> out = std::move(edges.before);
  out.reserve(out.size() + payload.size() + edges.behind.size());
  out.insert(out.end(), payload.begin(), payload.end());
  out.insert(out.end(), edges.behind.begin(), edges.behind.end());
  return out;
}

std::variant<OpenedEnvelope, SealFailure> open_sealed(std::span<const std::uint8_t> bytes, const OpenRequest& request) {
  if (auto failure = check_container(bytes)) return std::move(*failure);
  const schema::Envelope& table = *schema::GetEnvelope(bytes.data());
  if (auto failure = check_shape(table)) return std::move(*failure);
  const OpenedEnvelope envelope{text_of(table.key_id()), text_of(table.tenant()), text_of(table.run_id()),
                                static_cast<SealAlgorithm>(table.algorithm()), table.sequence(),
                                bytes_of(table.payload())};
  const SealingKey* key = request.keys.find(envelope.key_id);
  if (key == nullptr) return refuse(SealError::UnknownKey, "there is no key " + std::string(envelope.key_id));
  if (envelope.algorithm != key->algorithm) {
    return refuse(SealError::WrongAlgorithm,
                  "key " + key->id + " is of " + std::string(seal_algorithm_name(key->algorithm)));
  }
  if (auto failure = check_validity(*key, request.now_seconds)) return std::move(*failure);
  const Bytes signature = bytes_of(table.signature());
  if (!signature_is_good(envelope, signature, *key)) {
    return refuse(SealError::BadSignature, "the signature does not belong to this snapshot");
  }
  if (!is_canonical(bytes, envelope, signature)) {
    return refuse(SealError::Damaged, "the envelope is not in its one encoding");
  }
  if (auto failure = check_expectations(envelope, request)) return std::move(*failure);
  return envelope;
}

}  // namespace ptc
