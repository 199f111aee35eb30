#include "tools/ptcvm/chain_tell.h"

#include <boost/json.hpp>
#include <iostream>
#include <utility>

#include "agents/chain/confirmation.h"
#include "agents/chain/plan_program.h"
#include "agents/chain/steps_run.h"
#include "tools/ptcvm/agent_tell.h"
#include "tools/ptcvm/chain_job_log.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/moments.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

// Returns the letter about the doubt or the question of the step; nullopt after a message. `status` is then what the
// command ends with.
std::optional<ChainLetter> letter_of(const Store& store, const std::string& id, const ChainAnswer& answer,
                                     int& status) {
  const std::string steps = chain::steps_run_id(id);
  const auto doubts = store.doubts(steps);
  if (!doubts) return status = complain_of_store(doubts.error()), std::nullopt;
  for (const JournalCall& doubt : *doubts) {
    if (chain::step_of_key(doubt.task, id) != answer.step) continue;
    auto said = read_doubt(answer);
    if (!said) return status = kBadInput, std::nullopt;
    return ChainLetter{doubt.key, doubt.attempt, {}, said->answer, std::move(said->output), {}};
  }
  const auto detail = store.detail(steps);
  if (!detail) return status = complain_of_store(detail.error()), std::nullopt;
  for (const std::string& key : detail->waits_for) {
    const auto question = chain::read_confirmation_id(key);
    if (!question || question->step != answer.step) continue;
    if (answer.text.empty()) {
      return status = refuse_input("step " + answer.step + " asks: say yes, always or no"), std::nullopt;
    }
    return ChainLetter{key, 1, answer.text, {}, {}, {}};
  }
  status = refuse_step(answer.step);
  return std::nullopt;
}

}  // namespace

int refuse_step(const std::string& step) {
  return refuse_input("the step " + step + " waits for nobody; see ptcvm chain show");
}

std::optional<SaidDoubt> read_doubt(const ChainAnswer& answer) {
  if (!answer.happened.empty()) {
    boost::system::error_code error;
    json::value output = json::parse(answer.happened, error);
    if (error) refuse_input("--happened: JSON is wanted");
    if (error) return std::nullopt;
    return SaidDoubt{DoubtAnswer::Happened, std::move(output)};
  }
  if (answer.give_up) return SaidDoubt{DoubtAnswer::GiveUp, {}};
  if (answer.did_not) return SaidDoubt{DoubtAnswer::DidNot, {}};
  refuse_input("step " + answer.step + " is in doubt: say --happened JSON, --did-not or --give-up");
  return std::nullopt;
}

int tell_chain(const StoreCommand& command, Store& store, const ChainAnswer& answer) {
  const std::string& id = command.options().id;
  if (!queued_agent(store, id)) return refuse_step(answer.step);
  int status = kSuccess;
  auto letter = letter_of(store, id, answer, status);
  if (!letter) return status;
  letter->by = command.by();
  if (const auto told = ChainJobLog::tell(store, id, *letter, now_millis()); !told) {
    return complain_of_store(told.error());
  }
  std::cout << id << ": the worker that goes on is told\n";
  return kSuccess;
}

}  // namespace ptcvm::cli
