// What lies behind the key ring of the C API.
#pragma once
#include <vector>

#include "api/c/handles.h"
#include "ptcvm/sealing.hpp"

struct ptcvm_key_ring {
  ptcvm::KeyRing ring;
  std::vector<ptcvm::SealingKey> keys = {};   // the keys of the ring, which ptcvm_key_ring_at() lends
};
