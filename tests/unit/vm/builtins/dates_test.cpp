// LocalDate, Instant, Duration, java.util.Date and the clock.
#include <limits>

#include "tests/unit/vm/builtins/builtin_test.h"
#include "vm/value/calendar.h"

namespace ptc {
namespace {

using Id = BuiltinId;

Arg day(std::int64_t epoch_day) {
  return Arg([epoch_day](Heap&) { return Value::date(epoch_day); });
}
Arg at(std::int64_t seconds, std::uint32_t nanos = 0) {
  return Arg([=](Heap& h) { return instant_of(h, {seconds, nanos}); });
}
Arg legacy(std::int64_t millis) {
  return Arg([=](Heap& h) { return legacy_date_of(h, millis); });
}
Arg span(std::int64_t seconds, std::uint32_t nanos = 0) {
  return Arg([=](Heap& h) { return duration_of(h, {seconds, nanos}); });
}
Arg whole(std::int64_t n) {
  return Arg([n](Heap&) { return Value::integer(n); });
}

class DatesTest : public BuiltinTest {};

TEST_F(DatesTest, ReadsJavaDates) {
  check({
      {Id::date_new, {whole(1'767'860'276'937)}, "#inst \"2026-01-08T08:17:56.937Z\""},
      {Id::date_new, {-1}, "#inst \"1969-12-31T23:59:59.999Z\""},
      {Id::date_new, {"2024-01-15"}, "#inst \"2024-01-15T00:00:00Z\""},
      {Id::date_new, {"2026-01-08T14:30:00+02:00"}, "#inst \"2026-01-08T12:30:00Z\""},
      {Id::date_new, {"Wed, 8 Jan 2026 14:30:00 +0200"}, "#inst \"2026-01-08T12:30:00Z\""},
      {Id::date_new, {"Wed, 8 Jan 2026 14:30 UTC"}, "#inst \"2026-01-08T14:30:00Z\""},
      {Id::date_new, {"8 Jan 2026 14:30:00 EST"}, "#inst \"2026-01-08T19:30:00Z\""},
      {Id::date_new, {"Wed, 8 Jan 2026 14:30:00"}, "#inst \"2026-01-08T14:30:00Z\""},
      {Id::date_new, {"Thu Jan 01 00:00:01 GMT 1970"}, "#inst \"1970-01-01T00:00:01Z\""},
      {Id::date_new, {"Thu Jan 01 00:00:01 1970"}, "#inst \"1970-01-01T00:00:01Z\""},
      {Id::dot_getTime, {legacy(-1000)}, "-1000"},
  });
  for (const char* bad :
       {"Jan 1 00:00:00 GMT 20", "Junk 01 1970", "Nonsense Jan 01 1970", "", "2024-02-30",
        "Wed, 8 Jan 2026 25:00:00 UTC", "Wed, 8 Jan 2026 14:30:00 XYZ", "2024-01-15T10:00:00"}) {
    EXPECT_EQ(fault(Id::date_new, {bad}), "java_domain_error") << bad;
  }
  EXPECT_EQ(fault(Id::date_new, {nullptr}), "java_type_error");
  EXPECT_EQ(fault(Id::date_new, {day(1)}), "java_type_error");
  EXPECT_EQ(fault(Id::dot_getTime, {at(1)}), "java_type_error");
}

TEST_F(DatesTest, MovesDates) {
  check({
      {Id::LocalDate_parse, {"2024-01-02"}, "#date \"2024-01-02\""},
      {Id::dot_plusDays, {day(19'724), 2}, "#date \"2024-01-04\""},
      {Id::dot_plusDays, {day(19'724), 1.9}, "#date \"2024-01-03\""},
      {Id::dot_minusDays, {day(19'723), std::numeric_limits<double>::quiet_NaN()}, "#date \"2024-01-01\""},
      {Id::dot_toEpochDay, {day(19'724)}, "19724"},
  });
  EXPECT_EQ(fault(Id::LocalDate_parse, {"not-a-date"}), "java_domain_error");
  EXPECT_EQ(fault(Id::dot_minusDays, {day(0), whole(INT64_MIN)}), "java_domain_error");
  EXPECT_EQ(fault(Id::dot_plusDays, {day(1), whole(INT64_MAX)}), "java_domain_error");
  EXPECT_EQ(fault(Id::dot_plusDays, {day(1), 1e30}), "java_type_error");
  EXPECT_EQ(fault(Id::dot_plusDays, {at(1), 1}), "java_type_error");
}

TEST_F(DatesTest, MeasuresTime) {
  check({
      {Id::Instant_parse, {"1970-01-01T00:00:00.5Z"}, "#inst \"1970-01-01T00:00:00.500Z\""},
      {Id::Duration_between, {at(0), at(1, 500'000'000)}, "#duration \"PT1.5S\""},
      {Id::Duration_between, {at(1, 500'000'000), at(0)}, "#duration \"PT-1.5S\""},
      {Id::dot_toMillis, {span(2)}, "2000"},
      {Id::dot_toMillis, {span(-1, 999'999'999)}, "0"},
      {Id::dot_toMillis, {span(-2, 500'000'000)}, "-1500"},
      {Id::dot_toDays, {span(-86'401)}, "-1"},
      {Id::dot_toDays, {span(172'799)}, "1"},
      {Id::dot_toEpochMilli, {at(-1, 999'999'999)}, "-1"},
      {Id::dot_toEpochMilli, {at(1'704'067'200)}, "1704067200000"},
  });
  EXPECT_EQ(fault(Id::dot_toEpochMilli, {at(kMaxEpochSecond, 999'999'999)}), "java_domain_error");
  EXPECT_EQ(fault(Id::Duration_between, {legacy(0), legacy(5)}), "java_type_error");
  EXPECT_EQ(fault(Id::Duration_between, {day(0), day(5)}), "java_type_error");
  EXPECT_EQ(fault(Id::Instant_parse, {"2024-01-02T00:00:00"}), "java_domain_error");
}

TEST_F(DatesTest, ComparesTheSameKind) {
  check({
      {Id::dot_isBefore, {day(1), day(2)}, "true"},
      {Id::dot_isBefore, {legacy(0), legacy(0)}, "false"},
      {Id::dot_isAfter, {at(1, 1), at(1)}, "true"},
      {Id::dot_before, {legacy(0), legacy(1)}, "true"},
      {Id::dot_after, {legacy(1), legacy(0)}, "true"},
      {Id::dot_isAfter,
       {day(1), legacy(0)},
       "!! type_error: .isAfter: cannot compare date with java.util.Date"},
  });
  EXPECT_EQ(fault(Id::dot_isBefore, {123, 456}), "type_error");
  EXPECT_EQ(fault(Id::dot_isBefore, {legacy(0), nullptr}), "type_error");
  EXPECT_EQ(fault(Id::dot_before, {legacy(0), nullptr}), "java_type_error");
}

TEST_F(DatesTest, AsksForTheClock) {
  EXPECT_EQ(fault(Id::System_currentTimeMillis, {}), "cancelled");
  EXPECT_TRUE(env.needs_clock);
  const std::int64_t now = 1'500;
  env.clock_millis = &now;
  EXPECT_EQ(run(Id::System_currentTimeMillis, {}), "1500");
  EXPECT_EQ(run(Id::date_new, {}), "#inst \"1970-01-01T00:00:01.500Z\"");
}

}  // namespace
}  // namespace ptc
