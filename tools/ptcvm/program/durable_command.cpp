#include "tools/ptcvm/program/durable_command.h"

#include <functional>
#include <iostream>
#include <optional>

#include "ptcvm/run_moves.hpp"
#include "tools/ptcvm/calls/command_calls.h"
#include "tools/ptcvm/calls/kept_tools.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/bounded_file.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/interrupt.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/program/next_commands.h"
#include "tools/ptcvm/program/recorded_steps.h"
#include "tools/ptcvm/program/report.h"
#include "tools/ptcvm/program/snapshot_file.h"
#include "tools/ptcvm/program/snapshot_tools.h"
#include "tools/ptcvm/program/suspension.h"
#include "tools/ptcvm/store/agent_goes_on.h"
#include "tools/ptcvm/store/doubt_text.h"
#include "tools/ptcvm/store/host_parts.h"
#include "tools/ptcvm/store/operation_arguments.h"
#include "tools/ptcvm/store/store_logs.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/trace/trace.h"

namespace ptcvm::cli {
namespace {

class StoredTurn {
 public:
  StoredTurn(const Engine& engine, const RunArguments& options, const DurableRequest& request)
      : engine_(engine), options_(options), request_(request), command_(request.store), reporter_(stderr) {}

  int start(const LoadedProgram& loaded, const std::string& name) {
    int status = kSuccess;
    stored_.name = name;
    stored_.limits = options_.limits.with_defaults();
    stored_.signature = options_.signature;
    stored_.float_precision = options_.float_precision;
    stored_.strict_task_ids = options_.strict_task_ids;
    stored_.again = request_.again;
    if (!read_context() || !read_plan()) return refuse_input(message_);
    if (!command_.open(StoreUse::Create, status) || !is_own_run(status)) return status;
    if (refuses_to_go_on(command_.store(), request_.store.id)) return kBadInput;
    if (!is_expected()) return refuse_input(message_);
    return run([&](const Tools& tools) {
      if (loaded.program) return StoredRun::start(engine_, command_.store(), tools, *loaded.program, stored_);
      return StoredRun::start(engine_, command_.store(), tools, loaded.source, stored_);
    });
  }

  int resume(const OperationAnswers& answers) {
    int status = kSuccess;
    if (!command_.open(StoreUse::Existing, status)) return status;
    if (!request_.is_recorded && !is_own_run(status)) return status;
    if (!request_.is_recorded && refuses_to_go_on(command_.store(), request_.store.id)) return kBadInput;
    if (!is_expected()) return refuse_input(message_);
    if (request_.is_recorded && !use_scratch(status)) return status;
    if (!command_.read(JournalExtent::Notable, status)) return status;
    const bool is_begun = command_.journal().turn != 0;
    const std::string agent = is_begun ? "" : agent_goes_on(command_.store(), request_.store);
    if (!agent.empty()) return refuse_input(agent);
    if (!is_begun) {
      return refuse_input(request_.store.id + " was never begun: `ptcvm run FILE --store … --id " + request_.store.id +
                          "` begins it");
    }
    if (!answer_operations(command_, answers.resolved, answers.failed, answers.cancelled, message_)) {
      return refuse_input(message_);
    }
    stored_.most_limits = options_.limits.bounds();
    return run([&](const Tools& tools) { return StoredRun::open(engine_, command_.store(), tools, stored_); });
  }

 private:
  bool is_own_run(int& status) {
    const auto own = refuse_host_part(command_.store(), request_.store.id);
    if (!own) status = report_error(own.error());
    return own.has_value();
  }

  // From now on the run is a copy in memory.
  bool use_scratch(int& status) {
    auto scratch = scratch_run(command_.store(), request_.store.id);
    if (scratch) return command_.use(*std::move(scratch)), true;
    status = scratch.error().code == Errc::refused ? refuse_input(scratch.error().message)
                                                   : complain_of_store(scratch.error());
    return false;
  }

  bool read_context() {
    if (options_.data.empty()) return true;
    auto context = context_edn(engine_, options_, message_);
    if (context) stored_.data_edn = std::move(*context);
    return context.has_value();
  }

  bool read_plan() {
    if (request_.plan.empty()) return true;
    const auto text = read_file(request_.plan, message_, kPlanFile);
    if (!text) return false;
    auto plan = ptcvm::read_plan(*text);
    if (!plan) message_ = request_.plan + ": " + plan.error().message;
    if (plan) stored_.plan = std::move(*plan);
    return plan.has_value();
  }

  // --expect-run and --expect-sequence, which counts the facts of the run: the names are the ones of snapshots.
  bool is_expected() {
    const SealOptions& seal = request_.seal;
    const std::string& id = request_.store.id;
    if (seal.expected_run && *seal.expected_run != id) {
      message_ = "wrong_run: the run is " + id + ", not " + *seal.expected_run;
      return false;
    }
    if (!seal.expected_sequence) return true;
    const auto info = command_.store().find(id);
    if (!info) {
      message_ = info.error().message;
      return false;
    }
    const std::uint64_t facts = *info ? (*info)->facts : 0, wanted = *seal.expected_sequence;
    if (facts == wanted) return true;
    message_ = std::string(facts < wanted ? "rolled_back" : "wrong_sequence") + ": the run " + id + " has " +
               std::to_string(facts) + " facts, not " + std::to_string(wanted);
    return false;
  }

  // `prepared` gives the run with these tools.
  int run(const std::function<Result<StoredRun>(const Tools&)>& prepared) {
    auto tools = command_tools(options_, message_);
    if (!tools) return refuse_input(message_);
    const std::string& id = request_.store.id;
    if (!options_.trace.empty() && !(trace_ = TraceFile::open(options_.trace, TraceFile::Mode::GoOn, id, message_))) {
      return refuse_input(message_);
    }
    reporter_.set_trace(trace_.get());
    stored_.reads_value = trace_ != nullptr;
    stored_.id = id;
    stored_.lease_ms = kStoreLeaseMs;
    stored_.resets_need_reasons = request_.strict_resets;
    stored_.observer = &reporter_;
    stored_.parallel_calls = options_.parallel_tools;
    if (request_.after_ms != 0) stored_.clock = [after = request_.after_ms] { return now_millis() + after; };
    auto done = executed(prepared, *tools);
    if (done && !*done && may_lack_tools(done->error())) {
      const auto add_tools = request_.is_recorded ? add_recorded_tools : add_parked_tools;
      ParkedTools parked = add_tools(engine_, command_.store(), id, *tools);
      missing_options_ = std::move(parked.missing);
      if (parked.is_any_added) done = executed(prepared, *tools);
    }
    if (!done) return refuse_input(message_);
    return *done ? report(**done) : report_error(done->error());
  }

  // Returns how the run ended, or nullopt and a message when nothing was executed. Frees the run and its log, because
  // the value that the caller shows may be large.
  std::optional<Result<StoredOutcome>> executed(const std::function<Result<StoredRun>(const Tools&)>& prepared,
                                                const CommandTools& tools) {
    const Tools known = request_.is_recorded ? without_reconcilers(tools.tools) : tools.tools;
    auto stored = prepared(known);
    if (!stored) return message_ = message_of_store(stored.error()), std::nullopt;
    if (!warn_of_changed_tools(command_.store(), stored_.id, tools, message_)) return std::nullopt;
    if (trace_ != nullptr) trace_->expect_start(stored->name());
    const InterruptFlag interrupted;
    CommandCalls commands(tools, options_.parallel_tools, interrupted.flag());
    interrupted.cancels(*stored);
    return request_.is_recorded ? run_recorded(*stored, known, commands) : run_with_commands(*stored, commands);
  }

  int report_error(const Error& error) {
    switch (error.code) {
      case Errc::busy: return complain_of_busy(error.message);
      case Errc::refused: return refuse_input(message_of_store(error) + missing_options_);
      default: break;
    }
    if (trace_ != nullptr) trace_->warn(store_message(error));
    return complain_of_store(error);
  }

  // The message of the store, without the name of the kind before it.
  static std::string store_message(const Error& error) {
    const std::string prefix = std::string(error.detail) + ": ";
    return error.message.starts_with(prefix) ? error.message.substr(prefix.size()) : error.message;
  }

  int report(const StoredOutcome& done) {
    if (!done.warning.empty()) complain("warning: " + done.warning);
    switch (done.end) {
      case StoredEnd::Ended:
        if (trace_ != nullptr) trace_->end(done.outcome, done.outcome.value);
        return report_text(done.outcome, done.value_edn, options_.output, options_.stats);
      case StoredEnd::EndedBefore:
        return report_text(done.outcome, done.value_edn, options_.output, options_.stats);
      case StoredEnd::Suspended: return report_suspended(done);
      case StoredEnd::InDoubt: break;
    }
    return report_doubts(done);
  }

  int report_suspended(const StoredOutcome& done) {
    const std::vector<WaitingOperation> waits = operations_of(done.pending);
    if (trace_ != nullptr) trace_->suspend(done.outcome, waiting_ids(waits));
    show_warnings(done.outcome);
    std::cout << suspended_line(waits) << std::endl;
    if (!request_.is_recorded) complain(next_in_store(request_.store, done.pending, options_));
    return kSuspended;
  }

  int report_doubts(const StoredOutcome& done) {
    auto doubts = command_.store().doubts(request_.store.id);
    if (!doubts) return complain_of_store(doubts.error());
    std::string tools, line = "{\"status\":\"in_doubt\",\"doubts\":[";
    for (const StoredWait& doubt : done.doubts) tools += (tools.empty() ? "" : " ") + doubt.tool;
    if (trace_ != nullptr) trace_->wait_for("in_doubt", tools);
    for (const JournalCall& doubt : *doubts) {
      if (&doubt != &doubts->front()) line += ',';
      line += doubt_json(request_.store.id, doubt);
    }
    std::cout << line << "]}\n";
    complain("it is not known whether these calls happened; nothing runs until somebody says so:");
    for (const JournalCall& doubt : *doubts) {
      std::cerr << doubt_text(request_.store, request_.store.id, doubt) << '\n';
    }
    return kSuspended;
  }

  const Engine engine_;
  const RunArguments& options_;
  const DurableRequest& request_;
  StoreCommand command_;
  RunReporter reporter_;
  std::unique_ptr<TraceFile> trace_;
  StoredOptions stored_;
  std::string message_, missing_options_;
};

}  // namespace

bool warn_of_changed_tools(const Store& store, const std::string& run, const CommandTools& tools,
                           std::string& message) {
  const auto changes = keep_tools(store, run, tools.texts);
  if (!changes) return message = changes.error().message, false;
  for (const std::string& change : *changes) complain("warning: the tools of " + run + " have changed: " + change);
  return true;
}

void declare_durable_options(CLI::App& command, DurableRequest& request) {
  declare_store(command, request.store);
  declare_durability(command, request.store);
  command.add_flag("--strict-resets", request.strict_resets,
                   "(task-reset id) of a task whose calls had effects needs a reason: (task-reset id \"why\")");
}

int run_in_store(const Engine& engine, const LoadedProgram& loaded, const std::string& name,
                 const RunArguments& options, const DurableRequest& request) {
  return StoredTurn(engine, options, request).start(loaded, name);
}

int resume_in_store(const Engine& engine, const RunArguments& options, const DurableRequest& request,
                    const OperationAnswers& answers) {
  return StoredTurn(engine, options, request).resume(answers);
}

}  // namespace ptcvm::cli
