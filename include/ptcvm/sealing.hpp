// A seal is a signature around the bytes of a snapshot. The signature also covers a tenant, a run and a sequence
// number, so the host can trust bytes that left the process and come back (docs/sealing.md).
//
//   ptcvm::KeyRing keys = ptcvm::KeyRing::load("ring.json").value();
//   auto sealed = ptcvm::seal(run.snapshot(), keys, {.tenant = "acme", .run_id = "run-17", .sequence = 4});
//   auto opened = ptcvm::open_sealed(*sealed, keys, {.tenant = "acme", .run_id = "run-17", .minimum_sequence = 4});
//   auto run = ptcvm::Run::restore(engine, opened->payload);
//
// A good signature says who wrote the bytes, and nothing about their content: Run::restore() checks a sealed payload in
// the same way as any other. Nothing is encrypted.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/config.hpp"
#include "ptcvm/result.hpp"

namespace ptcvm {

// Says how a key signs.
enum class SealAlgorithm : std::uint8_t {
  HmacSha256,   // one secret signs and checks
  Ed25519,      // the secret half signs, the public half checks
};
PTCVM_API const char* seal_algorithm_name(SealAlgorithm algorithm);   // returns "hmac-sha256" or "ed25519"
// Returns the algorithm of that name, or nullopt if no algorithm has it.
PTCVM_API std::optional<SealAlgorithm> seal_algorithm_named(std::string_view name);

// Says what a key may still do.
enum class KeyState : std::uint8_t {
  Active,       // the key may sign and check
  VerifyOnly,   // the key only checks
  Revoked,      // everything that the key sealed is refused
};
PTCVM_API const char* key_state_name(KeyState state);                 // returns "active", "verify-only", "revoked"

// Error::detail of a seal_refused names the reason:
//
//   not_sealed            the bytes are not an envelope
//   too_large             there are more than 256 MiB
//   damaged               the bytes are cut, or not in the allowed encoding
//   unsupported_version   a newer library wrote the envelope
//   unknown_key           the ring does not have the key
//   revoked_key, expired_key, key_not_yet_valid
//   wrong_algorithm       the envelope names another algorithm than the key has
//   bad_signature         the key did not seal these bytes
//   wrong_tenant, wrong_run
//   rolled_back           the snapshot is older than the host expects
//   wrong_sequence        the snapshot is newer than the host expects
//   key_cannot_sign       sealing: the ring has no active key with its secret
//   bad_name              sealing: the tenant or run id is empty or longer than 256 bytes

// Describes a key without its secret. Times are in ms since 1970; a key ring keeps whole seconds.
struct SealingKey {
  std::string id;                               // the name that envelopes give
  SealAlgorithm algorithm{};                    // how the key signs
  KeyState state{};                             // what the key may still do
  bool is_signing = false;                      // true when seal() uses this key
  bool has_secret = false;                      // false when the key can only check
  std::int64_t created_ms = 0;                  // the key is valid from then on
  std::optional<std::int64_t> not_after_ms;     // the key is valid before then; nullopt means for ever
  std::string note;                             // for people
};

// Describes a new key.
struct NewKey {
  std::string_view id;                                // 1 to 64 letters, digits, and . _ -
  SealAlgorithm algorithm = SealAlgorithm::HmacSha256;   // how the key signs
  std::optional<std::int64_t> not_after_ms = {};      // when the key ends, in ms since 1970; nullopt: never
  std::optional<std::int64_t> time_ms = {};           // when the key begins; nullopt: now, by the system clock
};

// The keys of a host. A ring owns its secrets, which are zeroed when they are freed and never appear in messages. A
// ring can be moved, not copied. Any number of threads may seal and open with a ring while no thread changes it. A
// moved-from ring may only be destroyed or assigned to.
class PTCVM_API KeyRing {
 public:
  struct Impl;   // internal
  KeyRing();                                                      // makes a ring without keys
  static Result<KeyRing> parse(std::string_view json);            // reads the text of a file; invalid_key_ring
  static Result<KeyRing> load(const std::string& path);           // reads a file; invalid_key_ring says what is wrong
  KeyRing(KeyRing&& moved) noexcept;
  KeyRing& operator=(KeyRing&& moved) noexcept;
  ~KeyRing();

  // Makes a key of random bytes that signs from now on. The key that signed until now only checks. Error:
  // invalid_key_ring when the id is taken or malformed, or when the key ends before it begins; then nothing has
  // changed.
  Result<void> rotate(const NewKey& wanted);
  // Lets another active key of the ring sign. Error: invalid_key_ring when there is no such key, or it cannot sign.
  Result<void> sign_with(std::string_view id);
  // Revokes a key: everything that the key sealed is refused from now on. A ring whose signing key is revoked cannot
  // seal until another key signs. Error: invalid_key_ring when there is no such key.
  Result<void> revoke(std::string_view id);

  // Returns a ring that can check and not sign: the Ed25519 keys without their secrets. HMAC keys are left out.
  KeyRing public_half() const;
  std::vector<SealingKey> keys() const;         // returns the keys in the order in which they were added
  bool can_seal() const;                        // returns whether a key signs

  // Returns the text of the file, secrets included: the caller keeps the text safe and wipes it.
  std::string to_json() const;
  // Writes the file, readable by its owner only, and whole or not at all. Error: store_failed when the file cannot be
  // written, or when it exists and `replace` is false.
  Result<void> save(const std::string& path, bool replace) const;

 private:
  friend struct KeyRingAccess;
  explicit KeyRing(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Says what a seal covers besides the bytes.
struct SealLabel {
  std::string_view tenant, run_id;              // 1 to 256 bytes each
  std::uint64_t sequence = 0;                   // count the snapshots of a run: 1, 2, 3 …
  std::optional<std::int64_t> time_ms = {};     // decides whether the key is valid; nullopt: the system clock
};

// Says what the host knows about the bytes that it opens.
struct SealExpectations {
  std::string_view tenant;                                // the bytes of another tenant are refused
  std::optional<std::string_view> run_id = {};            // nullopt: any run
  std::optional<std::uint64_t> sequence = {};             // nullopt: any one from minimum_sequence on
  std::uint64_t minimum_sequence = 0;                     // an older snapshot is refused as rolled_back
  std::optional<std::int64_t> time_ms = {};               // decides whether the key is valid; nullopt: the system clock
};

// The content of an envelope. It owns all of its parts.
struct OpenedSeal {
  std::string key_id, tenant, run_id;           // the id of the key that signed; tenant and run of SealLabel
  SealAlgorithm algorithm{};                    // the algorithm of the key
  std::uint64_t sequence = 0;                   // as in SealLabel
  std::vector<std::byte> payload;               // the bytes that were given to seal()
};

// The content of an envelope whose payload stays where it is.
struct CheckedSeal {
  std::string key_id, tenant, run_id;           // as in OpenedSeal
  SealAlgorithm algorithm{};                    // as in OpenedSeal
  std::uint64_t sequence = 0;                   // as in OpenedSeal
  std::span<const std::byte> payload;           // a part of the bytes that were given to check_sealed()
};

// Returns an envelope around the payload, signed with the signing key of the ring. The same input gives the same bytes.
// Error: seal_refused.
PTCVM_API Result<std::vector<std::byte>> seal(std::span<const std::byte> payload, const KeyRing& keys,
                                              const SealLabel& label);
// Does the same in the memory of the payload, so a large payload is not in memory twice.
PTCVM_API Result<std::vector<std::byte>> seal_in_place(std::vector<std::byte> payload, const KeyRing& keys,
                                                       const SealLabel& label);
// Checks an envelope, whose bytes may come from anywhere, and returns its content. Error: seal_refused, which says
// nothing about tenant, run and sequence unless the signature is good.
PTCVM_API Result<OpenedSeal> open_sealed(std::span<const std::byte> bytes, const KeyRing& keys,
                                         const SealExpectations& expected);
// Does the same without a copy of the payload. Bytes that do not begin at a multiple of 16 are copied for the check.
PTCVM_API Result<CheckedSeal> check_sealed(std::span<const std::byte> bytes, const KeyRing& keys,
                                           const SealExpectations& expected);
// Returns whether the bytes claim to be an envelope.
PTCVM_API bool looks_sealed(std::span<const std::byte> bytes);

}  // namespace ptcvm
