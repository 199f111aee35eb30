// The calendar and the ISO-8601 texts.
#include "vm/value/calendar.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

std::string date_text(std::int64_t day) {
  std::string out;
  append_date(out, day);
  return out;
}

TEST(CalendarTest, CountsDays) {
  EXPECT_EQ(days_from_civil({1970, 1, 1}), 0);
  EXPECT_EQ(days_from_civil({2024, 1, 2}), 19'724);
  EXPECT_EQ(days_from_civil({kMinYear, 1, 1}), kMinEpochDay);
  EXPECT_EQ(days_from_civil({kMaxYear, 12, 31}), kMaxEpochDay);
  for (std::int64_t day = -800'000; day < 800'000; day += 13) {
    ASSERT_EQ(days_from_civil(civil_from_days(day)), day);
  }
}

TEST(CalendarTest, ReadsAndWritesDates) {
  for (const char* text : {"2024-02-29", "0000-01-01", "-0001-12-31", "+12345-06-07", "1969-12-31"}) {
    const auto day = parse_date(text);
    ASSERT_TRUE(day.has_value()) << text;
    EXPECT_EQ(date_text(*day), text);
  }
  for (const char* bad : {"2023-02-29", "2024-1-1", "2024-13-01", "2024-00-10", "2024-01-15T", "not-a-date",
                          "", "+2024-01-01", "20240115"}) {
    EXPECT_FALSE(parse_date(bad).has_value()) << bad;
  }
}

TEST(CalendarTest, ReadsStrictInstants) {
  struct Row {
    const char *text, *result;
  };
  const Row rows[] = {
      {"2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z"},
      {"1970-01-01T00:00:00.Z", "1970-01-01T00:00:00Z"},
      {"+00000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"},
      {"2024-01-02T03:04:05.006Z", "2024-01-02T03:04:05.006Z"},
      {"2024-01-02T03:04:05.5Z", "2024-01-02T03:04:05.500Z"},
      {"2024-01-02T03:04:05.0001Z", "2024-01-02T03:04:05.000100Z"},
      {"2024-01-02T03:04:05.123456789Z", "2024-01-02T03:04:05.123456789Z"},
      {"1970-01-01T24:00:00Z", "1970-01-02T00:00:00Z"},
      {"2016-12-31T23:59:60.5Z", "2016-12-31T23:59:59.500Z"},
      {"1970-01-01T01:00:00+01:00", "1970-01-01T00:00:00Z"},
      {"1969-12-31T18:30:00-05:30", "1970-01-01T00:00:00Z"},
      {"+1000000000-12-31T23:59:59.999999999Z", "+1000000000-12-31T23:59:59.999999999Z"},
  };
  for (const Row& row : rows) {
    const auto at = parse_instant(row.text);
    ASSERT_TRUE(at.has_value()) << row.text;
    std::string out;
    append_instant(out, *at);
    EXPECT_EQ(out, row.result);
  }
  for (const char* bad :
       {"1970-01-01T00:00:00+00", "1970-01-01T00:00:00+0000", "1970-01-01T00:00:00+000000",
        "2024-01-02T00:00:00", "1970-01-01T24:00:00.000000001Z", "1970-01-01T00:00Z",
        "1970-01-01T00:00:00.0000000000Z", "2024-01-02", "2024-01-02 00:00:00Z", "not-an-instant",
        "2024-01-02T25:00:00Z", "2024-01-02T00:00:60Z", "2024-01-02T00:00:00+19:00"}) {
    EXPECT_FALSE(parse_instant(bad).has_value()) << bad;
  }
}

TEST(CalendarTest, ReadsLenientInstants) {
  for (const char* text :
       {"2024-01-02", "2024-01-02T00:00Z", "2024-01-02 02:00:00+0200", "2024-01-02T02:00+02"}) {
    const auto at = parse_instant(text, InstantSyntax::Lenient);
    ASSERT_TRUE(at.has_value()) << text;
    EXPECT_EQ(at->seconds, 19'724 * kSecondsPerDay) << text;
  }
  EXPECT_FALSE(parse_instant("2024-01-02T00:00:00", InstantSyntax::Lenient).has_value());
}

TEST(CalendarTest, ReadsAndWritesDurations) {
  for (const char* text :
       {"PT0S", "PT1.5S", "PT-1.5S", "PT-0.5S", "PT8H6M12.345S", "PT-1H-1M-0.000000001S", "PT24H"}) {
    const auto length = parse_duration(text);
    ASSERT_TRUE(length.has_value()) << text;
    std::string out;
    append_duration(out, *length);
    EXPECT_EQ(out, text);
  }
  EXPECT_EQ(parse_duration("-P1DT-1H")->seconds, -82'800);
  for (const char* bad : {"", "P", "PT", "P1DT", "PT1", "PT1S1H", "P1.5D", "1S", "PT1.0000000001S"}) {
    EXPECT_FALSE(parse_duration(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace ptc
