// Traces for tests, written as lines; members after t, event and run are in the order of the line.
#pragma once
#include <gtest/gtest.h>

#include "runtime/trace/trace_event.h"

namespace ptc {

class TraceLines {
 public:
  // At `t` microseconds. `members`: JSON text, "" or as in R"("id":"c1","name":"pay")".
  TraceLines& add(std::uint64_t t, std::string_view event, std::string_view members = {}, std::string_view run = "r") {
    std::string line = "{\"seq\":" + std::to_string(events_.size() + 1) + ",\"t\":" + std::to_string(t) +
                       ",\"event\":\"" + std::string(event) + "\",\"run\":\"" + std::string(run) + '"';
    if (!members.empty()) line.append(",").append(members);
    auto read = read_trace_line(line + '}');
    const auto* const refusal = std::get_if<TraceRefusal>(&read);
    EXPECT_EQ(refusal == nullptr ? "" : refusal->message, "") << line;
    if (refusal == nullptr) events_.push_back(std::get<TraceEvent>(std::move(read)));
    return *this;
  }
  const std::vector<TraceEvent>& events() const { return events_; }

 private:
  std::vector<TraceEvent> events_;
};

// A run that pays, asks and is suspended, and goes on in a second process.
inline TraceLines suspended_and_resumed() {
  TraceLines lines;
  lines.add(1'000'000, "run_start", R"("name":"pay.ptc")");
  lines.add(1'000'100, "print", R"("text":"hello")");
  lines.add(1'001'000, "tool_start", R"("id":"c1","name":"pay","task":"pay_bob","args":"{\"n\" 1}")");
  lines.add(1'003'000, "tool_end", R"("id":"c1","name":"pay","task":"pay_bob","value":"7","micros":2000)");
  lines.add(1'003'100, "commit", R"("task":"pay_bob","value":"7")");
  lines.add(1'004'000, "open", R"("id":"op1","name":"ask","task":"wait","path":"0","args":"{}")");
  lines.add(1'005'000, "suspend", R"("status":"suspended","text":"op1","fuel":10,"micros":5000,"bytes":300)");
  lines.add(9'000'000, "resume");
  lines.add(9'000'100, "resolve", R"("id":"op1","name":"ask","status":"ok","value":"true")");
  lines.add(9'000'200, "commit", R"("task":"wait","value":"true")");
  lines.add(9'000'300, "tool_start", R"("id":"c1","name":"pay","args":"{\"n\" 2}")");
  lines.add(9'000'400, "tool_end", R"("id":"c1","name":"pay","error":"refused","micros":100)");
  lines.add(9'000'500, "run_end", R"("status":"ok","value":"[1 \"x\"]","fuel":25,"micros":500,"bytes":200)");
  return lines;
}

}  // namespace ptc
