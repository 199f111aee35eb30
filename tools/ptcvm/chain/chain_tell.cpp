#include "tools/ptcvm/chain/chain_tell.h"

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <utility>

#include "agents/chain/plan/tool_signatures.h"
#include "agents/chain/risk/confirmation.h"
#include "tools/ptcvm/agent/agent_tell.h"
#include "tools/ptcvm/chain/chain_agent_doubts.h"
#include "tools/ptcvm/chain/chain_job_log.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;
using chain::LoggedQuestion;

constexpr const char* kTold = ": the worker that goes on is told\n";

// Returns what a letter says, as a person would.
std::string said_text(const ChainLetter& letter) {
  if (!letter.doubt) return letter.answer;
  return doubt_words(*letter.doubt, letter.output);
}

bool says_the_same(const ChainLetter& one, const ChainLetter& other) {
  if (one.doubt || other.doubt) return one.doubt == other.doubt && one.output == other.output;
  const auto said = chain::read_confirmation(one.answer), before = chain::read_confirmation(other.answer);
  return said.is_approved == before.is_approved && said.is_lasting == before.is_lasting;
}

// Returns the letter; nullopt after a message.
std::optional<ChainLetter> letter_of(const LoggedQuestion& question, const ChainAnswer& answer) {
  if (question.kind == LoggedQuestion::Kind::Confirm) return ChainLetter{question.key, 1, answer.text, {}, {}, {}};
  auto said = read_doubt(answer);
  if (!said) return std::nullopt;
  return ChainLetter{question.key, question.attempt, {}, said->answer, std::move(said->output), {}};
}

}  // namespace

std::string doubt_fault(const ChainSetup& setup, const std::string& id, const LoggedQuestion& question,
                        SaidDoubt& said) {
  if (said.answer != DoubtAnswer::Happened) return {};
  std::string message;
  const auto options = setup.options(id, message);
  return options ? chain::fit_output(*options, question.tool, said.output) : message;
}

int tell_chain(const StoreCommand& command, Store& store, const ChainSetup& setup, const ChainAnswer& answer) {
  const std::string& id = command.options().id;
  int status = kSuccess;
  const auto question = chosen_question(command.options(), store, answer, status);
  if (!question) return status;
  if (question->is_answered) {
    std::cout << id << ": " << question->name << " was answered so before\n";
    return kSuccess;
  }
  auto letter = letter_of(*question, answer);
  if (!letter) return kBadInput;
  const auto letters = ChainJobLog::letters_in(store, id);
  if (!letters) return complain_of_store(letters.error());
  for (const ChainLetter& before : *letters) {
    if (before.key != letter->key || before.attempt != letter->attempt) continue;
    if (!says_the_same(*letter, before)) return refuse_second(question->name, before.by, said_text(before));
    std::cout << id << kTold;
    return kSuccess;
  }
  const auto queued = queued_agent(store, id);
  if (!queued || is_over(*queued)) return refuse_step(answer.step);
  if (letter->doubt) {
    SaidDoubt said{*letter->doubt, std::move(letter->output)};
    const std::string fault = doubt_fault(setup, id, *question, said);
    if (!fault.empty()) return refuse_input(fault);
    letter->output = std::move(said.output);
  }
  letter->by = command.by();
  if (const auto told = ChainJobLog::tell(store, id, *letter, now_millis()); !told) {
    return complain_of_store(told.error());
  }
  std::cout << id << kTold;
  return kSuccess;
}

}  // namespace ptcvm::cli
