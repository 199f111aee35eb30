// What becomes of the answers to the operations of a chain.
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/chain/plan/step_values.h"
#include "agents/chain/run/chain_run_impl.h"
#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace json = boost::json;

Error ChainRun::Impl::no_operation(std::uint64_t id) {
  return {Errc::wrong_state, "no operation " + std::to_string(id) + " waits for this answer; see operations()",
          std::nullopt};
}

Result<void> ChainRun::Impl::answer(std::uint64_t id, json::value value, std::chrono::milliseconds took,
                                    const ModelUsage& usage) {
  OperationTable::Entry* const found = operations_.find(id);
  if (found == nullptr || found->operation.kind == OperationKind::Doubt) return no_operation(id);
  OperationTable::Entry& entry = *found;
  Result<void> said;
  if (entry.owner == OperationOwner::Steps) {
    said = steps_.answer(entry, std::move(value), took.count(), usage);
  } else if (entry.owner == OperationOwner::Feedback) {
    Store store = store_;
    said = store.put(entry.operation.key, "reply", Value::of(output_text(value)));
  } else if (entry.operation.kind == OperationKind::Report) {
    said = driver_->answer(entry.call, Value::of(json::serialize(entry.operation.args)));
    if (said) report_ = std::move(entry.operation.args);
  } else {
    said = driver_->answer(entry.call, Value::of(kept_reply(output_text(value), usage)));
  }
  if (said) forget(id);
  return said;
}

Result<void> ChainRun::Impl::answer_error(std::uint64_t id, std::string message, std::chrono::milliseconds took,
                                          const ModelUsage& usage) {
  const OperationTable::Entry* const found = operations_.find(id);
  if (found == nullptr || found->operation.kind == OperationKind::Doubt ||
      found->operation.kind == OperationKind::Question) {
    return no_operation(id);
  }
  const OperationTable::Entry& entry = *found;
  if (entry.operation.kind == OperationKind::Report) return {};   // stays: the host tries again
  Result<void> said;
  if (entry.owner == OperationOwner::Steps) {
    said = steps_.answer_error(entry, std::move(message), took.count(), usage);
  } else {   // an empty reply is no intent and no plan
    said = driver_->answer(entry.call, Value::of(std::string()));
  }
  if (said) forget(id);
  return said;
}

Result<void> ChainRun::Impl::refuse(std::uint64_t id, std::string error) {
  const OperationTable::Entry* const found = operations_.find(id);
  if (found == nullptr || found->operation.kind != OperationKind::Model) return no_operation(id);
  if (found->owner != OperationOwner::Driver) return answer_error(id, std::move(error), {}, {.calls = 0});
  auto said = driver_->answer(found->call, Value::of(kept_refusal(std::move(error))));
  if (said) forget(id);
  return said;
}

Result<void> ChainRun::Impl::answer_unknown(std::uint64_t id, std::string message) {
  const OperationTable::Entry* const found = operations_.find(id);
  if (found == nullptr || found->operation.kind != OperationKind::Tool) return no_operation(id);
  const OperationTable::Entry& entry = *found;
  auto said = steps_.answer_unknown(entry, std::move(message));
  if (said) operations_.remove(id);
  return said;
}

void ChainRun::Impl::forget(std::uint64_t id) {
  const OperationTable::Entry* const entry = operations_.find(id);
  if (entry != nullptr && entry->operation.purpose == "step") agent_doubts_.forget(entry->operation.step);
  operations_.remove(id);
}

Result<void> ChainRun::Impl::doubt_calls(std::uint64_t id, DoubtingAgent agent) {
  const OperationTable::Entry* const found = operations_.find(id);
  if (found == nullptr || found->operation.purpose != "step") return no_operation(id);
  agent_doubts_.list(found->operation, std::move(agent));
  return {};
}

// Giving up fails the step by name, so that nothing is planned again by itself.
Result<void> ChainRun::Impl::settle_of_agent(ChainOperation doubt, DoubtAnswer answer, json::value output) {
  if (answer == DoubtAnswer::GiveUp) {
    const OperationTable::Entry* const step = operations_.find_of_step(OperationKind::Model, doubt.step);
    if (step == nullptr) return no_operation(doubt.id);
    return answer_error(step->operation.id, agent_doubts_.error_of(doubt.step), {}, agent_doubts_.usage_of(doubt.step));
  }
  if (answer == DoubtAnswer::Happened) {
    std::string fault = signatures_.fit_output(doubt.tool, output, options_.most_output_bytes);
    if (!fault.empty()) return Error{Errc::invalid_value, std::move(fault), std::nullopt};
  }
  auto told = agent_doubts_.tell(doubt, answer, output);
  if (told) operations_.remove(doubt.id);
  return told;
}

Result<void> ChainRun::Impl::settle(std::uint64_t id, DoubtAnswer answer, json::value output) {
  const OperationTable::Entry* const found = operations_.find(id);
  if (found == nullptr || found->operation.kind != OperationKind::Doubt) return no_operation(id);
  if (found->owner == OperationOwner::StepAgent) return settle_of_agent(found->operation, answer, std::move(output));
  auto said = steps_.settle(*found, answer, std::move(output));
  if (said) operations_.remove(id);
  return said;
}

}  // namespace ptcvm::chain
