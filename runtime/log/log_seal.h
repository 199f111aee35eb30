// Seals logs: a signature (runtime/seal/sealing.h) over what a log holds, so that a log which somebody without the key
// has changed is refused. Each fact binds the one before it: the chain of a log is a digest of its id, of the place and
// the bytes of its last fact, and of the chain before. The envelope of a log holds the chain, a digest of what is
// parked, and the token of the newest claim; its tenant and its run id are the ones of the log, its sequence is the
// place of the last fact. Nothing here says whether an older state of the whole log was put back.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/fact_store.h"
#include "runtime/seal/key_ring.h"

namespace ptc {

using Digest = std::array<std::uint8_t, 32>;   // BLAKE2b

// What the seal of a log binds. A log that nobody has written has zeros.
struct LogHead {
  std::uint64_t seq = 0;         // the place of the last fact
  std::uint64_t token = 0;       // the token of the newest claim
  Digest chain{};                // binds all facts, in order
  Digest parked{};               // binds what is parked; zeros when nothing is

  friend bool operator==(const LogHead&, const LogHead&) = default;
};

// Returns the chain of a log after one more fact, whose bytes are `body` (fact.h).
Digest chained(const Digest& before, std::string_view log, std::uint64_t seq, std::span<const std::uint8_t> body);
// Returns the digest of what is parked. It is never all zeros.
Digest parked_digest(std::string_view log, const Parked& parked);

// Returns the error of a log that is refused, with the name of the refusal. `name` lives as long as the process.
StoreError seal_refusal(std::string_view name, std::string message);

// Returns whether a log was refused because it is another tenant's.
bool is_of_another_tenant(const StoreError& error);

// Any number of threads may use one sealer.
class LogSealer {
 public:
  // `seconds` gives the time since 1970, which decides whether keys are valid.
  LogSealer(std::shared_ptr<const KeyRing> keys, std::string tenant, std::function<std::int64_t()> seconds);

  // Returns a sealer of the same ring for logs of another tenant.
  LogSealer for_tenant(std::string tenant) const { return {keys_, std::move(tenant), seconds_}; }
  // Returns the envelope of a log. Error: Seal, when the ring has no key that signs, or the id has more than 256 bytes.
  StoreResult<std::vector<std::uint8_t>> sealed(std::string_view log, const LogHead& head) const;
  // Returns what an envelope of the log says. Error: Seal, when the ring or the tenant is another one, or the envelope
  // is not of this log.
  StoreResult<LogHead> opened(std::string_view log, std::span<const std::uint8_t> envelope) const;

 private:
  const std::shared_ptr<const KeyRing> keys_;
  const std::string tenant_;
  const std::function<std::int64_t()> seconds_;
};

}  // namespace ptc
