// The files of the store under test.
#pragma once
#include <string>
#include <vector>

#include "api/crash_kit/run_history.h"
#include "ptcvm/crash_kit.hpp"

namespace ptcvm::crash {

class RunFolder {
 public:
  // Files are made below `path`. Options and ledger are not owned.
  RunFolder(std::string path, const Options& options, const Ledger& ledger)
      : path_(std::move(path)), options_(options), ledger_(ledger) {}

  // Removes what is there: the next run begins without files.
  void clear() const;
  // Opens the store of the run. store_failed.
  Result<Store> open(Points& points) const { return open_at(path_ + "/run", points); }
  // Opens the store for somebody who is never killed.
  Result<Store> open() const;
  // Reads the log from a copy of the files: the next process puts in order what a kill has left, not the kit.
  Result<std::vector<Fact>> read_log() const;

 private:
  Result<Store> open_at(const std::string& folder, Points& points) const;

  const std::string path_;
  const Options& options_;
  const Ledger& ledger_;
};

}  // namespace ptcvm::crash
