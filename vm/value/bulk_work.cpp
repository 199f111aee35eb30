#include "vm/value/bulk_work.h"

namespace ptc {

namespace {

// The static model needs no function of the system's to find it.
#if defined(__GNUC__) && defined(__ELF__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local Heap* paying = nullptr;

}  // namespace

void charge_parts_slowly(std::uint64_t parts) {
  if (paying != nullptr) paying->add_work(parts / kPartsPerUnit);
}

BulkWorkPayer::BulkWorkPayer(Heap& heap) : before_(paying) { paying = &heap; }
BulkWorkPayer::~BulkWorkPayer() { paying = before_; }

}  // namespace ptc
