// What hooks of the host said about turns, requests and replies, so that nobody asks them again.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptcvm/result.hpp"
#include "ptcvm/run.hpp"

namespace ptcvm::loop {

// The verdicts of a run, by points such as "broker/turn:3".
struct HookVerdicts {
  std::multimap<std::string, HookVerdict, std::less<>> known;     // of another process, and not reached yet
  std::vector<std::pair<std::string, std::string>> made;          // by hooks, and not taken yet
};

// The reason of runs that a hook or a person ended. A hook that threw denies, too, with the reason kHookFailed.
inline constexpr std::string_view kDenied = "denied";
inline constexpr std::string_view kHookFailed = "hook_failed";
HookVerdict failed_hook(std::string why);
bool is_failed_hook(const HookVerdict& verdict);

// Writes a verdict as JSON; equal verdicts give equal texts.
std::string write_verdict(const HookVerdict& verdict);
// Reads what write_verdict() wrote. Error: invalid_value.
Result<HookVerdict> read_verdict(std::string_view text);

}  // namespace ptcvm::loop
