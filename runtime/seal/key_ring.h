// The keys with which sealed snapshots (runtime/seal/sealing.h) are signed and checked. They are kept as a JSON file
// that people read and edit:
//
//   {"keys": [{"id": "2026-08", "algorithm": "hmac-sha256", "state": "active",
//              "created": "2026-08-01T00:00:00Z", "not_after": null, "secret": "…base64…"}],
//    "signing": "2026-08"}
//
// An ed25519 key has "public" and, where it can sign, "secret" (its seed). "note" is for people. Unknown fields are
// refused: a misspelt "not_after" must not become a key for ever. A key is good from `created` on and before
// `not_after`; nothing in here reads a clock.
//
// Invariant: ids are unique; `signing`, when there is one, is the id of an active key that has a secret.
// Secrets are zeroed when they are freed, also those that passed through here as text.
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

enum class SealAlgorithm : std::uint8_t { HmacSha256 = 1, Ed25519 = 2 };   // numbers of schema/sealed.fbs
enum class KeyState : std::uint8_t { Active, VerifyOnly, Revoked };

std::string_view seal_algorithm_name(SealAlgorithm algorithm);             // as the file spells it
std::optional<SealAlgorithm> seal_algorithm_named(std::string_view name);
std::string_view key_state_name(KeyState state);
std::optional<KeyState> key_state_named(std::string_view name);

inline constexpr std::size_t kKeyBytes = 32;        // an HMAC secret, an Ed25519 seed, an Ed25519 public key
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
  SecretKey secret;                                     // absent: the key can only check
  KeyBytes public_key{};                                // Ed25519
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

  // Each gives a message when it is refused; then nothing has changed.
  std::optional<std::string> add(SealingKey key);
  std::optional<std::string> sign_with(std::string_view id);
  // A fresh key that signs from now on. The one that signed until now, if any, only checks.
  std::optional<std::string> rotate(const NewKey& wanted);
  // Whatever the key sealed is refused from now on. Without another active key the ring can sign no more.
  std::optional<std::string> revoke(std::string_view id);

  // The Ed25519 keys without their secrets: a ring that can check and not sign.
  KeyRing public_half() const;

  const SealingKey* find(std::string_view id) const;   // null when there is none
  const SealingKey* signing() const;                   // null when the ring cannot sign
  const std::vector<SealingKey>& keys() const { return keys_; }

  std::string text() const;      // the file, secrets included: the caller keeps it safe
  // Readable and writable by the owner only. A file that is there is replaced whole, or kept when `replace` is false,
  // which is an error.
  std::optional<std::string> save(const std::string& path, bool replace) const;

 private:
  SealingKey* find_mutable(std::string_view id);

  std::vector<SealingKey> keys_;
  std::string signing_;          // "" for none
};

// A key of random bytes. Nothing when the id is no id (letters, digits, and . _ -).
std::optional<SealingKey> make_key(const NewKey& wanted);
bool is_key_id(std::string_view id);

}  // namespace ptc
