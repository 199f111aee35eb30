// The regular expressions that the runs of an engine compiled last, within a number of bytes. A pattern that one run
// compiled costs the next runs a look-up. Fuel and counted bytes of a run do not depend on the cache.
//
// Any number of threads may use one cache.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "vm/builtins/automata.h"

namespace ptc {

class AutomatonCache final : public SharedAutomata {
 public:
  explicit AutomatonCache(std::uint64_t most_bytes) : shelf_(most_bytes) {}

  std::shared_ptr<const Automaton> find(std::string_view pattern) override;
  void share(std::string_view pattern, std::shared_ptr<const Automaton> automaton) override;
  std::uint64_t bytes() const;   // returns what the kept automata take at most

 private:
  mutable std::mutex mutex_;
  AutomatonShelf shelf_;
};

}  // namespace ptc
