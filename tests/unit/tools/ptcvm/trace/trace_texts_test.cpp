// Durations and texts that are cut, as tables of the command line show them.
#include <gtest/gtest.h>

#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/text_table.h"
#include "tools/ptcvm/trace/trace_show.h"

namespace ptcvm::cli {
namespace {

TEST(DurationText, has_the_unit_that_fits) {
  const std::pair<std::uint64_t, const char*> cases[] = {
      {0, "0 us"},           {999, "999 us"},       {1'000, "1.0 ms"},         {12'345, "12.3 ms"},
      {999'999, "999.9 ms"}, {1'000'000, "1.0 s"},  {119'999'999, "119.9 s"},  {120'000'000, "2 min"},
      {7'200'000'000, "2 h"}, {172'800'000'000, "2 d"}, {UINT64_MAX, "213503982 d"}};
  for (const auto& [micros, text] : cases) EXPECT_EQ(duration_text(micros), text);
}

TEST(CutText, ends_at_the_border_of_a_character) {
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("abcd", 3), "abc…");
  EXPECT_EQ(cut_text("aéb", 2), "a…");
  EXPECT_EQ(cut_text("aéb", 3), "aé…");
  EXPECT_EQ(cut_text("\x80\x80\x80", 2), "…");
}

TEST(ShowEvents, colours_whole_rows_when_asked) {
  std::vector<ptc::TraceEvent> events(2);
  events[0].kind = ptc::TraceKind::Print;
  events[0].text = "hello";
  events[1].kind = ptc::TraceKind::Fault;
  events[1].error = "no";
  events[1].t = 1'234;
  const std::vector<const ptc::TraceEvent*> shown = {&events[0], &events[1]};
  EXPECT_EQ(show_events(shown, false), "   MS  EVENT  WHAT\n0.000  print  hello\n1.234  fault  no\n");
  EXPECT_EQ(show_events(shown, true), "   MS  EVENT  WHAT\n0.000  print  hello\n\033[31m1.234  fault  no\033[0m\n");
  EXPECT_EQ(show_events({}, true), "");
}

}  // namespace
}  // namespace ptcvm::cli
