// The moments of a cron expression in a time zone.
//
// When clocks are put forward, a time that is left out counts at the moment of the change, once for all that are left
// out. When clocks are put back, a time that comes twice counts the first time. With * as the hour, time passes evenly
// instead: both of the hours count, and nothing is made up for what was left out.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ptcvm::drivers {

class CronTimes {
 public:
  // Reads an expression (cron_fields.h) and the name of a zone, such as "Europe/Lisbon" or "UTC". Returns nullopt and
  // why when one of them makes no sense, or when the expression has no moment within nine years from 2024 on.
  static std::optional<CronTimes> read(std::string_view expression, std::string_view zone, std::string& message);
  CronTimes(CronTimes&& moved) noexcept;
  CronTimes& operator=(CronTimes&& moved) noexcept;
  ~CronTimes();

  // Returns the first moment after that one, both in ms since 1970; nullopt when there is none within nine years.
  std::optional<std::int64_t> next_after(std::int64_t ms) const;
  // Returns the last of the moments that come after `from` and not after `until`, or nullopt. Looks back nine years.
  std::optional<std::int64_t> last_within(std::int64_t from, std::int64_t until) const;

 private:
  struct Parts;
  explicit CronTimes(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace ptcvm::drivers
