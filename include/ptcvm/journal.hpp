// What the log of a stored run says, as data: Store::journal() reads it, from any process, also while the run is
// executed. Everything in a RunJournal is owned, so it outlives the store and goes to other threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptcvm/config.hpp"
#include "ptcvm/tools.hpp"

namespace ptcvm {

// How much of a log is read. Reading Notable takes as long for a long log as for a short one.
enum class JournalExtent : std::uint8_t {
  Notable,   // everything except tasks and calls
  Whole,     // everything
};

// A value of the journal: a task of that id has it.
struct JournalTask {
  std::string id, value_edn;   // the id of the task; its value
  std::string by;              // who put the value there; "": the program
};

// A call with effects, as its newest attempt left it.
struct JournalCall {
  std::string key;             // the idempotency key: for Store::settle()
  std::string tool, args_edn;  // the name of the tool; its arguments
  std::string task;            // the innermost task of the call, or ""
  // "intended" (the tool may have been called), "committed", "failed", "partial", "pending" (it started an operation),
  // "in_doubt" (a call that may be made again is "failed" instead), "not_done" and "given_up" (a person said so),
  // "reset" (its task is done again).
  std::string state;
  std::string value_edn, text;   // the answer, or ""; why it failed or is in doubt, or ""
  std::uint64_t attempt = 0;
  Effect effect{};             // the effect class of the tool
  std::string errors = {};     // what the tool wrote to its standard error, the last 4,096 bytes of it, or ""
};

// An operation that the program started or that somebody answered.
struct JournalOperation {
  std::string id, tool, args_edn;   // the id of the operation; the tool that started it, and its arguments
  bool is_opened = false;      // false: it was answered before the program started it
  std::int64_t since_ms = 0;   // when it was started, in ms since 1970
  std::string status;          // "" while it waits; then "ok", "error" or "cancelled"
  std::string value_edn, text, by;   // its answer, or why there is none; who gave the answer
};

// A step of the plan that the run was begun with.
struct JournalStep {
  std::string id, description;   // what (step-done id) names; what the step is about
};

// Reads a plan from EDN: a vector of texts, or of pairs [id description]. invalid_value: the message says why.
PTCVM_API Result<std::vector<JournalStep>> read_plan(std::string_view edn);

// What a log says. A run that nobody knows has a journal without facts.
struct RunJournal {
  std::string run;                             // its id
  std::uint64_t facts = 0;                     // in the log
  std::uint64_t turn = 0;                      // that was begun last, from 1; 0: the run never began
  bool is_over = false;                        // the last turn has ended, and none began after it
  std::vector<JournalTask> tasks;              // Whole only; in the order of their commits
  std::vector<JournalCall> calls;              // Whole only; in the order in which they were first made
  std::vector<JournalOperation> operations;    // in the order of their opening
  std::vector<JournalStep> plan;               // empty: the run has no plan
  std::vector<std::pair<std::string, std::string>> summaries;   // of steps that are done: id, summary
};

// Returns {"id" value …}: the tasks, as Run::journal_edn() has them.
PTCVM_API std::string journal_edn(const RunJournal& journal);
// Returns one JSON object: run, turn, over, tasks, effects, operations.
PTCVM_API std::string journal_json(const RunJournal& journal);
// Returns the mission log, Markdown for a model or a person: a line for each task, "" when there is none. Values longer
// than `most` characters are cut.
PTCVM_API std::string mission_log(const RunJournal& journal, std::size_t most = 200);
// Returns the plan as a Markdown checklist, "" without a plan.
PTCVM_API std::string checklist(const RunJournal& journal);

}  // namespace ptcvm
