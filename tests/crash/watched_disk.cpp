#include "tests/crash/watched_disk.h"

#include "tests/store/fault_vfs.h"

namespace ptc {

std::unique_ptr<FactStore> open_on_watched_disk(const std::string& path, CrashPoints& points) {
  SqliteOptions wanted;
  if (points.armed()) {
    static FaultVfs disk;
    disk.watch([&points](const char* when, const char* operation, const std::string& file) {
      const char* const name = file.ends_with("-wal") ? "log" : file.ends_with("-journal") ? "journal" : "database";
      points.reach(std::string(when) + ' ' + operation + " of the " + name);
    });
    wanted.vfs = disk.name();
  }
  return open_sqlite(path, wanted);
}

std::unique_ptr<FactStore> open_sqlite(const std::string& path, const SqliteOptions& options) {
  auto store = SqliteStore::open(path, options);
  auto* const good = std::get_if<std::unique_ptr<SqliteStore>>(&store);
  return good == nullptr ? nullptr : std::move(*good);
}

}  // namespace ptc
