#include "ptcvm/schedules.hpp"

#include "api/errors.h"
#include "api/queue_access.h"
#include "runtime/engine/clock.h"
#include "runtime/log/log_seal.h"

namespace ptcvm {

struct StoredSchedule::Template {
  ptc::Job job;
};

Result<void> put_schedule(const Engine& engine, const Store& store, const StoredSchedule& schedule,
                          const QueuedJob& job) {
  auto made = runtime_job(engine, job);
  if (!made) return std::move(made).error();
  ptc::ScheduleRow row;
  row.name = schedule.name;
  row.spec = schedule.spec;
  row.next_ms = schedule.next_ms;
  row.job = std::move(*made);
  const auto done = answer_of<bool>(store, [&](ptc::RunQueue& queue) { return queue.set_schedule(row); },
                                    [](std::monostate) { return true; });
  return done ? Result<void>() : Result<void>(done.error());
}

Result<std::vector<StoredSchedule>> schedules(const Store& store) {
  using All = std::vector<StoredSchedule>;
  return answer_of<All>(store, [](ptc::RunQueue& queue) { return queue.schedules(); }, [](auto rows) {
    All out;
    for (ptc::ScheduleRow& row : rows) {
      StoredSchedule& schedule = out.emplace_back();
      schedule.name = row.name;
      schedule.spec = row.spec;
      schedule.next_ms = row.next_ms;
      schedule.last_ms = row.last_ms;
      schedule.fired = row.fired;
      schedule.queue = row.job.queue;
      schedule.tenant = row.job.tenant;
      schedule.refused = row.refused;
      schedule.job = std::make_shared<const StoredSchedule::Template>(StoredSchedule::Template{std::move(row.job)});
    }
    return out;
  });
}

Result<bool> remove_schedule(const Store& store, std::string_view name, std::string_view tenant) {
  return answer_of<bool>(store, [&](ptc::RunQueue& queue) { return queue.remove_schedule(name, tenant); }, kAsIs);
}

Result<bool> fire_schedule(const Store& store, const StoredSchedule& schedule, std::span<const std::string> ids,
                           std::int64_t next_ms, std::optional<std::int64_t> last_ms) {
  if (schedule.job == nullptr) return host_error(Errc::invalid_value, "the schedule is not one of schedules()");
  if (!schedule.refused.empty()) {
    return store_error(ptc::seal_refusal(schedule.refused, "the schedule " + schedule.name + " is not fired"));
  }
  const std::int64_t now = ptc::system_millis();
  std::vector<ptc::Job> jobs(ids.size(), schedule.job->job);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    jobs[i].log = ids[i];
    jobs[i].start.time_ms = now;
  }
  const ptc::Firing moments{schedule.next_ms, last_ms.value_or(schedule.next_ms), next_ms};
  return answer_of<bool>(
      store, [&](ptc::RunQueue& queue) { return queue.fire(schedule.name, moments, jobs, now); }, kAsIs);
}

Result<std::int64_t> store_time_ms(const Store& store) {
  return answer_of<std::int64_t>(
      store, [](ptc::RunQueue& queue) { return queue.time(ptc::system_millis()); }, kAsIs);
}

}  // namespace ptcvm
