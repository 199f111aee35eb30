#include "tests/crash/watched_disk.h"

#include "api/errors.h"
#include "api/store_access.h"
#include "runtime/log/sqlite/sqlite_store.h"
#include "tests/store/fault_vfs.h"

namespace ptcvm::crash {

// The file system of SQLite is no option of the public API.
Result<Store> open_on_watched_disk(const std::string& path, Points& points) {
  ptc::SqliteOptions wanted;
  if (points.armed()) {
    static ptc::FaultVfs disk;
    disk.watch([&points](const char* when, const char* operation, const std::string& file) {
      const char* const name = file.ends_with("-wal") ? "log" : file.ends_with("-journal") ? "journal" : "database";
      points.reach(std::string(when) + ' ' + operation + " of the " + name);
    });
    wanted.vfs = disk.name();
  }
  auto opened = ptc::SqliteStore::open(path, wanted);
  if (const auto* error = std::get_if<ptc::StoreError>(&opened)) return store_error(*error);
  return StoreAccess::made(std::get<std::unique_ptr<ptc::SqliteStore>>(std::move(opened)));
}

}  // namespace ptcvm::crash
