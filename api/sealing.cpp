#include "ptcvm/sealing.hpp"

#include <cstring>

#include "api/errors.h"
#include "api/octets.h"
#include "api/sealing_access.h"
#include "runtime/engine/clock.h"
#include "runtime/seal/sealing.h"

namespace ptcvm {

namespace {

constexpr std::int64_t kMillis = 1'000;   // in a second
// The dates that the file of a key ring can hold: the years 1 to 9999, in seconds since 1970.
constexpr std::int64_t kFirstSecond = -62'135'596'800, kLastSecond = 253'402'300'799;

ptc::SealAlgorithm algorithm_in(SealAlgorithm algorithm) {
  return algorithm == SealAlgorithm::HmacSha256 ? ptc::SealAlgorithm::HmacSha256 : ptc::SealAlgorithm::Ed25519;
}
SealAlgorithm algorithm_out(ptc::SealAlgorithm algorithm) {
  return algorithm == ptc::SealAlgorithm::HmacSha256 ? SealAlgorithm::HmacSha256 : SealAlgorithm::Ed25519;
}

KeyState state_out(ptc::KeyState state) {
  switch (state) {
    case ptc::KeyState::Active: return KeyState::Active;
    case ptc::KeyState::VerifyOnly: return KeyState::VerifyOnly;
    case ptc::KeyState::Revoked: break;
  }
  return KeyState::Revoked;
}

// The second that holds the millisecond, also before 1970.
std::int64_t seconds_of(std::int64_t ms) { return ms / kMillis - (ms % kMillis < 0 ? 1 : 0); }
std::int64_t seconds_at(const std::optional<std::int64_t>& time_ms) {
  return time_ms ? seconds_of(*time_ms) : ptc::system_seconds();
}

// A refusal of the ring, which has not changed then.
Result<void> changed(std::optional<std::string> message) {
  if (message) return host_error(Errc::invalid_key_ring, std::move(*message));
  return {};
}

Result<KeyRing> read(std::variant<ptc::KeyRing, std::string> ring) {
  if (auto* message = std::get_if<std::string>(&ring)) return host_error(Errc::invalid_key_ring, std::move(*message));
  return KeyRingAccess::made(std::get<ptc::KeyRing>(std::move(ring)));
}

Error refusal(ptc::SealError error, std::string message) {
  return {Errc::seal_refused, std::move(message), std::nullopt, ptc::seal_error_name(error)};
}

// The bytes at an address where an envelope can be read; `storage` holds them if they were elsewhere.
std::span<const std::byte> aligned(std::span<const std::byte> bytes, std::vector<std::byte>& storage) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % ptc::kSealedAlignment == 0) return bytes;
  storage.resize(bytes.size() + ptc::kSealedAlignment);
  void* place = storage.data();
  std::size_t room = storage.size();
  std::align(ptc::kSealedAlignment, bytes.size(), place, room);
  std::memcpy(place, bytes.data(), bytes.size());
  return {static_cast<const std::byte*>(place), bytes.size()};
}

}  // namespace

const char* seal_algorithm_name(SealAlgorithm algorithm) {
  return ptc::seal_algorithm_name(algorithm_in(algorithm)).data();
}
std::optional<SealAlgorithm> seal_algorithm_named(std::string_view name) {
  const auto found = ptc::seal_algorithm_named(name);
  return found ? std::optional(algorithm_out(*found)) : std::nullopt;
}
const char* key_state_name(KeyState state) {
  switch (state) {
    case KeyState::Active: return ptc::key_state_name(ptc::KeyState::Active).data();
    case KeyState::VerifyOnly: return ptc::key_state_name(ptc::KeyState::VerifyOnly).data();
    case KeyState::Revoked: break;
  }
  return ptc::key_state_name(ptc::KeyState::Revoked).data();
}

KeyRing::KeyRing() : impl_(std::make_unique<Impl>()) {}
KeyRing::KeyRing(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KeyRing::KeyRing(KeyRing&& moved) noexcept = default;
KeyRing& KeyRing::operator=(KeyRing&& moved) noexcept = default;
KeyRing::~KeyRing() = default;

Result<KeyRing> KeyRing::parse(std::string_view json) { return read(ptc::KeyRing::parse(json)); }
Result<KeyRing> KeyRing::load(const std::string& path) { return read(ptc::KeyRing::load(path)); }

Result<void> KeyRing::rotate(const NewKey& wanted) {
  ptc::NewKey key{wanted.id, algorithm_in(wanted.algorithm), seconds_at(wanted.time_ms), {}};
  if (wanted.not_after_ms) key.not_after_seconds = seconds_of(*wanted.not_after_ms);
  for (const std::int64_t seconds : {key.now_seconds, key.not_after_seconds.value_or(key.now_seconds)}) {
    if (seconds < kFirstSecond || seconds > kLastSecond) return changed("a key begins and ends in the years 1 to 9999");
  }
  return changed(impl_->ring.rotate(key));
}
Result<void> KeyRing::sign_with(std::string_view id) { return changed(impl_->ring.sign_with(id)); }
Result<void> KeyRing::revoke(std::string_view id) { return changed(impl_->ring.revoke(id)); }

KeyRing KeyRing::public_half() const { return KeyRingAccess::made(impl_->ring.public_half()); }
bool KeyRing::can_seal() const { return impl_->ring.signing() != nullptr; }

std::vector<SealingKey> KeyRing::keys() const {
  std::vector<SealingKey> out;
  for (const ptc::SealingKey& key : impl_->ring.keys()) {
    SealingKey& seen = out.emplace_back();
    seen.id = key.id;
    seen.algorithm = algorithm_out(key.algorithm);
    seen.state = state_out(key.state);
    seen.is_signing = &key == impl_->ring.signing();
    seen.has_secret = key.secret.present();
    seen.created_ms = key.created_seconds * kMillis;
    if (key.not_after_seconds) seen.not_after_ms = *key.not_after_seconds * kMillis;
    seen.note = key.note;
  }
  return out;
}

std::string KeyRing::to_json() const { return impl_->ring.text(); }
Result<void> KeyRing::save(const std::string& path, bool replace) const {
  if (auto message = impl_->ring.save(path, replace)) return host_error(Errc::store_failed, std::move(*message));
  return {};
}

Result<ptc::EnvelopeEdges> edges_around(const ptc::SnapshotPieces& payload, const KeyRing& keys,
                                        const SealLabel& label) {
  const ptc::SealingKey* const key = KeyRingAccess::ring(keys).signing();
  if (key == nullptr) return refusal(ptc::SealError::KeyCannotSign, "the ring has no key that signs");
  auto edges = ptc::seal_around(payload, {.tenant = label.tenant,
                                          .run_id = label.run_id,
                                          .sequence = label.sequence,
                                          .key = *key,
                                          .now_seconds = seconds_at(label.time_ms)});
  if (auto* failure = std::get_if<ptc::SealFailure>(&edges)) {
    return refusal(failure->error, std::move(failure->message));
  }
  return std::get<ptc::EnvelopeEdges>(std::move(edges));
}

Result<std::vector<std::byte>> seal(std::span<const std::byte> payload, const KeyRing& keys, const SealLabel& label) {
  auto edges = edges_around(ptc::OnePiece(octets(payload)), keys, label);
  if (!edges) return std::move(edges).error();
  const auto before = std::as_bytes(std::span(edges->before)), behind = std::as_bytes(std::span(edges->behind));
  std::vector<std::byte> out;
  out.reserve(before.size() + payload.size() + behind.size());
  for (const auto part : {before, payload, behind}) out.insert(out.end(), part.begin(), part.end());
  return out;
}

Result<std::vector<std::byte>> seal_in_place(std::vector<std::byte> payload, const KeyRing& keys,
                                             const SealLabel& label) {
  auto edges = edges_around(ptc::OnePiece(octets(payload)), keys, label);
  if (!edges) return std::move(edges).error();
  const auto before = std::as_bytes(std::span(edges->before)), behind = std::as_bytes(std::span(edges->behind));
  payload.reserve(before.size() + payload.size() + behind.size());
  payload.insert(payload.end(), behind.begin(), behind.end());
  payload.insert(payload.begin(), before.begin(), before.end());
  return payload;
}

Result<CheckedSeal> check_sealed(std::span<const std::byte> bytes, const KeyRing& keys,
                                 const SealExpectations& expected) {
  std::vector<std::byte> storage;
  const bool is_readable = bytes.size() <= ptc::kMaxSealedBytes;   // more is refused without a copy
  const auto checked = is_readable ? aligned(bytes, storage) : bytes;
  const ptc::OpenRequest request{.tenant = expected.tenant,
                                 .expected_run_id = expected.run_id,
                                 .expected_sequence = expected.sequence,
                                 .minimum_sequence = expected.minimum_sequence,
                                 .keys = KeyRingAccess::ring(keys),
                                 .now_seconds = seconds_at(expected.time_ms)};
  const auto opened = ptc::open_sealed(octets(checked), request);
  if (const auto* failure = std::get_if<ptc::SealFailure>(&opened)) return refusal(failure->error, failure->message);
  const auto& envelope = std::get<ptc::OpenedEnvelope>(opened);
  const auto payload = std::as_bytes(envelope.payload);
  const auto begin = static_cast<std::size_t>(payload.data() - checked.data());
  return CheckedSeal{std::string(envelope.key_id), std::string(envelope.tenant), std::string(envelope.run_id),
                     algorithm_out(envelope.algorithm), envelope.sequence, bytes.subspan(begin, payload.size())};
}

Result<OpenedSeal> open_sealed(std::span<const std::byte> bytes, const KeyRing& keys,
                               const SealExpectations& expected) {
  auto checked = check_sealed(bytes, keys, expected);
  if (!checked) return std::move(checked).error();
  return OpenedSeal{std::move(checked->key_id), std::move(checked->tenant), std::move(checked->run_id),
                    checked->algorithm, checked->sequence, {checked->payload.begin(), checked->payload.end()}};
}

bool looks_sealed(std::span<const std::byte> bytes) { return ptc::looks_sealed(octets(bytes)); }

}  // namespace ptcvm
