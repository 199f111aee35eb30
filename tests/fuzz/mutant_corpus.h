// What mutants are made of: golden snapshots of all formats, and fresh ones of the same programs.
#pragma once
#include <string>
#include <vector>

#include "fuzz/mutant.h"
#include "runtime/engine/engine.h"
#include "support/program_file.h"

namespace ptc::test {

struct KeptSnapshot {
  const ProgramFile* file = nullptr;   // whose run it is
  Octets bytes;
  std::string end;                     // how the rest of the run ends, as ended() says it
};

struct End {
  bool refused = false, failed = false;
  std::string text;                    // the reason, or everything that could be observed
};

// The rest of the run under limits that are far above what the programs of the corpus need.
End ended(const Engine& engine, const ProgramFile& file, std::span<const std::uint8_t> snapshot);

class MutantCorpus {
 public:
  // `folder` has v1, v2, … as tests/snapshots.
  MutantCorpus(const Engine& engine, const std::string& folder, std::uint64_t seed);
  MutantCorpus(const MutantCorpus&) = delete;
  MutantCorpus& operator=(const MutantCorpus&) = delete;

  const std::vector<KeptSnapshot>& kept(Keeping keeping) const { return kept_[static_cast<std::size_t>(keeping)]; }
  const std::string& complaint() const { return complaint_; }   // not empty: a snapshot that nobody changed is refused

 private:
  void put(const Engine& engine, Keeping keeping, const ProgramFile& file, Octets bytes);
  void put_golden(const Engine& engine, const ProgramFile& file);
  void put_fresh(const Engine& engine, const ProgramFile& file, Random& random);

  std::vector<ProgramFile> files_;     // named by their paths without extension
  std::vector<KeptSnapshot> kept_[std::size(kKeepings)];
  std::string complaint_;
};

}  // namespace ptc::test
