// The outcome of a stored run behind its handle, and the options of stored runs as C gives them.
#pragma once
#include "api/c/run.h"
#include "ptcvm/store.hpp"

struct ptcvm_stored {
  ptcvm::StoredOutcome outcome;
};

namespace ptcvm::c {

// `events` is borrowed; null: nobody takes events.
StoredOptions stored_options(const ptcvm_stored_options& given, const ptcvm_tools* tools, EventQueue* events);
// Returns the arguments that a person has seen, or nullopt for NULL.
std::optional<std::string> seen_args(const ptcvm_text* args_edn);
DoubtAnswer doubt_answer(int32_t answer);

}  // namespace ptcvm::c
