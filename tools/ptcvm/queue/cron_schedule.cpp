#include "tools/ptcvm/queue/cron_schedule.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "tools/ptcvm/text/json_members.h"
#include "tools/ptcvm/text/moments.h"

#ifdef PTCVM_HAVE_CRON
#include "drivers/cron/cron_times.h"
#endif

namespace ptcvm::cli {
namespace {

[[maybe_unused]] constexpr std::int64_t kGraceMs = 60'000;   // of MissedMoments::None
[[maybe_unused]] constexpr std::size_t kMostAtOnce = 100;    // moments that one call fires for one schedule
constexpr std::array<std::string_view, 3> kMissedNames = {"last", "all", "none"};

}  // namespace

std::string_view missed_name(MissedMoments missed) { return kMissedNames[static_cast<std::size_t>(missed)]; }

std::optional<MissedMoments> find_missed(std::string_view name) {
  for (std::size_t i = 0; i < kMissedNames.size(); ++i) {
    if (kMissedNames[i] == name) return static_cast<MissedMoments>(i);
  }
  return std::nullopt;
}

std::string spec_text(const CronSchedule& schedule) {
  boost::json::object out;
  out["cron"] = schedule.cron;
  out["zone"] = schedule.zone;
  out["missed"] = missed_name(schedule.missed);
  return boost::json::serialize(out);
}

std::optional<CronSchedule> read_spec(const std::string& text) {
  boost::system::error_code failed;
  const boost::json::value document = boost::json::parse(text, failed);
  if (failed || !document.is_object()) return std::nullopt;
  const boost::json::object& members = document.get_object();
  const auto missed = find_missed(text_of(members, "missed"));
  if (!missed) return std::nullopt;
  return CronSchedule{text_of(members, "cron"), text_of(members, "zone"), *missed};
}

std::string run_of_moment(const std::string& name, std::int64_t moment_ms) {
  return name + '/' + moment_text(moment_ms);
}

#ifdef PTCVM_HAVE_CRON
namespace {

// The moments to enqueue, from the one that is due until now, the newest one that is over with them, and the next one.
struct DueMoments {
  std::vector<std::int64_t> moments;
  std::int64_t last = 0;
  std::optional<std::int64_t> next;
};

DueMoments due_moments(const drivers::CronTimes& times, MissedMoments missed, std::int64_t due, std::int64_t now) {
  DueMoments out;
  if (missed == MissedMoments::All) {
    out.next = due;
    while (out.next && *out.next <= now && out.moments.size() < kMostAtOnce) {
      out.moments.push_back(out.last = *out.next);
      out.next = times.next_after(*out.next);
    }
    return out;
  }
  out.last = times.last_within(due, now).value_or(due);
  if (missed == MissedMoments::Last || now - out.last <= kGraceMs) out.moments.push_back(out.last);
  out.next = times.next_after(now);
  return out;
}

using NextMoment = std::optional<std::int64_t>;

// Whether it is the run that cannot be enqueued, now or later; else the store has failed.
bool is_about_run(const Error& error) {
  constexpr std::array<std::string_view, 4> kNames = {"store_wrong_tenant", "run_moved", "store_missing",
                                                      "store_misuse"};
  return std::ranges::find(kNames, error.detail) != kNames.end();
}

// The moments of one schedule that are due.
class DueSchedule {
 public:
  DueSchedule(const Store& store, const StoredSchedule& schedule, DueMoments due)
      : store_(store), schedule_(schedule), due_(std::move(due)) {}

  // Returns the next moment, and says in `out` what became of those that were due.
  Result<NextMoment> fire(FiredSchedules& out) {
    if (!due_.next) return NextMoment();
    if (const auto looked = leave_out_taken(); !looked) return looked.error();
    auto fired = fire_schedule(store_, schedule_, ids_, *due_.next, due_.last);
    if (!fired && is_about_run(fired.error())) {
      if (due_.moments.size() > 1) return first().fire(out);   // the others follow at the next look
      failed_.push_back(run_of_moment(schedule_.name, due_.moments.front()) + ": " + fired.error().message);
      ids_.clear();
      fired = fire_schedule(store_, schedule_, ids_, *due_.next, due_.last);
    }
    if (!fired) return fired.error();
    if (!*fired) return due_.next;                             // another worker has fired it, and says so
    out.runs.insert(out.runs.end(), ids_.begin(), ids_.end());
    out.failed.insert(out.failed.end(), failed_.begin(), failed_.end());
    return due_.next;
  }

 private:
  DueSchedule first() const { return {store_, schedule_, {{due_.moments[0]}, due_.moments[0], due_.moments[1]}}; }

  // A run that is there is another one: a moment is fired once.
  Result<void> leave_out_taken() {
    for (const std::int64_t moment : due_.moments) {
      std::string id = run_of_moment(schedule_.name, moment);
      const auto there = store_.find(id);
      if (!there && !is_about_run(there.error())) return there.error();
      if (there && !*there) {
        ids_.push_back(std::move(id));
        continue;
      }
      failed_.push_back(id + ": " + (there ? "there is another run of that id" : there.error().message));
    }
    return {};
  }

  const Store& store_;
  const StoredSchedule& schedule_;
  const DueMoments due_;
  std::vector<std::string> ids_, failed_;
};

// Fires one schedule, and returns its next moment. Schedules of others, whose words say something else, are left alone
// (nullopt).
Result<NextMoment> fire_one(const Store& store, const StoredSchedule& schedule, std::int64_t now,
                            FiredSchedules& fired) {
  std::string ignored;
  const auto spec = read_spec(schedule.spec);
  const auto times = spec ? drivers::CronTimes::read(spec->cron, spec->zone, ignored) : std::nullopt;
  if (!times) return NextMoment();
  return DueSchedule(store, schedule, due_moments(*times, spec->missed, schedule.next_ms, now)).fire(fired);
}

}  // namespace

bool has_schedules() { return true; }

std::optional<std::int64_t> next_moment(const CronSchedule& schedule, std::int64_t after_ms, std::string& message) {
  const auto times = drivers::CronTimes::read(schedule.cron, schedule.zone, message);
  if (!times) return std::nullopt;
  const auto next = times->next_after(after_ms);
  if (!next) message = "the cron expression \"" + schedule.cron + "\" has no moment within nine years";
  return next;
}

Result<FiredSchedules> fire_due_schedules(const Store& store) {
  const auto all = schedules(store);
  if (!all) return all.error();
  FiredSchedules fired;
  if (all->empty()) return fired;
  const auto now = store_time_ms(store);
  if (!now) return now.error();
  for (const StoredSchedule& schedule : *all) {
    if (!schedule.refused.empty()) {
      fired.refused.push_back(schedule.name + ": " + std::string(schedule.refused));
      continue;
    }
    std::optional<std::int64_t> next = schedule.next_ms;
    if (schedule.next_ms <= *now) {
      const auto done = fire_one(store, schedule, *now, fired);
      if (!done && done.error().code == Errc::seal_refused) {   // a worker with other keys may fire it
        fired.refused.push_back(schedule.name + ": " + std::string(done.error().detail));
        continue;
      }
      if (!done) return done.error();
      next = *done;
    }
    if (!next) continue;
    const std::chrono::milliseconds until(std::max<std::int64_t>(*next - *now, 0));
    fired.until_next = std::min(fired.until_next.value_or(until), until);
  }
  return fired;
}

#else

bool has_schedules() { return false; }

std::optional<std::int64_t> next_moment(const CronSchedule&, std::int64_t, std::string& message) {
  message = "this ptcvm has no schedules: it was built without time zones (libhowardhinnant-date-dev)";
  return std::nullopt;
}

Result<FiredSchedules> fire_due_schedules(const Store&) { return FiredSchedules(); }

#endif

}  // namespace ptcvm::cli
