// Patterns of DateTimeFormatter: how the text of a date or instant is laid out.
//
//   y yyyy u uuuu year (yy: 20yy)   M MM month  MMM Jan  MMMM January   d dd day   D DDD day of the year
//   E EEE Mon  EEEE Monday  e weekday from 1 for Monday   H HH hour  h hh hour from 1 to 12  a AM or PM
//   m mm minute   s ss second   S… fraction of a second   X, twice or three times, offset from UTC (Z, +02, +0200,
//   +02:00)
//   'text' and every other character that is no letter stand for themselves; '' is a quote
//
// One letter takes as many digits as are there. Names are English, and are read in any case. Instants are written in
// UTC, and a text without an offset is read as UTC.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vm/builtins/moment.h"

namespace ptc {

// Longer patterns are refused.
inline constexpr std::size_t kMostPatternBytes = 256;

// Returns why the pattern is refused, or "" when it is good.
std::string check_date_pattern(std::string_view pattern, bool has_time);

// Appends the text of the moment. The pattern has passed check_date_pattern().
void append_by_pattern(std::string& out, std::string_view pattern, const Moment& moment);

// Reads a text that the whole pattern describes: a year, month and day (or day of the year), and a time, 0 where it is
// missing. Returns nullopt when the text does not fit. The pattern has passed check_date_pattern().
std::optional<Moment> read_by_pattern(std::string_view text, std::string_view pattern);

}  // namespace ptc
