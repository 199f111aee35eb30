// Knows which claims are held by this process now. The owner of a claim tells a process that is gone from a process
// that lives (process_owner.h). Within one process the owner cannot tell a claim that is held from a claim that was
// lost. Any thread may call these functions.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc {

// A claim of this process, from the moment when it was granted until it is given back or this object ends.
class LivingClaim {
 public:
  LivingClaim() = default;
  LivingClaim(std::string log, std::uint64_t token);
  LivingClaim(LivingClaim&& other) noexcept;
  LivingClaim& operator=(LivingClaim&& other) noexcept;
  ~LivingClaim();

 private:
  void leave();

  std::string log_;
  std::uint64_t token_ = 0;   // 0: no claim
};

// Returns whether somebody in this process holds a claim of that log under that token.
bool is_living_claim(std::string_view log, std::uint64_t token);

// Returns whether the holder of a claim is surely alive: a process of this machine, or this process while it holds the
// claim. Returns false for owners that are no processes (process_owner.h) and for processes of other machines.
bool is_held_by_the_living(std::string_view log, std::string_view owner, std::uint64_t token);

}  // namespace ptc
