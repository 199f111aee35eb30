// Keeps programs that snapshots can name, by their bytes or by their SHA-256. Loaded programs are shared: a thousand
// suspended runs of one program need it once, and resuming a run does not load it again. The shelf is bounded, and the
// oldest program goes first. The newest always stays.
//
// Any number of threads may use one shelf.
#pragma once
#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "vm/snapshot/snapshot.h"

namespace ptc {

class ProgramShelf : public ProgramSource {
 public:
  // `most_bytes` bounds the bytecode of all programs together.
  ProgramShelf(std::size_t most_programs, std::size_t most_bytes)
      : most_programs_(most_programs), most_bytes_(most_bytes) {}

  std::shared_ptr<const Program> find(std::span<const std::uint8_t> sha256) override;
  std::shared_ptr<const Program> find_bytes(std::span<const std::uint8_t> bytes) override;
  std::shared_ptr<const Program> find_packed(std::span<const std::uint8_t> packed) override;
  void keep(const std::shared_ptr<const Program>& program) override;

 private:
  void forget_oldest();

  using Key = std::uint64_t;   // a first guess: a match compares all bytes, or the whole hash
  using Programs = std::unordered_multimap<Key, std::shared_ptr<const Program>>;

  std::mutex mutex_;
  const std::size_t most_programs_, most_bytes_;
  std::size_t bytes_ = 0;
  Programs by_hash_, by_bytes_, by_packed_;
  std::deque<std::shared_ptr<const Program>> order_;   // oldest first
};

}  // namespace ptc
