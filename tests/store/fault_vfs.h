// A disk that fails: an SQLite VFS over the usual one. It counts the operations that a fault can hit and lets one of
// them fail, or that one and all after it. It also knows what was synced, so that a power loss can be played: what was
// not synced is there, or not, or half.
//
// A watcher may see it work, in a process that is killed in the middle of an operation (tests/crash).
//
// The files themselves always hold what was written; lose_power() changes them afterwards. One FaultVfs at a time.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ptc {

enum class DiskFault : std::uint8_t {
  None,
  ReadError,      // of reads
  WriteError,     // of writes: nothing is written
  WrittenError,   // of writes: all is written, and yet an error
  NoSpace,        // of writes: nothing is written
  ShortWrite,     // of writes: half is written, then there is no space
  SyncError,      // of syncs: nothing becomes durable
  LostSync,       // of syncs: nothing becomes durable, and it says that all did
  PowerCut,       // of writes, syncs, truncations and deletions: nothing works from then on
};

class FaultVfs {
 public:
  FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;
  ~FaultVfs();

  const char* name() const { return vfs_.zName; }
  // The `at`-th operation from now on, from 1, fails; with `stays`, all after it, too.
  void arm(DiskFault fault, std::uint64_t at, bool stays);
  void disarm();
  bool fired() const { return fired_; }

  // Is told of each change and each sync of a file: `when` is "before", "after" and, of writes, "halfway through".
  using Watcher = std::function<void(const char* when, const char* operation, const std::string& path)>;
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }

  // Changes files that are not open: each write that was not synced is kept, dropped or torn, by chance from `seed`;
  // seed 0 drops all, 1 keeps all.
  void lose_power(std::uint64_t seed);

 private:
  struct Change {
    bool truncation = false;
    std::uint64_t at = 0;      // or the new size
    std::string bytes;
  };
  struct Disk {
    std::string synced;
    std::vector<Change> pending;
  };
  enum class Operation : std::uint8_t { Read, Write, Sync, Other };
  struct File;

  static FaultVfs& of(sqlite3_vfs* vfs) { return *static_cast<FaultVfs*>(vfs->pAppData); }
  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags);
  static int remove(sqlite3_vfs* vfs, const char* path, int sync_folder);
  static int read(sqlite3_file* file, void* out, int size, sqlite3_int64 at);
  static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at);
  static int truncate(sqlite3_file* file, sqlite3_int64 size);
  static int sync(sqlite3_file* file, int flags);
  static const sqlite3_io_methods& methods();

  void tell(const char* when, const char* operation, const std::string& path) const;
  bool fails(Operation operation);
  void changed(const std::string& path, Change change);
  static void apply(std::string& content, const Change& change, std::size_t most);

  sqlite3_vfs* const real_;
  sqlite3_vfs vfs_{};
  std::mutex mutex_;
  DiskFault fault_ = DiskFault::None;
  std::uint64_t left_ = 0;
  bool stays_ = false;
  bool fired_ = false;
  std::map<std::string, Disk> disks_;
  Watcher watcher_;
};

}  // namespace ptc
