// What a log says, as people and scripts read it.
#pragma once
#include <string>

#include "runtime/log/run_log.h"

namespace ptcvm::cli {

// Tables: what tasks came to, calls with effects, operations, signals.
std::string show_journal(const ptc::RunLog& log, std::int64_t now_ms);
// The same as one JSON object: run, turn, over, tasks, effects, operations, plan, summaries.
std::string journal_json(const std::string& run, const ptc::RunLog& log);
// {"id" value …}, what `ptcvm run --journal` and batch take.
std::string journal_edn(const ptc::RunLog& log);

}  // namespace ptcvm::cli
