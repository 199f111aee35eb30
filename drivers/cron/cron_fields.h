// The five fields of a cron expression: minute, hour, day of the month, month, day of the week.
//
//   0 8 * * mon-fri      */15 9-17 * * *      30 2 1,15 * *      @daily
//
// A field is *, a number, a range A-B, a step */N or A-B/N, or several of these with commas. Months and days of the
// week may be written by the first three letters of their English names; Sunday is 0 or 7. @hourly, @daily, @midnight,
// @weekly, @monthly, @yearly and @annually stand for five fields. When neither day is *, one of the two is enough.
#pragma once
#include <bitset>
#include <optional>
#include <string>
#include <string_view>

namespace ptcvm::drivers {

class CronFields {
 public:
  // Returns nullopt and why when the text is no expression.
  static std::optional<CronFields> read(std::string_view text, std::string& message);

  bool has_minute(unsigned minute) const { return minutes_[minute]; }
  bool has_hour(unsigned hour) const { return hours_[hour]; }
  // `weekday` is 0 on Sunday.
  bool has_day(unsigned month, unsigned day, unsigned weekday) const;
  // Returns whether the hour is *, or * with a step: then time passes evenly, also when clocks are changed.
  bool is_every_hour() const { return is_every_hour_; }

 private:
  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<7> weekdays_;
  bool is_every_hour_ = false, is_every_day_ = false, is_every_weekday_ = false;
};

}  // namespace ptcvm::drivers
