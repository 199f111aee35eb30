#include "ptcvm/claim_heartbeat.hpp"

#include "api/store_access.h"
#include "runtime/log/claim_heartbeat.h"

namespace ptcvm {
namespace {

struct StoreHandle {
  const Store handle;
};

// The handle comes first, so that the store outlives the thread.
class StoreWithHeartbeat final : private StoreHandle, public ptc::ClaimHeartbeat {
 public:
  explicit StoreWithHeartbeat(const Store& store) : StoreHandle{store}, ClaimHeartbeat(StoreAccess::store(handle)) {}
};

}   // namespace

Store with_heartbeat(const Store& store) { return StoreAccess::made(std::make_unique<StoreWithHeartbeat>(store)); }

}   // namespace ptcvm
