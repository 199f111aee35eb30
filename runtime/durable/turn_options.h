// Writes limits and other options of a turn as an EDN map, so that the run is started again as it was started.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "runtime/durable/durable_run.h"

namespace ptc {

// Returns the options that differ from the defaults, or "" when none does.
std::string turn_options_edn(const SessionOptions& options);
// Sets the options of the text. Returns a complaint when the text is not such a map.
std::optional<std::string> read_turn_options(std::string_view edn, SessionOptions& options);

// Makes the options those with which the run was begun, as its log says: name, data, signature, limits and whatever
// else is in the log. A limit of `options` that is not the default counts where it is smaller. A message says why the
// log cannot be read.
std::optional<std::string> go_on_as_begun(const LoggedStart& started, DurableOptions& options);

}  // namespace ptc
