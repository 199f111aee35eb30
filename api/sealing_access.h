// The runtime's key ring behind the public one.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "ptcvm/sealing.hpp"
#include "runtime/engine/clock.h"
#include "runtime/log/log_seal.h"
#include "runtime/seal/key_ring.h"
#include "runtime/seal/sealing.h"

namespace ptcvm {

struct PTCVM_HIDDEN KeyRing::Impl {
  ptc::KeyRing ring;
};

struct KeyRingAccess {
  static const ptc::KeyRing& ring(const KeyRing& keys) { return keys.impl_->ring; }
  static KeyRing made(ptc::KeyRing ring) {
    return KeyRing(std::make_unique<KeyRing::Impl>(KeyRing::Impl{std::move(ring)}));
  }
};

// Seals a payload where it is. Error: seal_refused.
Result<ptc::EnvelopeEdges> edges_around(const ptc::SnapshotPieces& payload, const KeyRing& keys,
                                        const SealLabel& label);

// Returns what seals the logs of a store with these options, which have keys, tenant and key_clock; or null.
template <class StoreOptions>
std::shared_ptr<const ptc::LogSealer> sealer_of(const StoreOptions& options) {
  if (options.keys == nullptr) return nullptr;
  const std::shared_ptr<const ptc::KeyRing> ring(options.keys, &KeyRingAccess::ring(*options.keys));
  std::function<std::int64_t()> seconds = ptc::system_seconds;
  if (options.key_clock) seconds = [clock = options.key_clock] { return clock() / 1'000; };
  return std::make_shared<ptc::LogSealer>(ring, options.tenant, std::move(seconds));
}

}  // namespace ptcvm
