#include "tools/ptcvm/chain/chain_questions.h"

#include <boost/json/parse.hpp>
#include <utility>
#include <vector>

#include "agents/chain/risk/confirmation.h"
#include "tools/ptcvm/calls/tool_errors.h"
#include "tools/ptcvm/chain/chain_agent_doubts.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/text/shell_arguments.h"

namespace ptcvm::cli {
namespace {

using chain::LoggedQuestion;

// Returns whether a person has said the same, as the log has it.
bool is_said_before(const LoggedQuestion& question, const ChainAnswer& answer) {
  if (question.kind == LoggedQuestion::Kind::Doubt) {
    const auto said = read_doubt(answer);
    return said && doubt_words(said->answer, said->output) == question.said;
  }
  const chain::ConfirmationReply reply = chain::read_confirmation(answer.text);
  return reply.is_approved == question.is_approved && !reply.is_lasting;
}

int refuse_stale(const std::string& why) { return refuse_input("stale answer: " + why); }

// Returns the question that is open, else the last one.
const LoggedQuestion* named_question(const std::vector<LoggedQuestion>& questions, const std::string& name) {
  const LoggedQuestion* found = nullptr;
  for (const LoggedQuestion& question : questions) {
    if (question.name != name && question.step != name) continue;
    if (found == nullptr || found->is_answered) found = &question;
  }
  return found;
}

}  // namespace

std::optional<SaidDoubt> read_doubt(const ChainAnswer& answer) {
  if (!answer.happened.empty()) {
    boost::system::error_code error;
    boost::json::value output = boost::json::parse(answer.happened, error);
    if (error) refuse_input("--happened: JSON is wanted");
    if (error) return std::nullopt;
    return SaidDoubt{DoubtAnswer::Happened, std::move(output)};
  }
  if (answer.give_up) return SaidDoubt{DoubtAnswer::GiveUp, {}};
  if (answer.did_not) return SaidDoubt{DoubtAnswer::DidNot, {}};
  refuse_input("step " + answer.step + " is in doubt: say --happened JSON, --did-not or --give-up");
  return std::nullopt;
}

std::string asked_lines(const StoreOptions& store, const std::string& id, const LoggedQuestion& question) {
  const bool is_doubt = question.kind == LoggedQuestion::Kind::Doubt;
  return harmless_text(question.text) + "\n  ptcvm chain answer " + store_words(store) + " --id " + shell_quoted(id) +
         ' ' + shell_quoted(question.name) + (is_doubt ? " --happened JSON | --did-not | --give-up\n" : " yes\n");
}

int refuse_step(const std::string& step) {
  return refuse_input("the step " + step + " waits for nobody; see ptcvm chain show");
}

int refuse_second(const std::string& name, const std::string& by, const std::string& first) {
  return refuse_input("already_resolved: " + name + " was answered before" + (by.empty() ? "" : " by " + by) + ": " +
                      first);
}

std::optional<LoggedQuestion> chosen_question(const StoreOptions& place, const Store& store,
                                              const ChainAnswer& answer, int& status) {
  const auto questions = task_questions(store, place.id, AgentQuestions::All);
  if (!questions) return status = complain_of_store(questions.error()), std::nullopt;
  const LoggedQuestion* const found = named_question(*questions, answer.step);
  const bool is_step = answer.step.find_first_of("@/") == std::string::npos;
  if (found == nullptr) {
    status = is_step ? refuse_step(answer.step)
                     : refuse_stale("nobody asks " + answer.step + " (any more); see ptcvm chain show");
    return std::nullopt;
  }
  const bool is_doubt = found->kind == LoggedQuestion::Kind::Doubt;
  if (!is_doubt && !chain::is_confirmation(answer.text)) {
    return status = refuse_input("step " + found->step + " asks: say yes, always or no"), std::nullopt;
  }
  if (found->is_answered && (!is_said_before(*found, answer) || (is_step && !found->is_only))) {
    const bool is_no = !found->is_approved && found->said == "\"USER_DENIED\"";
    status = refuse_second(found->name, found->by, found->is_approved ? "yes" : is_no ? "no" : found->said);
    return std::nullopt;
  }
  if (!found->is_answered && is_step && !found->is_only) {
    status = refuse_stale("step " + found->step + " has asked before. Name the question that is open now:\n" +
                          asked_lines(place, place.id, *found));
    return std::nullopt;
  }
  return *found;
}

}  // namespace ptcvm::cli
