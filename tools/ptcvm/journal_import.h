// Logs from lines of JSON.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/fact_store.h"

namespace ptcvm::cli {

// In their order, numbered from 1 without gaps. Nothing, and why.
std::optional<std::vector<ptc::Fact>> read_facts(std::string_view lines, std::string& message);
// Writes them as the log of a run that is not there yet. What was parked is not part of a log: the run goes on from the
// top. The exit status.
int import_log(ptc::FactStore& store, const std::string& run, const std::vector<ptc::Fact>& facts);

}  // namespace ptcvm::cli
