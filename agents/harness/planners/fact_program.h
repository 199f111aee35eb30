// A PTC-Lisp program that reads the facts of a conversation and waits for facts. It is a stored run: its tasks are made
// once, whatever becomes of the process, and it may wait for days.
//
// The source has a few more words than the language. They are defined in front of its first line:
//
//   (propose fact)               adds a fact to what the program proposes; the harness fills in missing ids
//   (ask prompt {:qid id})       asks the person, waits, and gives the text of the answer. A question without an id is
//                                asked once until somebody says something. Other options: :required true, :placeholder
//                                and :choices, a list of texts
//   (confirm prompt {:qid id})   does the same, and gives whether the answer was yes
//   (await-fact type key)        waits for a fact: (await-fact :tool_result "op1") gives its result, and
//   (await-fact type key ms)     … gives "timeout" after that time; the deadline is a fact, too (timer_fired).
//                                (await-fact :task id) waits for a value that somebody puts into the journal of the run
//                                (an unknown type, or a key that is no text, is a fault)
//   (facts/status) (facts/public) (facts/open-question) (facts/unsent-draft) (facts/last type)
//                                read the journal; facts/… is another spelling of the tools facts_…
//
// A program that ends with (return facts) proposes these facts instead.
//
// The wait for a fact is (await-signal "type/key"): a fact wakes only the program that waits for it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/harness/conversation/conversation.h"
#include "agents/harness/planners/program_text.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm::harness {

// What a program has besides its conversation.
struct FactProgramOptions {
  std::string id;                // names the stored run; custom is the id of the conversation, "/" and a name
  std::string source;            // the program
  Tools tools = {};              // the tools of the host
  Limits limits = {};
  // Sees what the program waits for, each time before it is looked for in the journal.
  std::function<void(const std::vector<std::string>&)> on_wait = {};
  // Sees the name of a tool of the host that was called outside of a task, unless the tool is pure or idempotent: the
  // next pass calls the tool again.
  std::function<void(const std::string& tool)> on_call_outside = {};
};

// What became of a program.
struct FactProgramEnd {
  enum class Kind : std::uint8_t { Ended, Failed, Waiting, Busy };
  Kind kind = Kind::Ended;
  bool was_over = false;                     // Ended: nothing ran, because the program had ended before
  boost::json::value value = {};             // Ended: the value of the program
  std::vector<ProposedFact> proposed = {};   // Ended: the facts
  std::string unknown_type = {};             // Ended: the type of a proposed fact that no fact has, or ""
  std::string strange = {};                  // Ended: the first thing proposed that is no fact, as JSON, or ""
  std::string error = {};                    // Failed: why, in one line
  std::optional<Diagnostic> fault = {};      // Failed: where, unless the program said (fail …)
  std::vector<std::string> waits = {};       // Waiting: "type/key" of each fact, or the id of an operation
  std::optional<std::int64_t> wake_time_ms = {};   // Waiting: when to go on although no fact came
};

// See the top of this file. `conversation` must outlive the program. Belongs to one thread.
class FactProgram {
 public:
  FactProgram(const Engine& engine, const Store& store, Conversation& conversation, FactProgramOptions options);

  // Goes on until the program ends or waits for a fact that is not there. `begins` begins a new turn when the last one
  // ended. Error: store_failed, and the errors of run_stored().
  Result<FactProgramEnd> go_on(bool begins, std::int64_t now_ms);
  // Ends a turn that waits. Its tasks stay. Returns whether there was one.
  Result<bool> cancel(std::int64_t now_ms);

 private:
  void watch_calls();
  void add_tools();
  void add_ask();
  StoredOptions stored_options(bool begins);
  FactProgramEnd waiting(const StoredOutcome& outcome) const;
  Result<bool> note_waits(const StoredOutcome& outcome);
  Result<bool> hand_in_facts(const std::vector<ProgramWait>& waits);
  FactProgramEnd ended(const StoredOutcome& outcome) const;
  FactProgramEnd failed(const Diagnostic& found) const;

  Engine engine_;
  Store store_;
  Conversation& conversation_;
  FactProgramOptions options_;
  ProgramText text_;
  std::shared_ptr<std::int64_t> now_ms_ = std::make_shared<std::int64_t>(0);   // the tools and the clock see it
  // The generation of the conversation when the program went on: a call of an older one is not made.
  std::shared_ptr<std::uint64_t> generation_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace ptcvm::harness
