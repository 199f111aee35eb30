// What a person says to a chain that workers execute: letters in the log of its job.
#pragma once
#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include "ptcvm/store.hpp"
#include "tools/ptcvm/store_options.h"

namespace ptcvm::cli {

struct ChainAnswer {
  std::string step, text, happened;
  bool did_not = false, give_up = false;
};

// Reads what became of a call in doubt. Returns nullopt after a message: nothing was said, or no JSON.
struct SaidDoubt {
  DoubtAnswer answer;
  boost::json::value output;
};
std::optional<SaidDoubt> read_doubt(const ChainAnswer& answer);

// Says that the step waits for nobody, and returns the exit status.
int refuse_step(const std::string& step);

// Puts the answer into the log of a job. Returns the exit status, after a message when the step waits for nobody.
int tell_chain(const StoreCommand& command, Store& store, const ChainAnswer& answer);

}  // namespace ptcvm::cli
