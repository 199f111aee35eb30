#include "runtime/facts/fact_store.h"

namespace ptc {

std::string_view store_error_name(StoreError::Kind kind) {
  switch (kind) {
    case StoreError::Kind::Io: return "store_io";
    case StoreError::Kind::Unknown: return "store_unknown";
    case StoreError::Kind::Full: return "store_full";
    case StoreError::Kind::Corrupt: return "store_corrupt";
    case StoreError::Kind::Version: return "store_version";
    case StoreError::Kind::Locked: return "store_locked";
    case StoreError::Kind::Fenced: return "store_fenced";
    case StoreError::Kind::Missing: return "store_missing";
    case StoreError::Kind::Misuse: return "store_misuse";
  }
  return "";
}

std::string_view run_state_name(RunState state) {
  switch (state) {
    case RunState::Running: return "running";
    case RunState::Parked: return "parked";
    case RunState::Ended: return "ended";
  }
  return "";
}

}  // namespace ptc
