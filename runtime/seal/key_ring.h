// Keeps the keys that sign and check sealed snapshots (runtime/seal/sealing.h). The keys are in a JSON file that people
// read and edit:
//
//   {"keys": [{"id": "2026-08", "algorithm": "hmac-sha256", "state": "active",
//              "created": "2026-08-01T00:00:00Z", "not_after": null, "secret": "…base64…"}],
//    "signing": "2026-08"}
//
// An ed25519 key has "public" and, when it can sign, "secret" (its seed). "note" is for people. The reader refuses
// unknown fields, because a misspelt "not_after" must not make a key valid for ever. A key is valid from `created`
// until just before `not_after`. This file reads no clock.
//
// Invariant: ids are unique. When the ring has `signing`, it is the id of an active key that has a secret. Secrets are
// zeroed when they are freed, and so are texts that held secrets.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptc {

enum class SealAlgorithm : std::uint8_t { HmacSha256 = 1, Ed25519 = 2 };   // the numbers are in schema/sealed.fbs
enum class KeyState : std::uint8_t { Active, VerifyOnly, Revoked };

std::string_view seal_algorithm_name(SealAlgorithm algorithm);             // returns the spelling of the file
std::optional<SealAlgorithm> seal_algorithm_named(std::string_view name);
std::string_view key_state_name(KeyState state);
std::optional<KeyState> key_state_named(std::string_view name);

inline constexpr std::size_t kKeyBytes = 32;        // the size of HMAC secrets, Ed25519 seeds and Ed25519 public keys
inline constexpr std::size_t kMaxKeyIdBytes = 64;
inline constexpr std::size_t kMaxKeys = 1'000;
inline constexpr std::size_t kMaxKeyRingBytes = 1u << 20;

using KeyBytes = std::array<std::uint8_t, kKeyBytes>;

// Key bytes that are zeroed when they are freed or moved from.
class SecretKey {
 public:
  SecretKey() = default;
  explicit SecretKey(std::span<const std::uint8_t, kKeyBytes> bytes);
  SecretKey(SecretKey&& other) noexcept;
  SecretKey& operator=(SecretKey&& other) noexcept;
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;
  ~SecretKey();

  bool present() const { return present_; }
  const KeyBytes& bytes() const { return bytes_; }

 private:
  void clear();

  KeyBytes bytes_{};
  bool present_ = false;
};

struct SealingKey {
  std::string id;
  SealAlgorithm algorithm = SealAlgorithm::HmacSha256;
  KeyState state = KeyState::Active;
  std::int64_t created_seconds = 0;                     // since 1970
  std::optional<std::int64_t> not_after_seconds;
  SecretKey secret;                                     // when empty, the key can only check
  KeyBytes public_key{};                                // only for Ed25519
  std::string note;

  bool can_check() const { return algorithm == SealAlgorithm::Ed25519 || secret.present(); }
};

struct NewKey {
  std::string_view id;
  SealAlgorithm algorithm = SealAlgorithm::HmacSha256;
  std::int64_t now_seconds = 0;
  std::optional<std::int64_t> not_after_seconds;
};

class KeyRing {
 public:
  static std::variant<KeyRing, std::string> parse(std::string_view json);      // else a message
  static std::variant<KeyRing, std::string> load(const std::string& path);     // else a message

  // Each function returns a message when it refuses; then nothing has changed.
  std::optional<std::string> add(SealingKey key);
  std::optional<std::string> sign_with(std::string_view id);
  // Makes a key that signs from now on. The key that signed until now only checks.
  std::optional<std::string> rotate(const NewKey& wanted);
  // Revokes a key: envelopes that the key sealed are refused from now on. Without another active key the ring cannot
  // sign.
  std::optional<std::string> revoke(std::string_view id);

  // Returns a ring with the Ed25519 keys without their secrets, which can check and not sign.
  KeyRing public_half() const;

  const SealingKey* find(std::string_view id) const;   // returns null when the ring has no such key
  const SealingKey* signing() const;                   // returns null when the ring cannot sign
  const std::vector<SealingKey>& keys() const { return keys_; }

  std::string text() const;      // returns the file with its secrets, which the caller must keep safe
  // Writes the file, readable and writable by the owner only. Replaces an existing file whole; with `replace` false an
  // existing file is an error.
  std::optional<std::string> save(const std::string& path, bool replace) const;

 private:
  SealingKey* find_mutable(std::string_view id);

  std::vector<SealingKey> keys_;
  std::string signing_;          // "" when no key signs
};

// Makes a key of random bytes. Returns nullopt when the id has characters other than letters, digits and . _ -
std::optional<SealingKey> make_key(const NewKey& wanted);
bool is_key_id(std::string_view id);

}  // namespace ptc
