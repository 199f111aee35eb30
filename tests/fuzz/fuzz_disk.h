// A disk in memory for targets that read files of SQLite: a VFS that makes no call of the system, so that opening a
// file costs what SQLite and the store do with it. Files stay until they are forgotten. One process, one thread, one
// connection to a file at a time: locks are always free.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/byte_mutation.h"

struct sqlite3_vfs;

namespace ptc::fuzz {

class FuzzDisk {
 public:
  // The one disk of the process; its VFS is known to SQLite from the first call on.
  static FuzzDisk& shared();

  const char* vfs() const;
  void put(const std::string& path, std::vector<std::uint8_t> bytes) { files_[path].bytes = std::move(bytes); }
  const std::vector<std::uint8_t>& bytes(const std::string& path) { return files_[path].bytes; }
  void forget_all() { files_.clear(); }   // no file may be open

 private:
  FuzzDisk();
  struct Methods;   // what SQLite calls
  struct File {
    std::vector<std::uint8_t> bytes;
    std::vector<std::unique_ptr<std::uint8_t[]>> shared_memory;   // the index of a write-ahead log, in regions
  };
  std::map<std::string, File> files_;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

}  // namespace ptc::fuzz
