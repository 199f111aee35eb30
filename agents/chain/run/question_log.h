// What a task asks people, and what they have said, read from its log without going on with the task.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/chain/plan/plan.h"
#include "agents/chain/risk/operation.h"
#include "ptcvm/result.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm::chain {

struct LoggedQuestion {
  enum class Kind : std::uint8_t { Confirm, Doubt };
  Kind kind{};
  std::string key;             // as ChainOperation::key
  std::uint64_t attempt = 1;   // Doubt: how often the call was made
  std::string step, tool;      // the tool of a call in doubt, as the plan has it
  // STEP@DIGEST names this question, and none that the step has asked before. A call in doubt of the agent of a step
  // has the path of the doubt: STEP/doubt:TOOL, and STEP@REVISION/doubt:TOOL in later revisions.
  std::string name;
  std::string text;            // for a person
  bool is_only = true;         // the step has asked nothing before: its id alone names the question
  bool is_answered = false, is_approved = false;   // Confirm
  std::string said, by;        // the answer when it is no yes; who gave the answer, or ""
};

// Returns what a person is asked about a call; `args_edn` is what the gate was asked.
std::string asked_text(const PlanStep& step, const std::string& args_edn, std::string_view signature);

// Returns STEP@DIGEST for a question to confirm a call, or for a call in doubt.
std::string question_name(std::string_view step, std::string_view key);
std::string doubt_name(std::string_view step, std::string_view key, std::uint64_t attempt);

// Returns the name of a doubt of the agent of a step, which waits for `path`.
std::string agent_doubt_name(std::string_view step, std::uint32_t revision, std::string_view path);

// Returns a Question to confirm a call, or a Doubt, as a question.
LoggedQuestion asked_question(const ChainOperation& operation);

// Returns the questions of the revision under way and of those before it, in their order, and then the calls in doubt.
// A task that has its report has no open ones.
Result<std::vector<LoggedQuestion>> read_questions(const Store& store, std::string_view task_id);

}  // namespace ptcvm::chain
