// Schedules: jobs that become due again and again. A store keeps a schedule and its next moment; who fires the schedule
// says the moment after. The store knows nothing of calendars, so that a host may have its own.
//
//   put_schedule(engine, store, {.name = "report", .spec = "each day at 8", .next_ms = next}, job);
//   for (const StoredSchedule& due : schedules(store).value())
//     if (due.next_ms <= store_time_ms(store).value()) fire_schedule(store, due, ids, moment_after(due));
//
// Any number of processes fire: each moment is fired once, because firing compares the next moment and sets it. Errors
// of all: not_available, when the store has no queues; store_failed, with the detail store_wrong_tenant when a schedule
// of that name is another tenant's.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/queues.hpp"

namespace ptcvm {

// A schedule, as a store has it.
struct StoredSchedule {
  struct Template;                            // the library defines it
  std::string name;
  std::string spec;                           // when, in words of the host
  std::int64_t next_ms = 0;                   // the next moment; ms since 1970
  std::int64_t last_ms = 0;                   // the newest moment that is over, fired or passed over; 0: none
  std::uint64_t fired = 0;                    // runs that were enqueued
  std::string queue, tenant;                  // of these runs
  std::shared_ptr<const Template> job = {};   // set by schedules()
  std::string_view refused = {};              // the name of the refusal of its seal (sealing.hpp); "": none
};

// Makes a schedule, or another one of that name. Counts: name, spec and next_ms. The job has no id, delay or moment,
// and comes after no run. Errors: invalid_program; invalid_value.
PTCVM_API Result<void> put_schedule(const Engine& engine, const Store& store, const StoredSchedule& schedule,
                                    const QueuedJob& job);
PTCVM_API Result<std::vector<StoredSchedule>> schedules(const Store& store);   // by name
// Returns false when there is no such schedule.
PTCVM_API Result<bool> remove_schedule(const Store& store, std::string_view name, std::string_view tenant = {});
// Enqueues the job of a schedule once for each id, and sets the next moment, and `last_ms`: the newest moment that is
// over, which is the one that was next when it is not given. An id that is there is left as it is.
// Returns false when the next moment of the store is not the one of `schedule` any more: somebody else has fired it.
// Error: seal_refused, when schedules() said that the schedule is refused.
PTCVM_API Result<bool> fire_schedule(const Store& store, const StoredSchedule& schedule,
                                     std::span<const std::string> ids, std::int64_t next_ms,
                                     std::optional<std::int64_t> last_ms = std::nullopt);
// Returns the time of the store in ms since 1970: the clock of its database, or of this machine.
PTCVM_API Result<std::int64_t> store_time_ms(const Store& store);

}  // namespace ptcvm
