// Decides what happens after a request of a model failed.
#pragma once
#include <cstdint>
#include <string_view>

#include "agents/wire/reply.h"

namespace ptcvm::loop {

enum class FailureRemedy : std::uint8_t {
  GiveUp,
  TryAgain,         // after a pause
  Shorten,          // the prompt is too long for the provider
  LeaveOpaqueOut,   // the provider refuses what it had signed
};

// `attempt` is the number of the attempt that failed, from 1.
FailureRemedy remedy_of(const wire::ReplyError& error, std::uint32_t attempt);

// Returns how long the run waits before the next attempt, in ms. What the server asks for counts, up to an hour; else
// the pauses grow to at most a minute. The same run has the same pauses.
std::int64_t pause_ms(const wire::ReplyError& error, std::uint32_t attempt, std::string_view run);

}  // namespace ptcvm::loop
