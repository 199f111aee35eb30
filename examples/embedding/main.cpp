#include <cstdio>

#include "runtime/session.h"
#include "vm/value/string.h"

int main() {
  const ptc::Engine engine;                  // compiles and keeps programs; shared by threads
  ptc::SessionOptions options;
  options.limits.fuel = 100'000;             // a budget of work, the same on every machine
  ptc::Session session(engine, options);     // one run after another, on one thread at a time
  session.load_context(R"({"names" ["Ada" "Grace"]})");
  ptc::ToolDefinition greeting;
  greeting.name = "greeting";
  session.tools().add(greeting, [](const ptc::ToolCall& call) {
    return ptc::ToolReply::value(ptc::string_of(call.heap, "hello"));
  });
  const ptc::Outcome outcome = session.turn(R"((str (tool/greeting) " " (join " and " data/names)))");
  if (outcome.status == ptc::OutcomeStatus::Error) {
    std::fputs(ptc::render_fault(outcome.fault).c_str(), stderr);
    return 1;
  }
  std::printf("%s\n", outcome.value_edn.c_str());   // "hello Ada and Grace"
}
