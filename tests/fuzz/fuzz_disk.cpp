#include "fuzz/fuzz_disk.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace ptc::fuzz {

struct FuzzDisk::Methods {
  struct Handle {
    sqlite3_file base;
    File* file;      // nodes of a map stay where they are
    bool is_named;   // others end with their handle
  };
  static File& of(sqlite3_file* handle) { return *reinterpret_cast<Handle*>(handle)->file; }
  static FuzzDisk& of(sqlite3_vfs* vfs) { return *static_cast<FuzzDisk*>(vfs->pAppData); }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* out, int flags, int* out_flags) {
    auto& files = of(vfs).files_;
    auto* const handle = new (out) Handle{};
    const bool is_named = path != nullptr;
    if (is_named && (flags & SQLITE_OPEN_CREATE) == 0 && !files.contains(path)) return SQLITE_CANTOPEN;
    *handle = {{&io()}, is_named ? &files[path] : new File, is_named};
    if (out_flags != nullptr) *out_flags = flags;
    return SQLITE_OK;
  }

  static int close(sqlite3_file* handle) {
    if (!reinterpret_cast<Handle*>(handle)->is_named) delete &of(handle);
    return SQLITE_OK;
  }

  static int read(sqlite3_file* handle, void* out, int size, sqlite3_int64 at) {
    const std::vector<std::uint8_t>& bytes = of(handle).bytes;
    const auto wanted = static_cast<std::size_t>(size);
    const std::size_t from = std::min(bytes.size(), static_cast<std::size_t>(at));
    const std::size_t there = std::min(bytes.size() - from, wanted);
    if (there > 0) std::memcpy(out, bytes.data() + from, there);
    if (there == wanted) return SQLITE_OK;
    std::memset(static_cast<std::uint8_t*>(out) + there, 0, wanted - there);
    return SQLITE_IOERR_SHORT_READ;
  }

  static int write(sqlite3_file* handle, const void* from, int size, sqlite3_int64 at) {
    constexpr sqlite3_int64 kMost = 64 << 20;
    if (at > kMost) return SQLITE_FULL;   // a damaged file may name any page
    std::vector<std::uint8_t>& bytes = of(handle).bytes;
    const std::size_t end = static_cast<std::size_t>(at) + static_cast<std::size_t>(size);
    if (bytes.size() < end) bytes.resize(end);
    std::memcpy(bytes.data() + at, from, static_cast<std::size_t>(size));
    return SQLITE_OK;
  }

  static int truncate(sqlite3_file* handle, sqlite3_int64 size) {
    std::vector<std::uint8_t>& bytes = of(handle).bytes;
    bytes.resize(std::min(bytes.size(), static_cast<std::size_t>(size)));
    return SQLITE_OK;
  }

  static int map_shared(sqlite3_file* handle, int region, int size, int extend, void volatile** out) {
    auto& regions = of(handle).shared_memory;
    const auto index = static_cast<std::size_t>(region);
    *out = nullptr;
    if (index >= regions.size() && extend == 0) return SQLITE_OK;
    while (regions.size() <= index) {
      regions.push_back(std::make_unique<std::uint8_t[]>(static_cast<std::size_t>(size)));
    }
    *out = regions[index].get();
    return SQLITE_OK;
  }

  static int unmap_shared(sqlite3_file* handle, int remove_it) {
    if (remove_it != 0) of(handle).shared_memory.clear();
    return SQLITE_OK;
  }

  static const sqlite3_io_methods& io() {
    static const sqlite3_io_methods all = [] {
      sqlite3_io_methods out{};
      out.iVersion = 2;
      out.xClose = &close;
      out.xRead = &read;
      out.xWrite = &write;
      out.xTruncate = &truncate;
      out.xSync = [](sqlite3_file*, int) { return SQLITE_OK; };
      out.xFileSize = [](sqlite3_file* handle, sqlite3_int64* size) {
        *size = static_cast<sqlite3_int64>(of(handle).bytes.size());
        return SQLITE_OK;
      };
      out.xLock = out.xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; };
      out.xCheckReservedLock = [](sqlite3_file*, int* held) { return *held = 0, SQLITE_OK; };
      out.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
      out.xSectorSize = [](sqlite3_file*) { return 4096; };
      out.xDeviceCharacteristics = [](sqlite3_file*) { return 0; };
      out.xShmMap = &map_shared;
      out.xShmLock = [](sqlite3_file*, int, int, int) { return SQLITE_OK; };
      out.xShmBarrier = [](sqlite3_file*) {};
      out.xShmUnmap = &unmap_shared;
      return out;
    }();
    return all;
  }
};

FuzzDisk::FuzzDisk() : vfs_(std::make_unique<sqlite3_vfs>(*sqlite3_vfs_find(nullptr))) {
  vfs_->pNext = nullptr;
  vfs_->zName = "ptc_fuzz";
  vfs_->pAppData = this;
  vfs_->szOsFile = static_cast<int>(sizeof(Methods::Handle));
  vfs_->xOpen = &Methods::open;
  vfs_->xDelete = [](sqlite3_vfs* vfs, const char* path, int) {
    return Methods::of(vfs).files_.erase(path) > 0 ? SQLITE_OK : SQLITE_IOERR_DELETE_NOENT;
  };
  vfs_->xAccess = [](sqlite3_vfs* vfs, const char* path, int, int* out) {
    *out = Methods::of(vfs).files_.contains(path) ? 1 : 0;
    return SQLITE_OK;
  };
  vfs_->xFullPathname = [](sqlite3_vfs*, const char* path, int size, char* out) {
    sqlite3_snprintf(size, out, "%s", path);
    return SQLITE_OK;
  };
  sqlite3_vfs_register(vfs_.get(), 0);
}

FuzzDisk& FuzzDisk::shared() {
  static FuzzDisk* const disk = new FuzzDisk;   // SQLite may use it until the process ends
  return *disk;
}

const char* FuzzDisk::vfs() const { return vfs_->zName; }

}  // namespace ptc::fuzz
