#include "agents/chain/run/chain_run.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/chain/plan/step_values.h"
#include "agents/chain/planning/prompts.h"
#include "agents/chain/report/document.h"
#include "agents/chain/report/step_results.h"
#include "agents/chain/run/asked_replan.h"
#include "agents/chain/run/chain_log.h"
#include "agents/chain/run/chain_run_impl.h"
#include "agents/chain/run/driver_program.h"
#include "agents/chain/run/driver_run.h"
#include "agents/chain/run/final_report.h"
#include "agents/chain/text/json_member.h"
#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr std::uint32_t kStepsPerDriverStep = 8;

std::uint32_t revision_of(const json::object& request) { return member_number(request, "revision"); }

}  // namespace

Result<void> ChainRun::Impl::start() {
  if (options_.id.empty()) return Error{Errc::invalid_value, "the id of a chain must not be empty", std::nullopt};
  if (options_.most_revisions == 0) {
    return Error{Errc::invalid_value, "most_revisions must be 1 or more: the first plan is a revision", std::nullopt};
  }
  if (!options_.context.empty()) {
    if (const auto fault = document_fault(DocumentType::Context, options_.context)) {
      return Error{Errc::invalid_value, fault->name + ": the context of the task: " + fault->message, std::nullopt};
    }
  }
  if (options_.checks_signatures) {
    auto signatures = ToolSignatures::of(options_.tools);
    if (!signatures) return std::move(signatures).error();
    signatures_ = *std::move(signatures);
  }
  const auto asked = last_replan(store_, options_.id);
  if (!asked) return asked.error();
  std::string source = driver_source(options_.id);
  if (*asked) {
    asked_ = (*asked)->revision;
    if (auto recalled = recall(); !recalled) return recalled;
    planning_.set_wish((*asked)->wish);
    source = driver_source(options_.id, asked_, planning_.executed_before(asked_));
  }
  auto id = driver_run_id(store_, options_.id);
  if (!id) return id.error();
  auto driver = start_driver(engine_, store_, options_, *std::move(id), "chain", source);
  if (!driver) return std::move(driver).error();
  driver_ = std::move(*driver);
  return {};
}

// Learns from the log the plans and rows of the revisions before the one that a person asked for.
Result<void> ChainRun::Impl::recall() {
  const auto replies = read_plan_replies(store_, options_.id);
  if (!replies) return replies.error();
  for (const json::object& reply : *replies) {
    if (revision_of(reply) >= asked_) continue;
    know_rows(planning_.planned_before(revision_of(reply)));
    planning_.check(reply);
  }
  know_rows(planning_.planned_before(asked_));
  return {};
}

Result<ChainState> ChainRun::Impl::step(std::uint64_t fuel) {
  if (outcome_) {
    if (auto stepped = feedback_.step(*outcome_); !stepped) return stepped.error();
    return ChainState::Done;
  }
  for (;;) {
    if (steps_call_ && ++steps_since_driver_ < kStepsPerDriverStep) {
      const auto served = execute_steps(steps_call_->first, steps_call_->second, fuel);
      if (!served) return served.error();
      if (*served) return **served;
    }
    steps_since_driver_ = 0;
    const Result<StoredStep> led_to = driver_->step(fuel);
    if (!led_to) return led_to.error();
    if (*led_to == StoredStep::Yielded) return ChainState::Yielded;
    if (*led_to == StoredStep::Done) return finish();
    const std::vector<WaitingCall> calls = driver_->calls();
    if (calls.empty()) return ChainState::Waits;
    const auto served = serve(calls.front(), fuel);
    if (!served) return served.error();
    if (*served) return **served;
  }
}

Result<std::optional<ChainState>> ChainRun::Impl::serve(const WaitingCall& call, std::uint64_t fuel) {
  if (call.tool == "chain_steps") return execute_steps(call.id, revision_of(call_args(call)), fuel);
  if (operations_.has(OperationOwner::Driver, call.id)) return std::optional(ChainState::Waits);
  if (call.tool == "chain_intent") return ask_model(call, "intent", intent_prompt(options_.input));
  if (call.tool == "chain_context") return say(call.id, json::value(json::serialize(options_.context)));
  if (call.tool == "chain_report") return offer_report(call);
  const json::object request = call_args(call);
  know_rows(planning_.planned_before(revision_of(request)));
  if (call.tool == "chain_plan") {
    return ask_model(call, revision_of(request) == 1 ? "plan" : "replan", planning_.prompt(request));
  }
  if (call.tool == "chain_check") return say(call.id, planning_.check(request));
  const json::value* const intent = request.if_contains("intent");
  planning_.begin(intent == nullptr ? json::value() : *intent, member_text(request, "context"));
  return say(call.id, nullptr);
}

Result<std::optional<ChainState>> ChainRun::Impl::say(std::uint64_t call, const json::value& value) {
  if (auto said = driver_->answer(call, Value::of(value)); !said) return said.error();
  return std::optional<ChainState>();
}

Result<std::optional<ChainState>> ChainRun::Impl::ask_model(const WaitingCall& call, std::string purpose,
                                                            std::string prompt) {
  ChainOperation operation;
  operation.kind = OperationKind::Model;
  operation.purpose = std::move(purpose);
  operation.key = call.key;
  operation.text = std::move(prompt);
  operation.revision = revision_of(call_args(call));
  operation.attempt = call.attempt;
  operations_.add(std::move(operation), OperationOwner::Driver, call.id);
  return std::optional(ChainState::Waits);
}

Result<std::optional<ChainState>> ChainRun::Impl::execute_steps(std::uint64_t call, std::uint32_t revision,
                                                                std::uint64_t fuel) {
  if (!steps_.is_started()) {
    const Plan* const plan = planning_.plan(revision);
    if (plan == nullptr) return Error{Errc::wrong_state, "the log of the chain has no plan", std::nullopt};
    if (auto started = steps_.start(*plan, revision, planning_.history(revision)); !started) return started.error();
    steps_call_.emplace(call, revision);
  }
  const Result<StepsState> state = steps_.step(fuel);
  if (!state) return state.error();
  if (*state != StepsState::Over) {
    return std::optional(*state == StepsState::Yielded ? ChainState::Yielded : ChainState::Waits);
  }
  steps_.finish();
  steps_call_.reset();
  return say(call, ran(revision));
}

// Another process may have executed the revision: the log has its results.
void ChainRun::Impl::know_rows(std::uint32_t revision) {
  const Plan* const plan = planning_.plan(revision);
  if (plan == nullptr || planning_.rows(revision) != nullptr) return;
  planning_.set_rows(revision, recorded_rows(store_, options_, *plan, revision, planning_.history(revision)));
}

// Says what the driver must know of a revision that was executed.
json::object ChainRun::Impl::ran(std::uint32_t revision) {
  planning_.set_rows(revision, steps_.take_rows());
  const std::vector<std::string> notes = failure_notes(*planning_.plan(revision), *planning_.rows(revision));
  const bool has_failed = !notes.empty();
  json::object said{{"notes", json::array(notes.begin(), notes.end())}};
  const bool is_stopped = !steps_.error().empty();
  const bool is_in_doubt = has_doubt(*planning_.rows(revision));   // another plan might make the call again
  said["replan"] = has_failed && !is_stopped && !is_in_doubt && options_.replans &&
                   revision < options_.most_revisions + (asked_ == 0 ? 0 : asked_ - 1);
  said["error"] = is_stopped ? json::value(steps_.error()) : json::value();
  return said;
}

Result<std::optional<ChainState>> ChainRun::Impl::offer_report(const WaitingCall& call) {
  const json::object request = call_args(call);
  know_rows(revision_of(request));   // a revision that another process has executed
  ChainOperation operation;
  operation.kind = OperationKind::Report;
  operation.key = options_.id + "/report@" + std::to_string(revision_of(request));
  operation.args = final_report(request, options_, planning_);
  operation.revision = revision_of(request);
  operation.attempt = call.attempt;
  operations_.add(std::move(operation), OperationOwner::Driver, call.id);
  return std::optional(ChainState::Waits);
}

Result<ChainState> ChainRun::Impl::finish() {
  auto report = report_ ? Result<std::optional<json::object>>(std::move(report_))
                        : read_last_report(store_, options_.id);   // another process has answered
  if (!report) return report.error();
  if (!*report) {
    const auto& fault = driver_->outcome().outcome.diagnostic;
    return Error{Errc::wrong_state, "the driver of the chain ended without a report" +
                                        (fault ? ": " + fault->kind + ": " + fault->message : std::string()),
                 fault};
  }
  ChainOutcome outcome;
  outcome.report = **std::move(report);
  outcome.is_completed = member_text(outcome.report, "task") == "completed";
  outcome.error = member_text(outcome.report, "error");
  outcome.revision = revision_of(outcome.report);
  outcome.wants_feedback = outcome.report.at("wantsFeedback").as_bool();
  outcome_ = std::move(outcome);
  driver_.reset();
  if (auto stepped = feedback_.step(*outcome_); !stepped) return stepped.error();
  return ChainState::Done;
}

ChainRun::ChainRun(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ChainRun::ChainRun(ChainRun&&) noexcept = default;
ChainRun& ChainRun::operator=(ChainRun&&) noexcept = default;
ChainRun::~ChainRun() = default;

Result<ChainRun> ChainRun::start(const Engine& engine, const Store& store, ChainOptions options) {
  auto impl = std::make_unique<Impl>(engine, store, std::move(options));
  if (auto started = impl->start(); !started) return started.error();
  return ChainRun(std::move(impl));
}

Result<ChainState> ChainRun::step(std::uint64_t fuel) { return impl_->step(fuel); }
std::vector<ChainOperation> ChainRun::operations() const { return impl_->operations().list(); }
bool ChainRun::is_parked() const { return !impl_->outcome() && impl_->operations().waits_for_people(); }
Result<void> ChainRun::answer(std::uint64_t operation, json::value value, std::chrono::milliseconds took,
                              const ModelUsage& usage) {
  return impl_->answer(operation, std::move(value), took, usage);
}
Result<void> ChainRun::answer_error(std::uint64_t operation, std::string message, std::chrono::milliseconds took,
                                    const ModelUsage& usage) {
  return impl_->answer_error(operation, std::move(message), took, usage);
}
Result<void> ChainRun::refuse(std::uint64_t operation, std::string error) {
  return impl_->refuse(operation, std::move(error));
}
Result<void> ChainRun::answer_unknown(std::uint64_t operation, std::string message) {
  return impl_->answer_unknown(operation, std::move(message));
}
Result<void> ChainRun::doubt_calls(std::uint64_t operation, DoubtingAgent agent) {
  return impl_->doubt_calls(operation, std::move(agent));
}
Result<void> ChainRun::settle(std::uint64_t operation, DoubtAnswer answer, json::value output) {
  return impl_->settle(operation, answer, std::move(output));
}
const std::optional<ChainOutcome>& ChainRun::outcome() const { return impl_->outcome(); }
const std::optional<json::object>& ChainRun::feedback() const { return impl_->feedback(); }
std::string ChainRun::plan_program() const { return impl_->plan_program(); }
json::array ChainRun::plan() const { return impl_->plan(); }
const std::vector<std::string>& ChainRun::lasting_approvals() const { return impl_->lasting_approvals(); }

}  // namespace ptcvm::chain
