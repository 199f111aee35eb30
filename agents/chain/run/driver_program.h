// The program that drives a task: intent, context, plan, steps, replanning, report. It is the same for every task.
//
// It calls tools of the executor, which knows the results of the steps from the log of their run.
//   chain_intent, chain_context {}                               text
//   chain_begin {"intent" text "context" text}                   nil; tells a new process what was known
//   chain_plan {"revision" n "attempt" n "problem" text}         the reply of the planner, text
//   chain_check {"revision" n "attempt" n "reply" text}
//       {} when the plan is right; {"again" text}: ask once more; {"error" text}: the task fails; {"refused" text}: the
//       plan before stays
//   chain_steps {"revision" n}                                   {"replan" bool "notes" [text …] "error" text}
//   chain_report {"revision" n "of" n "notes" [text …] "error" text}
//       the report, as text; "of" is the revision that it tells, when that is another one
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ptcvm::chain {

// Returns the source for a task.
std::string driver_source(std::string_view task_id);
// Returns the source for a task that a person wants to be planned again: the first revision to make, and the one that
// was executed last (0: none was).
std::string driver_source(std::string_view task_id, std::uint32_t revision, std::uint32_t executed);

// Returns the program that waits for what a person says about the finished task. It takes the signal "reply" and calls
// chain_feedback {"reply" text}, which gives the feedback as JSON text.
std::string feedback_source(std::string_view task_id);

}  // namespace ptcvm::chain
