// What the targets for logs do with a store, whatever is in it.
#pragma once
#include <span>
#include <string>

#include "runtime/log/fact_store.h"

namespace ptc::fuzz {

// Facts as a log, each in a write of its own; what the store refuses is left out.
void write_log(FactStore& store, const std::string& log, std::span<const Fact> facts);
// Opens the run of that log with a small program, small limits and tools of every effect class.
void open_run(FactStore& store, const std::string& log);
// Everything that can be asked of a store and its logs.
void look_around(FactStore& store);

}  // namespace ptc::fuzz
