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
};

}  // namespace

std::span<const Rule> date_rules() { return kDatesRules; }

}  // namespace ptc::generator
