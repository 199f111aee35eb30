#include "runtime/log/living_claims.h"

#include <mutex>
#include <set>
#include <utility>

#include "runtime/log/process_owner.h"

namespace ptc {
namespace {

// Two stores may have logs of one name with claims of one token, so a claim may be there twice.
struct Claims {
  std::mutex mutex;
  std::multiset<std::pair<std::string, std::uint64_t>> held;
};

Claims& claims() {
  static Claims& all = *new Claims();   // stays until the process ends: claims are given back at any time
  return all;
}

}  // namespace

LivingClaim::LivingClaim(std::string log, std::uint64_t token) : log_(std::move(log)), token_(token) {
  const std::lock_guard lock(claims().mutex);
  claims().held.emplace(log_, token_);
}

LivingClaim::LivingClaim(LivingClaim&& other) noexcept
    : log_(std::move(other.log_)), token_(std::exchange(other.token_, 0)) {}

LivingClaim& LivingClaim::operator=(LivingClaim&& other) noexcept {
  if (this == &other) return *this;
  leave();
  log_ = std::move(other.log_);
  token_ = std::exchange(other.token_, 0);
  return *this;
}

LivingClaim::~LivingClaim() { leave(); }

void LivingClaim::leave() {
  if (token_ == 0) return;
  const std::lock_guard lock(claims().mutex);
  const auto at = claims().held.find({log_, token_});
  if (at != claims().held.end()) claims().held.erase(at);
  token_ = 0;
}

bool is_living_claim(std::string_view log, std::uint64_t token) {
  const std::lock_guard lock(claims().mutex);
  return claims().held.contains({std::string(log), token});
}

bool is_held_by_the_living(std::string_view log, std::string_view owner, std::uint64_t token) {
  return owner == process_owner() ? is_living_claim(log, token) : owner_is_alive(owner);
}

}  // namespace ptc
