#include "runtime/seal/key_ring.h"

#include <sodium.h>

#include <algorithm>
#include <utility>

namespace ptc {
namespace {

constexpr std::string_view kIdCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

std::string no_such_key(std::string_view id) { return "there is no key " + std::string(id); }

}  // namespace

std::string_view seal_algorithm_name(SealAlgorithm algorithm) {
  switch (algorithm) {
    case SealAlgorithm::HmacSha256: return "hmac-sha256";
    case SealAlgorithm::Ed25519: return "ed25519";
  }
  return "";
}

std::optional<SealAlgorithm> seal_algorithm_named(std::string_view name) {
  for (const SealAlgorithm algorithm : {SealAlgorithm::HmacSha256, SealAlgorithm::Ed25519}) {
    if (seal_algorithm_name(algorithm) == name) return algorithm;
  }
  return std::nullopt;
}

std::string_view key_state_name(KeyState state) {
  switch (state) {
    case KeyState::Active: return "active";
    case KeyState::VerifyOnly: return "verify-only";
    case KeyState::Revoked: return "revoked";
  }
  return "";
}

std::optional<KeyState> key_state_named(std::string_view name) {
  for (const KeyState state : {KeyState::Active, KeyState::VerifyOnly, KeyState::Revoked}) {
    if (key_state_name(state) == name) return state;
  }
  return std::nullopt;
}

SecretKey::SecretKey(std::span<const std::uint8_t, kKeyBytes> bytes) : present_(true) {
  std::copy(bytes.begin(), bytes.end(), bytes_.begin());
}

SecretKey::SecretKey(SecretKey&& other) noexcept : bytes_(other.bytes_), present_(other.present_) { other.clear(); }

SecretKey& SecretKey::operator=(SecretKey&& other) noexcept {
  if (this == &other) return *this;
  bytes_ = other.bytes_;
  present_ = other.present_;
  other.clear();
  return *this;
}

SecretKey::~SecretKey() { clear(); }

void SecretKey::clear() {
  sodium_memzero(bytes_.data(), bytes_.size());
  present_ = false;
}

bool is_key_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxKeyIdBytes && id.find_first_not_of(kIdCharacters) == std::string_view::npos;
}

std::optional<SealingKey> make_key(const NewKey& wanted) {
  if (!is_key_id(wanted.id) || sodium_init() < 0) return std::nullopt;
  SealingKey key;
  key.id = wanted.id;
  key.algorithm = wanted.algorithm;
  key.created_seconds = wanted.now_seconds;
  key.not_after_seconds = wanted.not_after_seconds;
  KeyBytes seed;
  randombytes_buf(seed.data(), seed.size());
  key.secret = SecretKey(seed);
  if (wanted.algorithm == SealAlgorithm::Ed25519) {
    std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> expanded;
    crypto_sign_seed_keypair(key.public_key.data(), expanded.data(), seed.data());
    sodium_memzero(expanded.data(), expanded.size());
  }
  sodium_memzero(seed.data(), seed.size());
  return key;
}

std::optional<std::string> KeyRing::add(SealingKey key) {
  if (!is_key_id(key.id)) return "a key id is 1 to 64 letters, digits, and . _ -";
  if (find(key.id) != nullptr) return "key " + key.id + " is there already";
  if (keys_.size() == kMaxKeys) return "a ring has at most " + std::to_string(kMaxKeys) + " keys";
  if (!key.can_check()) return "key " + key.id + " has no secret";
  if (key.not_after_seconds && *key.not_after_seconds <= key.created_seconds) {
    return "key " + key.id + " ends before it begins";
  }
  keys_.push_back(std::move(key));
  return std::nullopt;
}

std::optional<std::string> KeyRing::sign_with(std::string_view id) {
  const SealingKey* key = find(id);
  if (key == nullptr) return no_such_key(id);
  if (key->state != KeyState::Active) return "key " + key->id + " is " + std::string(key_state_name(key->state));
  if (!key->secret.present()) return "key " + key->id + " has no secret and cannot sign";
  signing_ = key->id;
  return std::nullopt;
}

std::optional<std::string> KeyRing::rotate(const NewKey& wanted) {
  std::optional<SealingKey> key = make_key(wanted);
  if (!key) return "a key id is 1 to 64 letters, digits, and . _ -";
  if (auto message = add(std::move(*key))) return message;
  if (SealingKey* before = signing_.empty() ? nullptr : find_mutable(signing_)) before->state = KeyState::VerifyOnly;
  return sign_with(wanted.id);
}

std::optional<std::string> KeyRing::revoke(std::string_view id) {
  SealingKey* key = find_mutable(id);
  if (key == nullptr) return no_such_key(id);
  key->state = KeyState::Revoked;
  if (signing_ == id) signing_.clear();
  return std::nullopt;
}

KeyRing KeyRing::public_half() const {
  KeyRing half;
  for (const SealingKey& key : keys_) {
    if (key.algorithm != SealAlgorithm::Ed25519) continue;
    SealingKey open;
    open.id = key.id;
    open.algorithm = key.algorithm;
    open.state = key.state == KeyState::Active ? KeyState::VerifyOnly : key.state;
    open.created_seconds = key.created_seconds;
    open.not_after_seconds = key.not_after_seconds;
    open.public_key = key.public_key;
    open.note = key.note;
    half.keys_.push_back(std::move(open));
  }
  return half;
}

const SealingKey* KeyRing::find(std::string_view id) const {
  const auto found = std::find_if(keys_.begin(), keys_.end(), [&](const SealingKey& key) { return key.id == id; });
  return found == keys_.end() ? nullptr : &*found;
}

SealingKey* KeyRing::find_mutable(std::string_view id) { return const_cast<SealingKey*>(find(id)); }

const SealingKey* KeyRing::signing() const { return signing_.empty() ? nullptr : find(signing_); }

}  // namespace ptc
