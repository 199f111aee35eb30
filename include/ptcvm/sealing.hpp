// Sealing: a signature around snapshot bytes that binds them to a tenant, a run and a sequence number, so that bytes
// which leave the process can be trusted when they come back (docs/sealing.md).
//
//   ptcvm::KeyRing keys = ptcvm::KeyRing::load("ring.json").value();
//   auto sealed = ptcvm::seal(run.snapshot(), keys, {.tenant = "acme", .run_id = "run-17", .sequence = 4});
//   auto opened = ptcvm::open_sealed(*sealed, keys, {.tenant = "acme", .run_id = "run-17", .minimum_sequence = 4});
//   auto run = ptcvm::Run::restore(engine, opened->payload);
//
// A good signature says who wrote the bytes, and nothing about what the bytes are: Run::restore() checks the payload in
// the same way whether it was sealed or not. Nothing is encrypted.
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

// How a key signs.
enum class SealAlgorithm : std::uint8_t {
  HmacSha256,   // one secret signs and checks
  Ed25519,      // the secret half signs, the public half checks
};
PTCVM_API const char* seal_algorithm_name(SealAlgorithm algorithm);   // "hmac-sha256", "ed25519": as in the file
PTCVM_API std::optional<SealAlgorithm> seal_algorithm_named(std::string_view name);

// What a key is still good for.
enum class KeyState : std::uint8_t {
  Active,       // it may sign and check
  VerifyOnly,   // it only checks
  Revoked,      // everything that it sealed is refused
};
PTCVM_API const char* key_state_name(KeyState state);                 // "active", "verify-only", "revoked"

// Why bytes are not sealed or not opened, as Error::detail of a seal_refused has it:
//
//   not_sealed            the bytes are no envelope
//   too_large             more than 256 MiB
//   damaged               cut, or not in the one encoding that an envelope has
//   unsupported_version   written by a newer library
//   unknown_key           the ring does not have the key
//   revoked_key, expired_key, key_not_yet_valid
//   wrong_algorithm       the envelope names another algorithm than the key has
//   bad_signature         not sealed with that key, or changed since
//   wrong_tenant, wrong_run
//   rolled_back           an older snapshot than the host expects
//   wrong_sequence        a newer snapshot than the host expects
//   key_cannot_sign       sealing: the ring has no active key with its secret
//   bad_name              sealing: a tenant or run id that is empty or longer than 256 bytes

// Describes a key without its secret. Times are in ms since 1970; a key ring keeps whole seconds.
struct SealingKey {
  std::string id;
  SealAlgorithm algorithm{};
  KeyState state{};
  bool is_signing = false;                      // seal() uses this key
  bool has_secret = false;                      // without its secret a key only checks
  std::int64_t created_ms = 0;                  // the key is good from then on
  std::optional<std::int64_t> not_after_ms;     // the key is good before then; nullopt: for ever
  std::string note;                             // for people
};

// Describes a key that is to be made.
struct NewKey {
  std::string_view id;                                // 1 to 64 letters, digits, and . _ -
  SealAlgorithm algorithm = SealAlgorithm::HmacSha256;
  std::optional<std::int64_t> not_after_ms = {};      // when the key ends, in ms since 1970; nullopt: never
  std::optional<std::int64_t> time_ms = {};           // when the key begins; nullopt: now, by the system clock
};

// The keys of a host. A ring owns its secrets, which are zeroed when they are freed and never appear in messages.
// Movable, not copyable. Any number of threads may seal and open with a ring while none changes it. A moved-from ring
// may only be destroyed or assigned to.
class PTCVM_API KeyRing {
 public:
  struct Impl;   // of the library
  KeyRing();                                                      // makes a ring without keys
  static Result<KeyRing> parse(std::string_view json);            // reads the text of a file; invalid_key_ring
  static Result<KeyRing> load(const std::string& path);           // reads a file; invalid_key_ring says what is wrong
  KeyRing(KeyRing&& moved) noexcept;
  KeyRing& operator=(KeyRing&& moved) noexcept;
  ~KeyRing();

  // Makes a key of random bytes that signs from now on. The key that signed until now, if any, only checks.
  // invalid_key_ring: the id is taken or no id, or the key ends before it begins; then nothing has changed.
  Result<void> rotate(const NewKey& wanted);
  // Lets another active key of the ring sign. invalid_key_ring: there is no such key, or it cannot sign.
  Result<void> sign_with(std::string_view id);
  // Refuses from now on whatever the key sealed. A ring whose signing key is revoked cannot seal until another key
  // signs. invalid_key_ring: there is no such key.
  Result<void> revoke(std::string_view id);

  // Returns a ring that can check and not sign: the Ed25519 keys without their secrets. HMAC keys are left out.
  KeyRing public_half() const;
  std::vector<SealingKey> keys() const;         // in the order in which they were added
  bool can_seal() const;                        // whether a key signs

  // Returns the text of the file, secrets included: the caller keeps the text safe and wipes it.
  std::string to_json() const;
  // Writes the file, readable by its owner only and whole or not at all. store_failed: it cannot be written, or a file
  // is there and `replace` is false.
  Result<void> save(const std::string& path, bool replace) const;

 private:
  friend struct KeyRingAccess;
  explicit KeyRing(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Says what is bound into a seal.
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

// What was sealed, with everything in it owned.
struct OpenedSeal {
  std::string key_id, tenant, run_id;           // of the key that signed; as in SealLabel
  SealAlgorithm algorithm{};                    // of the key
  std::uint64_t sequence = 0;                   // as in SealLabel
  std::vector<std::byte> payload;               // the bytes that were given to seal()
};

// Returns an envelope around the payload, signed with the key of the ring that signs: the same input gives the same
// bytes. seal_refused.
PTCVM_API Result<std::vector<std::byte>> seal(std::span<const std::byte> payload, const KeyRing& keys,
                                              const SealLabel& label);
// Checks an envelope, bytes from anywhere, and returns what is in it. seal_refused: nothing is said about
// tenant, run and sequence unless the signature is good.
PTCVM_API Result<OpenedSeal> open_sealed(std::span<const std::byte> bytes, const KeyRing& keys,
                                         const SealExpectations& expected);
// Returns whether the bytes claim to be an envelope.
PTCVM_API bool looks_sealed(std::span<const std::byte> bytes);

}  // namespace ptcvm
