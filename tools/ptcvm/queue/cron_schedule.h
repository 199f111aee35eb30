// Schedules as the command line keeps them: a cron expression, a zone, and what becomes of moments that nobody fired.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptcvm/schedules.hpp"

namespace ptcvm::cli {

// What happens with moments that passed while there was no worker.
enum class MissedMoments : std::uint8_t {
  Last,   // the last one is enqueued
  All,    // each is
  None,   // none is: a moment that is more than a minute old is left out
};

struct CronSchedule {
  std::string cron, zone = "UTC";
  MissedMoments missed = MissedMoments::Last;
};

// The words of StoredSchedule::spec: JSON.
std::string spec_text(const CronSchedule& schedule);
std::optional<CronSchedule> read_spec(const std::string& text);
// Returns "last", "all" or "none", and what such a word means.
std::string_view missed_name(MissedMoments missed);
std::optional<MissedMoments> find_missed(std::string_view name);

// Returns the first moment after that one, or nullopt, and why there is none.
std::optional<std::int64_t> next_moment(const CronSchedule& schedule, std::int64_t after_ms, std::string& message);
// Returns the id of the run of a moment: "NAME/2026-12-01T08:00:00Z".
std::string run_of_moment(const std::string& name, std::int64_t moment_ms);

struct FiredSchedules {
  std::vector<std::string> runs;             // the ids that this call has enqueued
  std::vector<std::string> refused;          // "NAME: why" of schedules whose seals are refused; they do not fire
  std::vector<std::string> failed;           // "RUN: why" of moments that were passed over
  std::optional<std::chrono::milliseconds> until_next;   // the next moment, by the clock of the store; nullopt: none
};
// Fires what is due in a store. A moment whose run cannot be enqueued is passed over. Returns the error of the store.
Result<FiredSchedules> fire_due_schedules(const Store& store);
bool has_schedules();   // false: this program was built without time zones

}  // namespace ptcvm::cli
