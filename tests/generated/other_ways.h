// A generated program in other ways than suspended: what must not change then. Each gives "" or what differs.
#pragma once
#include <string>

#include "support/program_run.h"

namespace ptc::test {

// Compiled without optimization. Only the fuel may be another one.
std::string difference_when_plain(const Engine& engine, const ProgramFile& file, const Observation& straight);

// The printed value is read and printed again: the same text. Also the values in the journal.
std::string difference_when_read_again(const Engine& engine, const Observation& straight);

// Laid out as `ptcvm fmt` does: once is enough, and the program means the same. Only positions may be others, and the
// texts of functions in memory.
std::string difference_when_formatted(const Engine& engine, const ProgramFile& file, const Observation& straight);

}  // namespace ptc::test
