// Runs that wait for operations: what the benchmarks of snapshots write, load and resume.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/workload.h"
#include "runtime/engine/engine.h"
#include "runtime/session/session.h"
#include "vm/exec/run.h"
#include "vm/snapshot/snapshot.h"

namespace ptc::bench {

inline constexpr std::int64_t kNow = 1'767'225'600'000;

// One frame, one operation with its handle and arguments.
inline constexpr const char* kTrivial = "(await (tool/ask {:q \"x\"}))";
// The same, and 10,000 maps of 6 fields in a local: int, string of its own, shared string, int, float, bool.
inline constexpr const char* kRecords =
    "(let [shared (str \"sha\" \"red\")"
    "      rows (mapv (fn [i] {:id i :name (str \"user-\" i) :city shared :age (+ 20 (mod i 60))"
    "                          :score (+ i 0.5) :active (even? i)}) (range 10000))"
    "      answer (await (tool/ask {:q \"x\"}))]"
    "  [answer (count rows)])";
// 100 operations that wait, one await-all.
inline constexpr const char* kPending = "(await-all (mapv (fn [i] (tool/ask {:q i})) (range 100)))";

inline Run suspended(const Engine& engine, const char* source) {
  RunLimits limits;
  limits.loop = 1'000'000;
  Run run(source == std::string_view(kRecords) ? limits : RunLimits{});
  run.set_clock(kNow);
  run.start(compiled(engine, source));
  for (;;) {
    const StepStatus status = run.step();
    if (status == StepStatus::Suspended) return run;
    if (status != StepStatus::NeedsTool) give_up("a benchmark does not suspend");
    while (!run.tool_requests().empty()) {
      const std::uint64_t id = run.tool_requests().front().id;
      if (run.admit(id)) run.answer_pending(id, {});
    }
  }
}

inline HostState host() {
  HostState state;
  state.tools.push_back({"ask", signature_hash("(q :any) -> :any"), "", 1});
  return state;
}

inline RestoreOptions restoring(ProgramSource* programs) {
  RestoreOptions out;
  out.programs = programs;
  out.check = [](const HostState& state) {
    return state.tools.size() == 1 && state.tools[0].name == "ask" ? std::string() : std::string("missing");
  };
  return out;
}

}  // namespace ptc::bench
