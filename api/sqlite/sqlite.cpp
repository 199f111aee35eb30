#include "ptcvm/sqlite.hpp"

#include "api/errors.h"
#include "api/sealing_access.h"
#include "api/store_access.h"
#include "runtime/log/sqlite/sqlite_store.h"

namespace ptcvm {
Result<Store> open_sqlite(const std::string& path, const SqliteOptions& options) {
  ptc::SqliteOptions wanted;
  wanted.mode = options.durability == Durability::Sync ? ptc::SqliteMode::Sync : ptc::SqliteMode::Group;
  wanted.group_window = options.window;
  wanted.busy_timeout = options.busy_timeout;
  wanted.sealer = sealer_of(options);
  auto opened = ptc::SqliteStore::open(path, wanted);
  if (const auto* error = std::get_if<ptc::StoreError>(&opened)) {
    return store_error(*error);
  }
  return StoreAccess::made(std::get<std::unique_ptr<ptc::SqliteStore>>(std::move(opened)));
}

}  // namespace ptcvm
