// Questions of a task: how they are shown, and which one an answer is about.
#pragma once
#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include "agents/chain/run/question_log.h"
#include "ptcvm/store.hpp"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

// What `ptcvm chain answer` says. `step` is the id of a step, or the name of its question: STEP@DIGEST.
struct ChainAnswer {
  std::string step, text, happened;
  bool did_not = false, give_up = false;
};

// Reads what became of a call in doubt. Returns nullopt after a message: nothing was said, or no JSON.
struct SaidDoubt {
  DoubtAnswer answer;
  boost::json::value output;
};
std::optional<SaidDoubt> read_doubt(const ChainAnswer& answer);

// Returns the question and the command that answers it, in two lines.
std::string asked_lines(const StoreOptions& store, const std::string& id, const chain::LoggedQuestion& question);

// Says that the step waits for nobody, and returns the exit status.
int refuse_step(const std::string& step);
// Says that the question has another answer already, and returns the exit status.
int refuse_second(const std::string& name, const std::string& by, const std::string& first);

// Returns the question of the task that the answer is about; nullopt after a message. One that is answered has this
// very answer: the same answer twice is one.
std::optional<chain::LoggedQuestion> chosen_question(const StoreOptions& place, const Store& store,
                                                     const ChainAnswer& answer, int& status);

}  // namespace ptcvm::cli
