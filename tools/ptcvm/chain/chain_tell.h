// What a person says to a chain that workers execute: letters in the log of its job.
#pragma once
#include <string>

#include "ptcvm/store.hpp"
#include "tools/ptcvm/chain/chain_questions.h"
#include "tools/ptcvm/chain/chain_setup.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

// Makes what a person says about a call what the signature of its tool wants. Returns why the chain would refuse it, or
// "".
std::string doubt_fault(const ChainSetup& setup, const std::string& id, const chain::LoggedQuestion& question,
                        SaidDoubt& said);

// Puts the answer into the log of a job. Returns the exit status, after a message when the step waits for nobody.
int tell_chain(const StoreCommand& command, Store& store, const ChainSetup& setup, const ChainAnswer& answer);

}  // namespace ptcvm::cli
