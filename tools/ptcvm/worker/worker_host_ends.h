// How a turn of an agent or of a chain ends at a worker, in the words that both have.
#pragma once
#include <string>
#include <string_view>

#include "ptcvm/worker.hpp"

namespace ptcvm::cli {

// The run cannot go on, or has ended without success.
HostTurnEnd turn_given_up(std::string why);
// The store refused something, or, for other errors, the run cannot go on.
HostTurnEnd turn_refused(const Error& error);
// To be tried again later.
HostTurnEnd turn_failed(std::string why);
// Somebody goes on at once.
HostTurnEnd turn_in_the_middle(std::string why);
// The run is over and went well.
HostTurnEnd turn_ended();
// A store failed whose error is known by its name only; other names give the run up.
HostTurnEnd turn_of_store_error(std::string_view name, const std::string& message);

}  // namespace ptcvm::cli
