// The keys of the targets and seeds for envelopes: the same in every process, so that a seed has a good signature.
#pragma once
#include "runtime/seal/key_ring.h"

namespace ptc::fuzz {

inline constexpr std::string_view kTenant = "tenant", kRunId = "run";
inline constexpr std::int64_t kNow = 1'800'000'000;

// "hmac" and "ed", active; "old", which is revoked.
const KeyRing& fuzz_keys();

}  // namespace ptc::fuzz
