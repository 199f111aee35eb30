// Runs one test program in one way and says what could be observed from outside.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/program_file.h"

namespace ptc::test {

enum class Mode : std::uint8_t {
  Straight,   // as a host would run it
  Stepped,    // the run yields at every safe point
  Bytes,      // compiled, written as bytes, verified, loaded, run
  Plain,      // compiled without optimizations
  Lifo,       // answers that come together are told in the opposite order
  Shuffled,   // … in a random one
  Suspended,  // written, destroyed and restored at every safe point
  SuspendedLifo,   // … and answers that come together are told in the opposite order
  SuspendedJson,   // … through the JSON face
};

struct Observation {
  std::string setup_complaint;        // not empty: the inputs could not be loaded, or bytes were refused
  OutcomeStatus status = OutcomeStatus::Error;
  std::string value_edn, kind, message;
  std::uint32_t line = 0, column = 0;
  std::string memory_edn, summaries_edn;
  std::vector<std::string> prints;
  std::vector<std::pair<std::string, std::string>> journal;   // id, value; in commit order
  std::string commits_edn;               // the journal in commit order
  std::vector<std::string> tool_calls;   // "name args result"
  std::vector<std::string> calls;        // "name args" of those that reached their tool
  std::uint64_t fuel = 0;
  std::uint64_t peak_bytes = 0;          // peak of the heap; comparing two observations leaves it out
};

Observation observe(const Engine& engine, const ProgramFile& file, Mode mode,
                    std::optional<std::uint64_t> fuel_limit = std::nullopt, std::uint64_t slice_fuel = 1);

// The rest of a run of that file, from one of its snapshots, with the answers of the file.
// `wanted` may make its limits smaller.
Observation observe_rest(const Engine& engine, const ProgramFile& file, std::span<const std::uint8_t> snapshot,
                         SessionRestore wanted = {});

// What it was at some of its safe points: at each, when take() says so.
std::vector<std::vector<std::uint8_t>> snapshots_of(const Engine& engine, const ProgramFile& file,
                                                    std::uint64_t slice_fuel, const std::function<bool()>& take);

// Empty when the observation is what the file states, else what differs.
std::string difference_from(const Expectation& expect, const Observation& seen);
// Empty when both are the same in everything, fuel and order of commits included.
std::string difference_between(const Observation& first, const Observation& second);

// Everything that was observed but the fuel, a line each; for people and for files that are kept.
std::string observation_text(const Observation& seen);

// Whether the first texts are a prefix of the second ones; with gaps, when each branch of several got somewhere else.
bool is_part_of(const std::vector<std::string>& part, const std::vector<std::string>& whole, bool with_gaps);
bool waits(const ProgramFile& file);     // it has tools whose answers come later

// {"id" value …} in id order.
std::string journal_text(const Observation& seen);
std::string prints_text(const Observation& seen);

}  // namespace ptc::test
