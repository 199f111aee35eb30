#include <algorithm>
#include <utility>

#include "agents/chain/plan/gate.h"
#include "agents/chain/plan/step_values.h"
#include "agents/chain/risk/confirmation.h"
#include "agents/chain/run/question_log.h"
#include "agents/chain/run/steps_run.h"
#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace json = boost::json;

// Returns what people have said about a signature, in this task or for good.
std::optional<bool> StepsRun::decided(std::string_view signature) const {
  const auto& approved = options_.policy.approved_signatures;
  if (std::ranges::find(approved, signature) != approved.end()) return true;
  const auto known = decisions_.find(signature);
  return known == decisions_.end() ? std::nullopt : std::optional(known->second);
}

// Lists the questions of a run that is suspended: another process may have asked them. Answers those about signatures
// on which people have decided since; true: that were some, and the run goes on.
Result<bool> StepsRun::list_questions() {
  const std::vector<StoredWait> waits = run_->outcome().pending;
  bool has_answered = false;
  for (const StoredWait& wait : waits) {
    const auto id = read_confirmation_id(wait.key);
    const PlanStep* const step = id ? find(id->step) : nullptr;
    if (step == nullptr) continue;
    if (const auto known = decided(id->signature)) {
      if (auto said = resolve(wait.key, *known); !said) return said.error();
      has_answered = true;
      continue;
    }
    ChainOperation question;
    question.kind = OperationKind::Question;
    question.purpose = "confirm";
    question.key = wait.key;
    question.step = step->id;
    question.tool = step->tool;
    question.signature = id->signature;
    question.text = asked_text(*step, wait.args_edn, id->signature);
    question.revision = revision_;
    operations_.add(std::move(question), OperationOwner::Steps);
  }
  return has_answered;
}

Result<void> StepsRun::resolve(const std::string& question, bool is_approved) {
  return run_->resolve(question, Value::of(is_approved ? json::value() : json::value("USER_DENIED")));
}

Result<void> StepsRun::answer_question(const OperationTable::Entry& entry, const json::value& value) {
  const ConfirmationReply said = read_confirmation(output_text(value));
  const std::string& signature = entry.operation.signature;
  if (said.is_lasting && !is_about_doubt(signature)) lasting_approvals_.push_back(signature);
  decisions_[signature] = said.is_approved;
  if (auto resolved = resolve(entry.operation.key, said.is_approved); !resolved) return resolved;
  for (const ChainOperation& other : operations_.list()) {   // other steps want to make such a call, too
    if (other.id == entry.operation.id || other.purpose != "confirm" || other.signature != signature) continue;
    if (auto resolved = resolve(other.key, said.is_approved); !resolved) return resolved;
    operations_.remove(other.id);
  }
  return {};
}

}  // namespace ptcvm::chain
