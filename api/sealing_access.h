// The runtime's key ring behind the public one.
#pragma once
#include <memory>
#include <utility>

#include "ptcvm/sealing.hpp"
#include "runtime/seal/key_ring.h"

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

}  // namespace ptcvm
