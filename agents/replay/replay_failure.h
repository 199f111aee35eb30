// What stops a replayed model: a name for programs and a message for people.
#pragma once
#include <string>
#include <string_view>
#include <variant>

namespace ptcvm::replay {

// Names of failures.
inline constexpr std::string_view kScriptInvalid = "script_invalid";          // a line cannot be read
inline constexpr std::string_view kScriptUsedUp = "script_used_up";           // no line is left for this call
inline constexpr std::string_view kScriptExpectation = "script_expectation";  // the request is not what a line expects
inline constexpr std::string_view kRequestInvalid = "request_invalid";        // a provider would refuse the request
inline constexpr std::string_view kRecordingInvalid = "recording_invalid";    // a line of a recording cannot be read
inline constexpr std::string_view kRecordingMiss = "recording_miss";          // the request was not recorded
inline constexpr std::string_view kMailboxInvalid = "mailbox_invalid";        // a reply in the mailbox cannot be read

struct ReplayFailure {
  std::string name;      // one of the names above
  std::string message;   // what happened, where, and what was found
};

template <class T>
using Replayed = std::variant<T, ReplayFailure>;

}  // namespace ptcvm::replay
