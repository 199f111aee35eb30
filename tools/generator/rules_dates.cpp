// Rules with dates, instants and durations. Such values live inside of the form: the host's JSON has none.
#include "tools/generator/rule.h"

namespace ptc::generator {
namespace {

constexpr Rule kDatesRules[] = {
    {"int", "(.toEpochDay (@{.plusDays .minusDays} (java.time.LocalDate/parse $date) (mod $int 900)))"},
    {"int", "(.toEpochDay (@{.plusDays .minusDays} (LocalDate/parse $date) (mod $int 900)))", kOurs},
    {"bool", "(@{.isBefore .isAfter} (java.time.LocalDate/parse $date) (java.time.LocalDate/parse $date))"},
    {"bool", "(@{.isBefore .isAfter} (java.time.Instant/parse $instant) (java.time.Instant/parse $instant))"},
    {"int", "(.toEpochMilli (java.time.Instant/parse $instant))"},
    {"int", "(.toEpochMilli (Instant/parse $instant))", kOurs},
    {"int", "(@{.toMillis .toDays} (java.time.Duration/between (java.time.Instant/parse $instant)"
            " (java.time.Instant/parse $instant)))"},
    {"int", "(@{.toMillis .toDays} (Duration/between (Instant/parse $instant) (Instant/parse $instant)))", kOurs},
    {"int", "(.getTime (java.util.Date. (mod $int 100000)))"},
    {"bool", "(@{.before .after} (java.util.Date. (mod $int 997)) (java.util.Date. (mod $int 997)))"},
    {"bool", "(pos? (.getTime (java.util.Date.)))"},
    {"bool", "(pos? (System/currentTimeMillis))"},
    {"[int]", "(map (fn [d] (.toEpochDay d)) (sort [(LocalDate/parse $date) (LocalDate/parse $date)]))", kOurs},
    {"int", "(compare (java.util.Date. (mod $int 9)) (java.util.Date. (mod $int 9)))", kOurs},
    {"int", "(@{.getYear .getMonthValue .getDayOfMonth .getDayOfYear} (LocalDate/parse $date))", kOurs},
    {"int", "(@{.getYear .getMonthValue .getDayOfMonth .getDayOfYear .getHour .getMinute .getSecond .getEpochSecond}"
            " #inst $instant)", kOurs},
    {"int", "(@{.lengthOfMonth .lengthOfYear} #date $date)", kOurs},
    {"int", "(.getValue (@{.getMonth .getDayOfWeek} #date $date))", kOurs},
    {"str", "(@{.getMonth .getDayOfWeek} (@{.plusWeeks .minusWeeks .plusMonths .minusMonths .plusYears .minusYears}"
            " #date $date (mod $int 90)))", kOurs},
    {"int", "(.toEpochDay (@{.plusMonths .minusMonths .plusYears .minusYears} #date $date (mod $int 90)))", kOurs},
    {"int", "(.toEpochMilli (@{.plusHours .minusHours .plusMinutes .minusMinutes .plusSeconds .minusSeconds"
            " .plusMillis .minusMillis} #inst $instant (mod $int 997)))", kOurs},
    {"int", "(@{.toMillis .toSeconds .toMinutes .toHours .toDays} (@{.plusHours .plusMinutes .plusSeconds"
            " .plusMillis} #duration \"PT36H\" (mod $int 997)))", kOurs},
    {"int", "(.toMillis (@{.plus .minus} (Duration/parse \"PT1H\") #duration \"PT1M30S\"))", kOurs},
    {"int", "(.toEpochMilli (@{.plus .minus} #inst $instant (mod $int 99) @{ChronoUnit/MILLIS ChronoUnit/SECONDS"
            " ChronoUnit/MINUTES ChronoUnit/HOURS ChronoUnit/DAYS ChronoUnit/WEEKS ChronoUnit/MONTHS"
            " ChronoUnit/YEARS}))", kOurs},
    {"int", "(.until #date $date #date $date @{ChronoUnit/DAYS ChronoUnit/WEEKS :months :years})", kOurs},
    {"int", "(.between @{ChronoUnit/SECONDS :hours :months} #inst $instant #inst $instant)", kOurs},
    {"int", "(.toEpochDay (.truncatedTo #date $date @{:weeks :months ChronoUnit/YEARS}))", kOurs},
    {"int", "(.toEpochMilli (.truncatedTo #inst $instant @{ChronoUnit/HOURS :days :months}))", kOurs},
    {"int", "(.toEpochDay (LocalDate/ofInstant #inst $instant @{ZoneOffset/UTC \"+02:00\"}))", kOurs},
    {"int", "(.toEpochDay (.withDayOfMonth (.withMonth (.withYear #date $date 2023) 2) (inc (mod $int 28))))", kOurs},
    {"int", "(.toEpochMilli (.atStartOfDay (.withYear #date $date (+ 1990 (mod $int 50)))))", kOurs},
    {"int", "(.toEpochMilli (@{Instant/ofEpochMilli Instant/ofEpochSecond} (mod $int 997)))", kOurs},
    {"int", "(.toEpochMilli (.toInstant (java.util.Date. (mod $int 997))))", kOurs},
    {"str", "(.format (LocalDate/ofEpochDay (mod $int 20000)) @{\"dd.MM.yyyy\" \"EEE, d MMM yy\" \"D\"})", kOurs},
    {"str", "(.format #inst $instant (DateTimeFormatter/ofPattern \"yyyy-MM-dd HH:mm:ss.SSS\"))", kOurs},
    {"int", "(.toEpochDay (LocalDate/parse (.format #date $date \"d.M.yyyy\") \"d.M.yyyy\"))", kOurs},
    {"bool", "(.isLeapYear #date $date)", kOurs},
    {"bool", "(@{< <= > >=} #date $date (.plusDays #date $date (mod $int 900)))", kOurs},
    {"bool", "(@{< <= > >=} #inst $instant #inst $instant #inst $instant)", kOurs},
};

}  // namespace

std::span<const Rule> date_rules() { return kDatesRules; }

}  // namespace ptc::generator
