// The runtime's store behind the public handle.
#pragma once
#include <memory>

#include "ptcvm/store.hpp"
#include "runtime/log/fact_store.h"

namespace ptcvm {

struct PTCVM_HIDDEN Store::Impl {
  std::unique_ptr<ptc::FactStore> store;
};

struct StoreAccess {
  static ptc::FactStore& store(const Store& store) { return *store.impl_->store; }
  static Store made(std::unique_ptr<ptc::FactStore> store) {
    return Store(std::make_shared<Store::Impl>(Store::Impl{std::move(store)}));
  }
};

}  // namespace ptcvm
