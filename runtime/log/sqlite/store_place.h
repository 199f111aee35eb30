// Watches that the files of an open store lie where they were opened. Facts that go into a file which somebody removed
// or renamed are lost for everybody who opens the store later, so a store looks after each commit.
//
// When a moved store is closed, a mark stays in the place of its write-ahead log. The mark keeps the next process from
// taking the run for a new one. SQLite ignores the mark when the store is put back.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>

#include "runtime/log/fact_store.h"

namespace ptc {

class StorePlace {
 public:
  // Watches nothing, as for stores in memory.
  StorePlace() = default;
  StorePlace(const StorePlace&) = delete;
  StorePlace& operator=(const StorePlace&) = delete;

  // Returns Moved when a write-ahead log or a mark lies at the path without its store. Call it before opening the file.
  static std::optional<StoreError> check_before_opening(const std::string& path);

  // Begins to watch the file, which is open, and its write-ahead log. Watches nothing that is not there.
  void watch(const std::string& path, const std::string& log_path);
  // Returns Moved when one of the files is not the one that was opened.
  std::optional<StoreError> check() const;
  // Leaves the mark when the store is not at its path. Call it when the file is closed.
  void leave_mark() const;

 private:
  struct Watched {
    std::string path;            // "" when nothing is watched
    dev_t device = 0;
    ino_t node = 0;
  };
  static Watched watched(const std::string& path);
  static bool is_in_place(const Watched& file);

  Watched file_, log_;
};

}  // namespace ptc
