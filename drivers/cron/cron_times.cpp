#include "drivers/cron/cron_times.h"

#include <date/date.h>
#include <date/tz.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "drivers/cron/cron_fields.h"

namespace ptcvm::drivers {
namespace {

using std::chrono::milliseconds;
using Moments = std::vector<date::sys_seconds>;

constexpr int kMostDays = 9 * 366;
constexpr std::int64_t kSomeMoment = 1'704'067'200'000;   // the beginning of 2024

bool has_day(const CronFields& fields, date::local_days day) {
  const date::year_month_day ymd(day);
  return fields.has_day(static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()),
                        date::weekday(day).c_encoding());
}

// Adds the moments at which clocks of the zone show a local time that counts.
void add_moments(const CronFields& fields, const date::time_zone& zone, date::local_seconds local, Moments& out) {
  const date::local_info info = zone.get_info(local);
  if (info.result == date::local_info::nonexistent) {
    if (!fields.is_every_hour()) out.push_back(info.first.end);
    return;
  }
  out.emplace_back(local.time_since_epoch() - info.first.offset);
  const bool is_twice = info.result == date::local_info::ambiguous;
  if (is_twice && fields.is_every_hour()) out.emplace_back(local.time_since_epoch() - info.second.offset);
}

Moments moments_of(const CronFields& fields, const date::time_zone& zone, date::local_days day) {
  Moments out;
  if (!has_day(fields, day)) return out;
  for (unsigned hour = 0; hour < 24; ++hour) {
    if (!fields.has_hour(hour)) continue;
    for (unsigned minute = 0; minute < 60; ++minute) {
      if (!fields.has_minute(minute)) continue;
      add_moments(fields, zone, day + std::chrono::hours(hour) + std::chrono::minutes(minute), out);
    }
  }
  return out;
}

}  // namespace

struct CronTimes::Parts {
  CronFields fields;
  const date::time_zone* zone;
};

CronTimes::CronTimes(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
CronTimes::CronTimes(CronTimes&& moved) noexcept = default;
CronTimes& CronTimes::operator=(CronTimes&& moved) noexcept = default;
CronTimes::~CronTimes() = default;

std::optional<CronTimes> CronTimes::read(std::string_view expression, std::string_view zone, std::string& message) {
  auto fields = CronFields::read(expression, message);
  if (!fields) return std::nullopt;
  const date::time_zone* found = nullptr;
  try {
    found = date::locate_zone(std::string(zone));
  } catch (const std::exception&) {
    message = "there is no time zone \"" + std::string(zone) + "\" on this machine; names are like Europe/Lisbon";
    return std::nullopt;
  }
  CronTimes out(std::make_unique<Parts>(Parts{*fields, found}));
  if (out.next_after(kSomeMoment)) return out;
  message = "the cron expression \"" + std::string(expression) + "\" has no moment within nine years";
  return std::nullopt;
}

// Clocks that are put back make moments of one day come after some of the next day, so two days are looked at together.
std::optional<std::int64_t> CronTimes::next_after(std::int64_t ms) const {
  const date::sys_time<milliseconds> after{milliseconds(ms)};
  const auto seconds = date::floor<std::chrono::seconds>(after);
  const auto first = date::floor<date::days>(parts_->zone->to_local(seconds)) - date::days(1);
  std::optional<date::sys_seconds> best;
  for (int number = 0; number < kMostDays; ++number) {
    const bool was_found = best.has_value();
    for (const date::sys_seconds moment : moments_of(parts_->fields, *parts_->zone, first + date::days(number))) {
      if (moment > after && (!best || moment < *best)) best = moment;
    }
    if (was_found) break;
  }
  if (!best) return std::nullopt;
  return std::chrono::duration_cast<milliseconds>(best->time_since_epoch()).count();
}

std::optional<std::int64_t> CronTimes::last_within(std::int64_t from, std::int64_t until) const {
  const date::sys_time<milliseconds> after{milliseconds(from)}, most{milliseconds(until)};
  const auto day_of = [this](date::sys_time<milliseconds> moment) {
    return date::floor<date::days>(parts_->zone->to_local(date::floor<std::chrono::seconds>(moment)));
  };
  const date::local_days least = std::max(day_of(after) - date::days(1), day_of(most) - date::days(kMostDays));
  std::optional<date::sys_seconds> best;
  for (date::local_days day = day_of(most) + date::days(1); day >= least; day -= date::days(1)) {
    const bool was_found = best.has_value();
    for (const date::sys_seconds moment : moments_of(parts_->fields, *parts_->zone, day)) {
      if (moment > after && moment <= most && (!best || moment > *best)) best = moment;
    }
    if (was_found) break;
  }
  if (!best) return std::nullopt;
  return std::chrono::duration_cast<milliseconds>(best->time_since_epoch()).count();
}

}  // namespace ptcvm::drivers
