#include "tools/ptcvm/durable_command.h"

#include <iostream>

#include "api/errors.h"
#include "api/store_access.h"
#include "runtime/engine/clock.h"
#include "runtime/text/json_text.h"
#include "runtime/durable/turn_options.h"
#include "runtime/log/log_writer.h"
#include "tools/ptcvm/command_calls.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/doubt_text.h"
#include "tools/ptcvm/files.h"
#include "tools/ptcvm/interrupt.h"
#include "tools/ptcvm/operation_arguments.h"
#include "tools/ptcvm/report.h"
#include "tools/ptcvm/suspension.h"
#include "tools/ptcvm/terminal.h"
#include "tools/ptcvm/trace.h"

namespace ptcvm::cli {
namespace {

// The store notices a process of this machine that is gone; the lease is for other machines.
constexpr std::int64_t kLeaseMs = std::int64_t{24} * 3600 * 1000;

class StoredTurn {
 public:
  StoredTurn(const RunArguments& options, const DurableRequest& request)
      : options_(options), request_(request), command_(request.store) {}

  int start(const LoadedProgram& loaded, const std::string& name) {
    int status = kSuccess;
    durable_.session = session_options(options_, name);
    durable_.program = loaded.program;
    if (!read_context() || !read_plan()) return refuse_input(message_);
    if (!command_.open(StoreUse::Create, status)) return status;
    return run(loaded.source);
  }

  int resume(const OperationAnswers& answers) {
    int status = kSuccess;
    if (!command_.open(StoreUse::Existing, status) || !command_.read(JournalExtent::Notable, status)) return status;
    ptc::RunLog log;
    const auto add = [&log](const ptc::Fact& fact) { log.add(fact); };
    if (const auto error = ptc::visit_notable(facts(), request_.store.id, add)) {
      return complain_of_store(store_error(*error));
    }
    if (!log.last_start()) {
      return refuse_input(request_.store.id + " was never begun: `ptcvm run FILE --store … --id " + request_.store.id +
                          "` begins it");
    }
    if (!answer_operations(command_, answers.resolved, answers.failed, answers.cancelled, message_)) {
      return refuse_input(message_);
    }
    const ptc::LoggedStart& started = *log.last_start();
    durable_.session = session_options(options_, started.source_name);
    durable_.session.limits = {};
    if (auto complaint = ptc::go_on_as_begun(started, durable_)) {
      return refuse_input("the options of the run: " + *complaint);
    }
    options_.limits.cut(durable_.session.limits);
    return run(started.source);
  }

 private:
  bool read_context() {
    if (options_.data.empty()) return true;
    auto context = context_edn(options_, message_);
    if (context) durable_.context = std::move(*context);
    return context.has_value();
  }

  bool read_plan() {
    if (request_.plan.empty()) return true;
    const auto text = read_file(request_.plan, message_);
    if (!text) return false;
    durable_.plan = ptc::read_plan(*text, message_);
    if (!durable_.plan) message_ = request_.plan + ": " + message_;
    return durable_.plan.has_value();
  }

  int run(const std::string& source) {
    ptc::ToolRegistry tools;
    std::unique_ptr<TraceFile> trace;
    if (!add_tools(tools, options_, message_)) return refuse_input(message_);
    if (!options_.trace.empty() &&
        !(trace = TraceFile::open(options_.trace, TraceFile::Mode::GoOn, request_.store.id, message_))) {
      return refuse_input(message_);
    }
    RunReporter reporter(stderr, trace.get());
    const InterruptFlag interrupted;
    durable_.session.run_id = request_.store.id;
    durable_.lease_ms = kLeaseMs;
    durable_.again = request_.again;
    durable_.resets_need_reasons = request_.strict_resets;
    durable_.reader = &reporter;
    durable_.cancelled = interrupted.flag();
    if (request_.after_ms != 0) {
      durable_.now_ms = [after = request_.after_ms] { return ptc::system_millis() + after; };
    }
    if (trace != nullptr) trace->expect_start(durable_.session.source_name);
    durable_.most_in_flight = options_.parallel_tools;
    ptc::DurableRun stepped(engine_, facts(), std::make_shared<const ptc::ToolRegistry>(std::move(tools)),
                            source, durable_);
    const ptc::DurableOutcome done = run_with_commands(stepped, options_.parallel_tools);
    if (trace != nullptr) trace_end(*trace, done);
    return report(done);
  }

  static void trace_end(TraceFile& trace, const ptc::DurableOutcome& done) {
    switch (done.end) {
      case ptc::DurableEnd::Ended:
      case ptc::DurableEnd::Suspended: return trace.end(done.outcome);
      case ptc::DurableEnd::StoreFailed: return trace.warn(done.error.message);
      case ptc::DurableEnd::InDoubt: break;
      case ptc::DurableEnd::EndedBefore:
      case ptc::DurableEnd::Busy:
      case ptc::DurableEnd::Refused: return;
    }
    std::string tools;
    for (const ptc::LoggedEffect& doubt : done.doubts) tools += (tools.empty() ? "" : " ") + doubt.tool;
    trace.wait_for("in_doubt", tools);
  }

  int report(const ptc::DurableOutcome& done) {
    if (done.end != ptc::DurableEnd::Refused && !done.message.empty()) complain("warning: " + done.message);
    switch (done.end) {
      case ptc::DurableEnd::Ended:
      case ptc::DurableEnd::EndedBefore: return report_text(done.outcome, options_.output, options_.stats);
      case ptc::DurableEnd::Suspended:
        for (const std::string& warning : done.outcome.warnings) std::cerr << "warning: " << warning << '\n';
        std::cout << suspended_line(done.outcome) << '\n';
        return kSuspended;
      case ptc::DurableEnd::InDoubt: return report_doubts(done);
      case ptc::DurableEnd::Busy:
        complain(request_.store.id + " is being executed by " + done.holder.owner);
        return kBusy;
      case ptc::DurableEnd::StoreFailed: return complain_of_store(store_error(done.error));
      case ptc::DurableEnd::Refused: break;
    }
    return refuse_input(done.message);
  }

  int report_doubts(const ptc::DurableOutcome& done) {
    std::string line = "{\"status\":\"in_doubt\",\"doubts\":[";
    for (const ptc::LoggedEffect& doubt : done.doubts) {
      if (&doubt != &done.doubts.front()) line += ',';
      line += doubt_json(request_.store.id, call_of(doubt));
    }
    std::cout << line << "]}\n";
    complain("it is not known whether these calls happened; nothing runs until somebody says so:");
    for (const ptc::LoggedEffect& doubt : done.doubts) {
      std::cerr << doubt_text(request_.store, request_.store.id, call_of(doubt)) << '\n';
    }
    return kSuspended;
  }

  ptc::FactStore& facts() { return StoreAccess::store(command_.store()); }

  static JournalCall call_of(const ptc::LoggedEffect& effect) {
    JournalCall call;
    call.key = effect.key;
    call.tool = effect.tool;
    call.args_edn = effect.args;
    call.task = effect.task;
    call.attempt = effect.attempt;
    call.effect = static_cast<Effect>(effect.effect_class);
    return call;
  }

  const RunArguments& options_;
  const DurableRequest& request_;
  StoreCommand command_;
  const ptc::Engine engine_;
  ptc::DurableOptions durable_;
  std::string message_;
};

}  // namespace

void declare_durable_options(CLI::App& command, DurableRequest& request) {
  declare_store(command, request.store);
  declare_durability(command, request.store);
  command.add_flag("--strict-resets", request.strict_resets,
                   "(task-reset id) of a task whose calls had effects needs a reason: (task-reset id \"why\")");
}

int run_in_store(const LoadedProgram& loaded, const std::string& name, const RunArguments& options,
                 const DurableRequest& request) {
  return StoredTurn(options, request).start(loaded, name);
}

int resume_in_store(const RunArguments& options, const DurableRequest& request, const OperationAnswers& answers) {
  return StoredTurn(options, request).resume(answers);
}

}  // namespace ptcvm::cli
