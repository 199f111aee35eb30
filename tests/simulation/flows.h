// Any number of flows of control on one thread, by a clock that nobody waits for: the flow whose time is next goes on,
// and equal times are ordered by chance. The same seed gives the same order.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "tests/simulation/flow.h"

namespace ptcvm::simulation {

class Flows {
 public:
  explicit Flows(std::uint64_t seed) : random_(seed) {}
  Flows(const Flows&) = delete;
  Flows& operator=(const Flows&) = delete;

  std::int64_t now() const { return now_ms_; }
  std::mt19937_64& random() { return random_; }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(std::int64_t one_in) { return one_in > 0 && below(one_in) == 0; }   // never for 0

  // Begins a flow now. `asleep` gives the time before which it does not go on, because its process is stopped.
  void spawn(std::function<void()> body, std::function<std::int64_t()> asleep = {});
  // Inside of a flow: goes on after that time, or later.
  void sleep(std::int64_t ms);
  // Lets flows go on until all have ended, or `is_over` says so.
  void run(const std::function<bool()>& is_over);

 private:
  struct Sleeper {
    std::unique_ptr<Flow> flow;
    std::function<std::int64_t()> asleep;
  };
  struct Bed {
    std::int64_t at_ms;
    std::uint64_t chance;
    Sleeper* sleeper;
    bool operator>(const Bed& other) const { return std::pair(at_ms, chance) > std::pair(other.at_ms, other.chance); }
  };
  void put_to_bed(Sleeper* sleeper, std::int64_t at_ms) { beds_.push({at_ms, random_(), sleeper}); }

  std::mt19937_64 random_;
  std::int64_t now_ms_ = 0;
  std::priority_queue<Bed, std::vector<Bed>, std::greater<>> beds_;
  std::vector<std::unique_ptr<Sleeper>> sleepers_;
  Sleeper* current_ = nullptr;
};

}  // namespace ptcvm::simulation
