// Events of traces as lines of JSON: lossless both ways, and what is no event is refused with a reason.
#include "runtime/trace/trace_event.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

std::string line_of(const TraceEvent& event) {
  std::string out;
  append_trace_line(out, event);
  return out;
}

TraceEvent read_well(std::string_view line) {
  auto read = read_trace_line(line);
  const auto* const refusal = std::get_if<TraceRefusal>(&read);
  EXPECT_EQ(refusal == nullptr ? "" : refusal->message, "") << line;
  return refusal == nullptr ? std::get<TraceEvent>(read) : TraceEvent();
}

std::string refusal_of(std::string_view line) {
  auto read = read_trace_line(line);
  const auto* const refusal = std::get_if<TraceRefusal>(&read);
  return refusal == nullptr ? "" : refusal->message;
}

TraceEvent full_event(TraceKind kind) {
  TraceEvent event;
  event.kind = kind;
  event.seq = UINT64_MAX;
  event.t = kLastTraceMicros;
  event.run = "run \"é\"\n";
  event.turn = 3;
  event.name = "search";
  event.id = "c1";
  event.operation = "op1";
  event.task = "pay_bob";
  event.path = "0.1";
  event.line = 12;
  event.column = 5;
  event.attempt = 2;
  event.args = "{\"q\" \"x\"}";
  event.value = "";
  event.text = "";
  event.error = "\x01";
  event.stack = "f 3:1";
  event.found = "{:cents 5}";
  event.fault = "tool_error";
  event.status = "ok";
  event.cached = false;
  event.micros = 0;
  event.fuel = UINT64_MAX;
  event.bytes = 1;
  return event;
}

TEST(TraceEvent, every_kind_is_read_as_it_was_written) {
  for (int k = 0; k <= static_cast<int>(TraceKind::Other); ++k) {
    TraceEvent event = full_event(static_cast<TraceKind>(k));
    if (event.kind == TraceKind::Other) event.event = "from-the-future";
    EXPECT_EQ(read_well(line_of(event)), event) << event.kind_name();
    EXPECT_EQ(trace_kind_of(event.kind_name()), event.kind);
    TraceEvent bare;
    bare.kind = event.kind;
    bare.event = event.event;
    bare.seq = 1;
    bare.run = "r";
    EXPECT_EQ(read_well(line_of(bare)), bare) << event.kind_name();
  }
}

TEST(TraceEvent, is_one_line_with_its_members_in_order) {
  TraceEvent event;
  event.kind = TraceKind::ToolEnd;
  event.seq = 7;
  event.t = 1'700'000'000'000'001;
  event.run = "may";
  event.turn = 1;
  event.name = "search";
  event.id = "c1";
  event.value = "[1\n2]";
  event.cached = true;
  event.micros = 12;
  EXPECT_EQ(line_of(event),
            "{\"seq\":7,\"t\":1700000000000001,\"event\":\"tool_end\",\"run\":\"may\",\"turn\":1,\"name\":\"search\","
            "\"id\":\"c1\",\"value\":\"[1\\n2]\",\"cached\":true,\"micros\":12}\n");
}

TEST(TraceEvent, unknown_members_are_passed_over_and_unknown_kinds_kept) {
  const TraceEvent event =
      read_well(R"({"seq":1,"t":2,"event":"gc","run":"r","new":{"deep":[1,{"x":null}]},"text":"t"})");
  EXPECT_EQ(event.kind, TraceKind::Other);
  EXPECT_EQ(event.event, "gc");
  EXPECT_EQ(event.text, "t");
  EXPECT_EQ(line_of(event), "{\"seq\":1,\"t\":2,\"event\":\"gc\",\"run\":\"r\",\"text\":\"t\"}\n");
}

TEST(TraceEvent, malformed_utf8_is_repaired_when_written) {
  TraceEvent event = full_event(TraceKind::Print);
  event.text = "a\xff";
  EXPECT_EQ(read_well(line_of(event)).text, "a\xef\xbf\xbd");
}

TEST(TraceEvent, what_is_no_event_is_refused_with_a_reason) {
  const auto with = [](std::string_view member) {
    return R"({"seq":1,"t":2,"event":"print","run":"r",)" + std::string(member) + "}";
  };
  EXPECT_EQ(refusal_of(R"({"seq":1,"t":2,"event":"print","run":"r"})"), "");
  EXPECT_EQ(refusal_of(R"({"seq":1,"t":2,"event":"pri)"), "the line is cut off");
  EXPECT_EQ(refusal_of(""), "the line is cut off");
  EXPECT_EQ(refusal_of("[1]"), "no JSON object");
  EXPECT_EQ(refusal_of("{} {}").substr(0, 8), "no JSON:");
  EXPECT_EQ(refusal_of("{\"event\":\"\xff\"}").substr(0, 8), "no JSON:");
  EXPECT_EQ(refusal_of(R"({"seq":1,"t":2,"run":"r"})"), "member event must be a text that says what happened");
  EXPECT_EQ(refusal_of(R"({"seq":1,"t":2,"event":"","run":"r"})"),
            "member event must be a text that says what happened");
  EXPECT_EQ(refusal_of(R"({"seq":1,"t":2,"event":3,"run":"r"})"), "member event must be a text");
  EXPECT_EQ(refusal_of(R"({"t":2,"event":"print","run":"r"})"), "member seq must be a whole number from 1");
  EXPECT_EQ(refusal_of(R"({"seq":1,"event":"print","run":"r"})"), "member t must be microseconds since 1970");
  EXPECT_EQ(refusal_of(R"({"seq":1,"t":2,"event":"print"})"), "member run must be the id of a run");
  EXPECT_EQ(refusal_of(R"({"seq":1,"t":-2,"event":"print","run":"r"})"), "member t must be a whole number from 0");
  EXPECT_EQ(refusal_of(R"({"seq":1,"t":253402300800000000,"event":"print","run":"r"})"),
            "member t must be microseconds since 1970, before the year 10000");
  EXPECT_EQ(refusal_of(with(R"("micros":1e300)")), "member micros must be a whole number from 0");
  EXPECT_EQ(refusal_of(with(R"("micros":18446744073709551615)")), "member micros must be microseconds");
  EXPECT_EQ(refusal_of(with(R"("line":1.5)")), "member line must be a whole number from 0");
  EXPECT_EQ(refusal_of(with(R"("fuel":null)")), "member fuel must be a whole number from 0");
  EXPECT_EQ(refusal_of(with(R"("cached":"yes")")), "member cached must be true or false");
  EXPECT_EQ(refusal_of(with(R"("value":{})")), "member value must be a text");
}

TEST(TraceEvent, deep_and_long_lines_are_refused) {
  const std::string deep = R"({"x":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_EQ(refusal_of(deep).substr(0, 8), "no JSON:");
  EXPECT_EQ(refusal_of(std::string(kMostTraceLineBytes + 1, ' ')), "the line is too long");
}

TEST(TraceEvent, no_prefix_of_a_line_and_no_changed_byte_does_harm) {
  const std::string line = line_of(full_event(TraceKind::Fault));
  for (std::size_t size = 0; size + 1 < line.size(); ++size) {
    EXPECT_NE(refusal_of(std::string_view(line).substr(0, size)), "") << size;
  }
  for (std::size_t at = 0; at < line.size(); ++at) {
    for (const char c : {'\0', '"', '{', '}', '9', '\xff'}) {
      std::string changed = line;
      changed[at] = c;
      auto read = read_trace_line(changed);
      const auto* const event = std::get_if<TraceEvent>(&read);
      if (event == nullptr) continue;
      EXPECT_EQ(read_well(line_of(*event)), *event) << changed;
    }
  }
}

}  // namespace
}  // namespace ptc
