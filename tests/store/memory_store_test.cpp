#include "runtime/log/memory_store.h"

#include "tests/store/conformance.h"
#include "tests/store/queue_conformance.h"

namespace ptc {
namespace {

[[maybe_unused]] const bool kRegistered =
    store_conformance("MemoryStore", [] { return std::make_unique<MemoryStore>(); });
[[maybe_unused]] const bool kMemoryQueue =
    queue_conformance("MemoryQueue", [] { return std::make_unique<MemoryStore>(); });

}  // namespace
}  // namespace ptc
