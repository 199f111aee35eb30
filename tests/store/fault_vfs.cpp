#include "tests/store/fault_vfs.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>

namespace ptc {
namespace {

constexpr std::size_t kSector = 512;

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// SplitMix64
std::uint64_t chance(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E37'79B9'7F4A'7C15u;
  z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9u;
  z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBu;
  return z ^ (z >> 31);
}

}  // namespace

// SQLite allocates szOsFile bytes: this, and the real file behind it.
struct FaultVfs::File {
  sqlite3_file base;
  FaultVfs* disk;
  std::string* path;   // null: a file of no name, which nobody looks for after a crash

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  static File& from(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
};

FaultVfs::FaultVfs() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
  vfs_.pNext = nullptr;
  vfs_.zName = "ptc_faults";
  vfs_.pAppData = this;
  vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
  vfs_.xOpen = &FaultVfs::open;
  vfs_.xDelete = &FaultVfs::remove;
  vfs_.xAccess = [](sqlite3_vfs* vfs, const char* path, int flags, int* out) {
    return of(vfs).real_->xAccess(of(vfs).real_, path, flags, out);
  };
  vfs_.xFullPathname = [](sqlite3_vfs* vfs, const char* path, int size, char* out) {
    return of(vfs).real_->xFullPathname(of(vfs).real_, path, size, out);
  };
  sqlite3_vfs_register(&vfs_, 0);
}

FaultVfs::~FaultVfs() { sqlite3_vfs_unregister(&vfs_); }

void FaultVfs::arm(DiskFault fault, std::uint64_t at, bool stays) {
  const std::lock_guard lock(mutex_);
  fault_ = fault;
  left_ = at;
  stays_ = stays || fault == DiskFault::PowerCut;
  fired_ = false;
}

void FaultVfs::disarm() {
  const std::lock_guard lock(mutex_);
  fault_ = DiskFault::None;
}

void FaultVfs::tell(const char* when, const char* operation, const std::string& path) const {
  if (watcher_) watcher_(when, operation, path);
}

bool FaultVfs::fails(Operation operation) {   // the mutex is held
  const bool cut = fault_ == DiskFault::PowerCut;
  Operation hit = Operation::Write;
  if (fault_ == DiskFault::None) return false;
  if (fault_ == DiskFault::ReadError) hit = Operation::Read;
  if (fault_ == DiskFault::SyncError || fault_ == DiskFault::LostSync) hit = Operation::Sync;
  if (cut && fired_) return true;
  if (cut ? operation == Operation::Read : operation != hit) return false;
  if (left_ > 0) --left_;
  if (left_ > 0 || (fired_ && !stays_)) return false;
  fired_ = true;
  return true;
}

void FaultVfs::changed(const std::string& path, Change change) { disks_[path].pending.push_back(std::move(change)); }

void FaultVfs::apply(std::string& content, const Change& change, std::size_t most) {
  if (change.truncation) {
    content.resize(change.at);
    return;
  }
  const std::size_t size = std::min(most, change.bytes.size());
  if (size == 0) return;
  if (content.size() < change.at + size) content.resize(change.at + size);
  content.replace(change.at, size, change.bytes, 0, size);
}

void FaultVfs::lose_power(std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  for (auto& [path, disk] : disks_) {
    if (!std::filesystem::exists(path)) continue;
    std::uint64_t state = seed;
    std::string content = disk.synced;
    for (const Change& change : disk.pending) {
      const std::uint64_t luck = seed < 2 ? seed : chance(state) % 4;   // 0 dropped, 1 and 2 kept, 3 torn
      if (luck == 0) continue;
      const std::size_t sectors = change.bytes.size() / kSector + 1;
      apply(content, change, luck == 3 ? chance(state) % sectors * kSector : change.bytes.size());
    }
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    std::filesystem::remove(path + "-shm");
  }
  disks_.clear();
}

int FaultVfs::open(sqlite3_vfs* vfs, const char* path, sqlite3_file* out, int flags, int* out_flags) {
  FaultVfs& disk = of(vfs);
  File& file = *new (out) File{};
  const int code = disk.real_->xOpen(disk.real_, path, file.real(), flags, out_flags);
  if (code != SQLITE_OK) return code;
  file.base.pMethods = &methods();
  file.disk = &disk;
  if (path != nullptr) {
    file.path = new std::string(path);
    const std::lock_guard lock(disk.mutex_);
    if (!disk.disks_.contains(path)) disk.disks_[path].synced = content_of(path);   // from before: on the disk
  }
  return SQLITE_OK;
}

int FaultVfs::remove(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  FaultVfs& disk = of(vfs);
  const std::lock_guard lock(disk.mutex_);
  if (disk.fails(Operation::Other)) return SQLITE_IOERR_DELETE;
  disk.disks_.erase(path);
  disk.tell("before", "deletion", path);
  const int code = disk.real_->xDelete(disk.real_, path, sync_folder);
  disk.tell("after", "deletion", path);
  return code;
}

int FaultVfs::read(sqlite3_file* file, void* out, int size, sqlite3_int64 at) {
  File& self = File::from(file);
  const std::lock_guard lock(self.disk->mutex_);
  if (self.path != nullptr && self.disk->fails(Operation::Read)) return SQLITE_IOERR_READ;
  return self.real()->pMethods->xRead(self.real(), out, size, at);
}

int FaultVfs::write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
  File& self = File::from(file);
  FaultVfs& disk = *self.disk;
  const std::lock_guard lock(disk.mutex_);
  if (self.path == nullptr) return self.real()->pMethods->xWrite(self.real(), bytes, size, at);
  const DiskFault fault = disk.fails(Operation::Write) ? disk.fault_ : DiskFault::None;
  if (fault == DiskFault::WriteError || fault == DiskFault::PowerCut) return SQLITE_IOERR_WRITE;
  if (fault == DiskFault::NoSpace) return SQLITE_FULL;
  const int written = fault == DiskFault::ShortWrite ? size / 2 : size;
  disk.changed(*self.path, {false, static_cast<std::uint64_t>(at),
                            std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(written))});
  disk.tell("before", "write", *self.path);
  if (disk.watcher_) {
    self.real()->pMethods->xWrite(self.real(), bytes, written / 2, at);
    disk.tell("halfway through", "write", *self.path);
  }
  const int code = self.real()->pMethods->xWrite(self.real(), bytes, written, at);
  disk.tell("after", "write", *self.path);
  if (code != SQLITE_OK || fault == DiskFault::None) return code;
  return fault == DiskFault::ShortWrite ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

int FaultVfs::truncate(sqlite3_file* file, sqlite3_int64 size) {
  File& self = File::from(file);
  const std::lock_guard lock(self.disk->mutex_);
  if (self.path != nullptr) {
    if (self.disk->fails(Operation::Other)) return SQLITE_IOERR_TRUNCATE;
    self.disk->changed(*self.path, {true, static_cast<std::uint64_t>(size), ""});
  }
  if (self.path != nullptr) self.disk->tell("before", "truncation", *self.path);
  const int code = self.real()->pMethods->xTruncate(self.real(), size);
  if (self.path != nullptr) self.disk->tell("after", "truncation", *self.path);
  return code;
}

// The medium is honest about the rest, so the real sync, which only costs time, is left out.
int FaultVfs::sync(sqlite3_file* file, int) {
  File& self = File::from(file);
  FaultVfs& disk = *self.disk;
  if (self.path == nullptr) return SQLITE_OK;
  const std::lock_guard lock(disk.mutex_);
  disk.tell("before", "sync", *self.path);
  if (disk.fails(Operation::Sync)) return disk.fault_ == DiskFault::LostSync ? SQLITE_OK : SQLITE_IOERR_FSYNC;
  Disk& mine = disk.disks_[*self.path];
  for (const Change& change : mine.pending) apply(mine.synced, change, change.bytes.size());
  mine.pending.clear();
  disk.tell("after", "sync", *self.path);
  return SQLITE_OK;
}

const sqlite3_io_methods& FaultVfs::methods() {
  static const sqlite3_io_methods all = [] {
    sqlite3_io_methods out{};
    out.iVersion = 2;
    out.xClose = [](sqlite3_file* file) {
      File& self = File::from(file);
      delete self.path;
      self.path = nullptr;
      return self.real()->pMethods->xClose(self.real());
    };
    out.xRead = &FaultVfs::read;
    out.xWrite = &FaultVfs::write;
    out.xTruncate = &FaultVfs::truncate;
    out.xSync = &FaultVfs::sync;
    out.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      sqlite3_file* const real = File::from(f).real();
      return real->pMethods->xFileSize(real, size);
    };
    out.xLock = [](sqlite3_file* f, int how) {
      sqlite3_file* const real = File::from(f).real();
      return real->pMethods->xLock(real, how);
    };
    out.xUnlock = [](sqlite3_file* f, int how) {
      sqlite3_file* const real = File::from(f).real();
      return real->pMethods->xUnlock(real, how);
    };
    out.xCheckReservedLock = [](sqlite3_file* f, int* held) {
      sqlite3_file* const real = File::from(f).real();
      return real->pMethods->xCheckReservedLock(real, held);
    };
    out.xFileControl = [](sqlite3_file* f, int what, void* argument) {
      if (what == SQLITE_FCNTL_SIZE_HINT) return SQLITE_NOTFOUND;   // the file must not grow behind our back
      sqlite3_file* const real = File::from(f).real();
      return real->pMethods->xFileControl(real, what, argument);
    };
    out.xSectorSize = [](sqlite3_file* f) {
      sqlite3_file* const real = File::from(f).real();
      return real->pMethods->xSectorSize(real);
    };
    out.xDeviceCharacteristics = [](sqlite3_file* f) {
      sqlite3_file* const real = File::from(f).real();
      return real->pMethods->xDeviceCharacteristics(real);
    };
    out.xShmMap = [](sqlite3_file* f, int region, int size, int extend, void volatile** out_at) {
      sqlite3_file* const real = File::from(f).real();
      return real->pMethods->xShmMap(real, region, size, extend, out_at);
    };
    out.xShmLock = [](sqlite3_file* f, int offset, int count, int flags) {
      sqlite3_file* const real = File::from(f).real();
      return real->pMethods->xShmLock(real, offset, count, flags);
    };
    out.xShmBarrier = [](sqlite3_file* f) {
      sqlite3_file* const real = File::from(f).real();
      real->pMethods->xShmBarrier(real);
    };
    out.xShmUnmap = [](sqlite3_file* f, int remove_it) {
      sqlite3_file* const real = File::from(f).real();
      return real->pMethods->xShmUnmap(real, remove_it);
    };
    return out;
  }();
  return all;
}

}  // namespace ptc
