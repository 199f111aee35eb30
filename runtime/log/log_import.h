// Makes logs from lines of JSON (fact_json.h): what `ptcvm journal export` and Store::log_json() wrote.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/fact_store.h"

namespace ptc {

// Returns the facts of the lines, in their order and numbered from 1 without gaps; or nullopt, and `why` says which
// line is wrong.
std::optional<std::vector<Fact>> read_facts(std::string_view lines, std::string& why);

// How an import ended.
enum class ImportEnd : std::uint8_t {
  Done,
  Exists,   // the store has a log of that run; nothing was written
  Busy,     // another process has begun the run; nothing was written
};

// Writes the facts as the log of a run that is not there yet. What was parked is not part of a log: the run goes on
// from the top. The claim is made at now_ms, in ms since 1970.
StoreResult<ImportEnd> import_log(FactStore& store, std::string_view run, std::span<const Fact> facts,
                                  std::int64_t now_ms);

}  // namespace ptc
