// A store in a file of its own.
#pragma once
#include <memory>

#include "runtime/log/sqlite/sqlite_store.h"
#include "tests/store/store_facts.h"
#include "tests/store/store_file.h"

namespace ptc {

// Returns an empty store; the file that `place` had before is removed.
inline std::unique_ptr<FactStore> store_in(std::unique_ptr<StoreFile>& place) {
  place.reset();
  place = std::make_unique<StoreFile>();
  return taken(SqliteStore::open(place->path(), {}));
}

}  // namespace ptc
