// Traces for other programs: Chrome, OpenTelemetry, and the record of a run. That they are JSON as those programs want
// it is looked at in tests/cli/trace_test.py.
#include <gtest/gtest.h>

#include <set>

#include "runtime/trace/chrome_trace.h"
#include "runtime/trace/otlp_trace.h"
#include "runtime/trace/step_record.h"
#include "runtime/trace/trace_ids.h"
#include "tests/unit/runtime/trace/trace_fixture.h"

namespace ptc {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ChromeTrace, of_nothing_is_an_empty_list) { EXPECT_EQ(chrome_trace({}), "[]\n"); }

TEST(ChromeTrace, shows_calls_as_complete_and_operations_as_asynchronous) {
  const TraceLines lines = suspended_and_resumed();
  const std::string text = chrome_trace(fold_runs(lines.events()));
  EXPECT_TRUE(has(text, R"x({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"pay.ptc (r)"}})x"));
  EXPECT_TRUE(has(text, R"({"ph":"X","name":"pay","pid":1,"tid":3,"cat":"tool","ts":1001000,"dur":2000,)"
                      R"("args":{"id":"c1","status":"ok","task":"pay_bob","args":"{\"n\" 1}","value":"7"}})")) << text;
  EXPECT_TRUE(has(text, R"({"ph":"b","name":"ask","pid":1,"tid":1,"cat":"operation","ts":1004000,"id":"r/op1",)"));
  EXPECT_TRUE(has(text, R"({"ph":"e","name":"ask","pid":1,"tid":1,"cat":"operation","ts":9000100,"id":"r/op1",)"));
  EXPECT_TRUE(has(text, R"({"ph":"i","name":"print","pid":1,"tid":1,"cat":"event","ts":1000100,"s":"t",)"
                        R"("args":{"text":"hello"}})"));
}

TEST(ChromeTrace, calls_beside_each_other_have_lanes_of_their_own) {
  TraceLines lines;
  const auto call = [&lines](const char* id, std::uint64_t from, std::uint64_t to) {
    const std::string members = "\"name\":\"t\",\"id\":\"" + std::string(id) + '"';
    lines.add(from, "tool_start", members).add(to, "tool_end", members);
  };
  call("c1", 10, 40);
  call("c2", 20, 30);
  call("c3", 30, 35);     // where c2 was
  call("c4", 41, 42);     // there, too: it is free for the longest time
  const std::string text = chrome_trace(fold_runs(lines.events()));
  EXPECT_EQ(count_of(text, "\"ph\":\"X\",\"name\":\"t\",\"pid\":1,\"tid\":2,"), 1u) << text;
  EXPECT_EQ(count_of(text, "\"ph\":\"X\",\"name\":\"t\",\"pid\":1,\"tid\":3,"), 3u);
  EXPECT_EQ(count_of(text, "calls 2"), 1u);
  EXPECT_EQ(count_of(text, "calls 3"), 0u);
}

TEST(ChromeTrace, an_operation_that_waits_has_no_end) {
  TraceLines lines;
  lines.add(10, "open", R"("id":"op1","name":"ask")").add(20, "suspend");
  const std::string text = chrome_trace(fold_runs(lines.events()));
  EXPECT_EQ(count_of(text, "\"ph\":\"b\""), 1u);
  EXPECT_EQ(count_of(text, "\"ph\":\"e\""), 0u);
}

TEST(TraceIds, depend_on_run_and_event_alone) {
  EXPECT_EQ(trace_id_of("r"), trace_id_of("r"));
  EXPECT_NE(trace_id_of("r"), trace_id_of("s"));
  EXPECT_EQ(trace_id_of("r").size(), 32u);
  const TraceLines lines = suspended_and_resumed();
  const std::vector<TraceEvent> second_process(lines.events().begin() + 7, lines.events().end());
  const auto whole = fold_runs(lines.events()), part = fold_runs(second_process);
  SpanIds ids("r"), ids_of_part("r");
  std::set<std::string> of_whole;
  for (const TraceSpan& span : whole[0].spans) of_whole.insert(ids.of(span));
  EXPECT_EQ(of_whole.size(), whole[0].spans.size());
  EXPECT_EQ(of_whole.count(ids_of_part.of(part[0].root())), 1u);
  EXPECT_EQ(of_whole.count(ids_of_part.of(part[0].spans.back())), 1u);    // the call c1 of the second process
}

TEST(TraceIds, equal_spans_have_different_ids) {
  TraceSpan span;
  span.kind = SpanKind::Tool;
  span.id = "c1";
  SpanIds ids("r");
  const std::string first = ids.of(span);
  EXPECT_EQ(first.size(), 16u);
  EXPECT_NE(first, ids.of(span));
}

TEST(OtlpTrace, is_a_request_of_spans_with_parents) {
  const TraceLines lines = suspended_and_resumed();
  const auto runs = fold_runs(lines.events());
  const std::string text = otlp_trace(runs, "my \"agent\"");
  EXPECT_EQ(text.find(R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":)"
                      R"({"stringValue":"my \"agent\""}}]},"scopeSpans":[{"scope":{"name":"ptcvm","version":)"), 0u)
      << text;
  EXPECT_EQ(count_of(text, "\"traceId\":\"" + trace_id_of("r") + '"'), runs[0].spans.size());
  EXPECT_EQ(count_of(text, "\"parentSpanId\""), runs[0].spans.size() - 1);
  EXPECT_TRUE(has(text, R"("name":"tool pay","kind":3,"startTimeUnixNano":"1001000000",)"
                        R"("endTimeUnixNano":"1003000000")"));
  EXPECT_TRUE(has(text, R"("status":{"code":2,"message":"refused"}})"));
  EXPECT_TRUE(has(text, R"({"key":"ptcvm.fuel","value":{"intValue":"25"}})"));
  EXPECT_TRUE(has(text, R"("events":[{"timeUnixNano":"1000100000","name":"print","attributes":)"
                      R"([{"key":"ptcvm.text","value":{"stringValue":"hello"}}]}])"));
}

TEST(OtlpTrace, says_why_a_run_failed) {
  TraceLines lines;
  lines.add(1, "run_start").add(2, "fault", R"("kind":"type_error","error":"no number","line":3,"column":4)");
  lines.add(3, "run_end", R"("status":"error","fuel":18446744073709551615)");
  const std::string text = otlp_trace(fold_runs(lines.events()), "s");
  EXPECT_TRUE(has(text, R"("name":"exception","attributes":[)"
                        R"({"key":"exception.type","value":{"stringValue":"type_error"}})")) << text;
  EXPECT_TRUE(has(text, R"("status":{"code":2,"message":"no number"})"));
  EXPECT_TRUE(has(text, R"({"key":"ptcvm.fuel","value":{"intValue":"9223372036854775807"}})"));
}

std::string step_of(const TraceLines& lines) { return step_record(fold_runs(lines.events())[0]); }

TEST(StepRecord, of_a_run_that_returned) {
  EXPECT_EQ(step_of(suspended_and_resumed()),
            "{\"run\":\"r\",\"trace_id\":\"" + trace_id_of("r") + R"(","status":"ok","return":[1,"x"],"fail":null,)"
            R"("journal":{"pay_bob":7,"wait":true},"prints":["hello"],"tool_calls":[)"
            R"({"id":"c1","name":"pay","args":{"n":1},"result":7,"error":null,"status":"ok",)"
            R"("timestamp":"1970-01-01T00:00:01.001Z","duration_ms":2},)"
            R"({"id":"c1","name":"pay","args":{"n":2},"result":null,"error":"refused","status":"error",)"
            R"("timestamp":"1970-01-01T00:00:09.000300Z","duration_ms":0}],)"
            R"("operations":[{"id":"op1","name":"ask","args":{},"result":true,"error":null,"status":"ok",)"
            R"("timestamp":"1970-01-01T00:00:01.004Z","duration_ms":7996}],)"
            R"("usage":{"duration_ms":5,"memory_bytes":300,"fuel":25,"turns":1}})");
}

TEST(StepRecord, of_a_fault) {
  TraceLines lines;
  lines.add(1, "run_start").add(2, "fault", R"("kind":"type_error","error":"no number","line":3,"column":4)");
  lines.add(3, "run_end", R"("status":"error")");
  const std::string step = step_of(lines);
  EXPECT_TRUE(has(step, R"("status":"error","return":null,"fail":)"
                        R"({"reason":"type_error","message":"no number","line":3,"column":4})")) << step;
}

TEST(StepRecord, of_a_limit) {
  TraceLines lines;
  lines.add(1, "run_start").add(2, "limit", R"("name":"fuel_exhausted","text":"no fuel","line":3,"column":4)");
  lines.add(3, "run_end", R"("status":"error")");
  EXPECT_TRUE(has(step_of(lines), R"("fail":{"reason":"fuel_exhausted","message":"no fuel","line":3,"column":4})"));
  EXPECT_TRUE(has(otlp_trace(fold_runs(lines.events()), "s"), R"("status":{"code":2,"message":"no fuel"})"));
}

TEST(StepRecord, of_what_fail_was_given) {
  const auto fail_of = [](std::string_view members) {
    const std::string step = step_of(TraceLines().add(1, "run_end", members));
    const std::size_t from = step.find("\"fail\":");
    return step.substr(from, step.find(",\"journal\"") - from);
  };
  EXPECT_EQ(fail_of(R"("status":"fail","value":"{:reason :no_money :message \"none left\"}")"),
            R"("fail":{"reason":"no_money","message":"none left","details":)"
            R"({"message":"none left","reason":"no_money"}})");
  EXPECT_EQ(fail_of(R"("status":"fail","value":"\"why\"")"),
            R"("fail":{"reason":"fail","message":"\"why\"","details":"why"})");
  EXPECT_EQ(fail_of(R"x("status":"fail","value":"(((")x"),
            R"x("fail":{"reason":"fail","message":"(((","details":"((("})x");
}

TEST(StepRecord, of_a_run_that_waits_or_was_killed) {
  TraceLines lines;
  lines.add(1, "run_start").add(2, "open", R"("id":"op1","name":"ask")");
  EXPECT_TRUE(has(step_of(lines), R"("status":"running","return":null,"fail":null)"));
  lines.add(3, "suspend", R"("fuel":7)");
  EXPECT_TRUE(has(step_of(lines), R"("status":"suspended","return":null,"fail":null)"));
  EXPECT_TRUE(has(step_of(lines), R"("fuel":7,)"));
}

TEST(StepRecord, a_task_that_was_reset_is_in_no_journal) {
  TraceLines lines;
  lines.add(1, "commit", R"("task":"a","value":"1")").add(2, "commit", R"("task":"b","value":"#{1}")");
  lines.add(3, "reset", R"("task":"a")");
  EXPECT_TRUE(has(step_of(lines), R"("journal":{"b":[1]})"));
}

}  // namespace
}  // namespace ptc
