// Limits and other options of a turn as an EDN map, so that whoever starts a run again does it as it was started.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "runtime/session/session.h"

namespace ptc {

// Those that differ from the defaults; "" when none does.
std::string turn_options_edn(const SessionOptions& options);
// Sets what the text holds. A complaint: it is no such map.
std::optional<std::string> read_turn_options(std::string_view edn, SessionOptions& options);

}  // namespace ptc
