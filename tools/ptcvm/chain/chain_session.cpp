#include "tools/ptcvm/chain/chain_session.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <utility>

#include "agents/chain/report/report_text.h"
#include "agents/chain/run/question_log.h"
#include "tools/ptcvm/chain/chain_memory.h"
#include "tools/ptcvm/chain/chain_questions.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/shell_arguments.h"

namespace ptcvm::cli {
namespace {

using chain::ChainOperation;
using chain::OperationKind;

int status_of(const Error& error) {
  if (error.code == Errc::store_failed) return complain_of_store(error);
  complain(error.message);
  return error.code == Errc::busy ? kBusy : kBadInput;
}

// Returns whether the report tells an earlier revision, because the planner had nothing else, or touched what is done.
bool is_last_plan_refused(const boost::json::object& report) {
  const boost::json::array& notes = report.at("verificationNotes").as_array();
  return std::ranges::any_of(notes, [](const boost::json::value& note) {
    return note.is_string() && note.get_string().starts_with("REPLAN_");
  });
}

}  // namespace

std::string shown_report(const boost::json::object& report, const std::string& output) {
  if (output == "json") return boost::json::serialize(report) + "\n";
  if (output == "markdown") return chain::report_markdown(report);
  return output == "html" ? chain::report_html(report) : chain::report_text(report);
}

int ChainSession::open(const ChainSetup& setup, bool is_kept) {
  is_kept_ = is_kept;
  const std::size_t rows = stderr_rows();
  if (arguments_.progress || rows != 0) checklist_.emplace(rows);
  id_ = arguments_.store.id.empty() ? "task" : arguments_.store.id;
  std::string message;
  auto options = setup.options(id_, message);
  if (!options) return refuse_input(message);
  options->policy.has_person = is_kept;
  const auto approved = approved_signatures(store_, arguments_.store);
  if (!approved) return status_of(approved.error());
  options->policy.approved_signatures = *approved;
  const bool has_other_model = !arguments_.model.empty() && arguments_.model != setup.model;
  auto model = open_model(has_other_model ? arguments_.model : setup.model, false, {}, message);
  if (!model) return refuse_input(message);
  model_ = *std::move(model);
  if (!has_other_model) {
    const auto used = kept_replies_of(store_, id_);
    if (!used) return status_of(used.error());
    model_.source->skip("", *used);
  }
  if (!arguments_.record.empty()) {
    model_.source = record_model(std::move(model_.source), arguments_.record, message);
    if (model_.source == nullptr) return refuse_input(message);
  }
  if (const int status = open_budget(setup); status != kSuccess) return status;
  tools_ = setup.commands();
  const std::size_t parallel = options->parallel;
  StepAgentTask agents{setup.agent_tools(), options->policy};
  agents.budget = &*budget_;
  if (is_kept) {   // a task goes on without a memory, too
    const auto known = recall_context(store_, arguments_.store, setup.input, id_, options->context);
    if (!known) complain(known.error().message);
  }
  auto run = chain::ChainRun::start(engine_, store_, *std::move(options));
  if (!run) return status_of(run.error());
  run_ = *std::move(run);
  driver_ = std::make_unique<ChainDriver>(ChainDriver::Parts{
      .engine = engine_,
      .store = store_,
      .model = *model_.source,
      .choice = model_.choice,
      .tools = tools_,
      .agents = std::move(agents),
      .parallel = parallel,
      .interrupted = *interrupted_.flag(),
      .on_moment = [this](const ChainMoment& moment) { tell(moment); },
      .on_tick = [this] { if (checklist_) checklist_->tick(); },
      .on_reply = [this](const ChainReply& reply) { return budget_->keep(store_, id_, reply); },
      .budget = &*budget_});
  return kSuccess;
}

// Replies that come now cost what --prices says; without it, what the task was begun with.
int ChainSession::open_budget(const ChainSetup& setup) {
  ChainMoney money = setup.money;
  std::string message;
  if (!arguments_.prices.empty()) {
    auto prices = prices_of_file(arguments_.prices, message);
    if (!prices) return refuse_input(message);
    money.prices = *std::move(prices);
  }
  if (money.most != 0) message = missing_price({model_.choice.name}, money.prices);
  if (!message.empty()) return refuse_input(message);
  auto budget = ChainBudget::read(store_, id_, std::move(money));
  if (!budget) return status_of(budget.error());
  budget_ = *std::move(budget);
  return kSuccess;
}

// The plan is looked at when a step begins after a model was asked: there may be another one.
void ChainSession::tell(const ChainMoment& moment) {
  if (!checklist_) return;
  if (moment.kind == ChainMoment::Kind::Asked) {
    is_plan_shown_ = false;
  } else if (!is_plan_shown_ && checklist_->is_live()) {
    checklist_->plan(run_->plan());
    is_plan_shown_ = true;
  }
  checklist_->tell(moment);
}

ChainDriver::End ChainSession::drive(const std::function<bool()>& is_over) { return driver_->drive(*run_, is_over); }

int ChainSession::report(const ChainDriver::End& end) {
  for (const std::string& signature : run_->lasting_approvals()) {
    const auto kept = approve_signature(store_, arguments_.store, signature, true, "");
    if (!kept) return status_of(kept.error());
  }
  if (is_kept_) {
    // The archive now has what became of this task. The log of the task is enough: the next command tries again.
    if (const auto archive = open_archive(store_, arguments_.store); !archive) complain(archive.error().message);
  }
  switch (end.kind) {
    case ChainDriver::End::Kind::Failed: return status_of(*end.error);
    case ChainDriver::End::Kind::ModelFailed: complain("the model: " + end.message); return kProgramFailed;
    case ChainDriver::End::Kind::Interrupted:
      complain("interrupted; run the command again to go on");
      return kSuspended;
    case ChainDriver::End::Kind::Waits: return report_waiting();
    case ChainDriver::End::Kind::Ended: break;
  }
  const chain::ChainOutcome& outcome = *run_->outcome();
  std::cout << shown_report(outcome.report, arguments_.output);
  if (is_kept_ && outcome.wants_feedback && !run_->feedback()) {
    std::cerr << "How was it? ptcvm chain feedback " << store_words(arguments_.store) << " --id " << shell_quoted(id_)
              << " 'rating=positive; comment=…'\n";
  }
  const bool is_good = outcome.report.at("success").as_bool() && !is_last_plan_refused(outcome.report);
  return is_good ? kSuccess : kProgramFailed;
}

int ChainSession::report_waiting() const {
  for (const ChainOperation& operation : run_->operations()) {
    if (operation.kind == OperationKind::Question || operation.kind == OperationKind::Doubt) {
      std::cerr << asked_lines(arguments_.store, id_, chain::asked_question(operation));
    }
  }
  if (!is_kept_) complain("the task waits and is not kept; run it with --store and --id to go on later");
  return kSuspended;
}

}  // namespace ptcvm::cli
