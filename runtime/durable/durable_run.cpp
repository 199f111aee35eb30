// The order of things, which is the promise: the log knows it before anybody can see it.
//
//   commits, resets and opened operations   after each step, before a tool is served
//   the intent of a call                    before the tool is called
//   its answer                              before the program sees it
//   a parked state                          before the host hears that the run is suspended
#include "runtime/durable/durable_run.h"

#include <algorithm>

#include "runtime/engine/clock.h"
#include "runtime/text/edn.h"
#include "runtime/log/log_writer.h"
#include "runtime/log/process_owner.h"
#include "runtime/durable/recorded_tools.h"
#include "runtime/durable/run_observer.h"
#include "runtime/durable/run_resolutions.h"
#include "runtime/durable/turn_options.h"

namespace ptc {
namespace {

bool ended_well(std::string_view status) { return status == "ok" || status == "return"; }

class DurableRun {
 public:
  DurableRun(const Engine& engine, FactStore& store, const ToolRegistry& tools, std::string_view source,
             const DurableOptions& options)
      : engine_(engine), host_tools_(tools), source_(options.program ? options.program->source : source),
        options_(options),
        writer_(store, options.session.run_id, options.now_ms ? options.now_ms : system_millis, options.lease_ms),
        observer_(writer_, options.observer) {}

  DurableOutcome run() {
    const auto claim =
        writer_.claim(options_.owner.empty() ? process_owner() : options_.owner, options_.dead_token);
    if (claim && !claim->granted) {
      out_.end = DurableEnd::Busy;
      out_.holder = *claim;
      return std::move(out_);
    }
    const bool needs_calls = options_.resets_need_reasons;   // of every task, whoever made them
    if (claim && (needs_calls ? writer_.open_whole() : writer_.open())) execute();
    if (needs_whole_) {
      session_.reset();
      out_ = {};
      if (writer_.open_whole()) execute();
    }
    session_.reset();
    writer_.release();
    if (writer_.stopped()) {
      out_.end = DurableEnd::StoreFailed;
      out_.error = writer_.error();
    }
    return std::move(out_);
  }

 private:
  const RunLog& log() const { return writer_.log(); }

  bool is_same_source() const { return log().last_start() && log().last_start()->source == source_; }
  bool is_done() const {
    return !options_.again && log().is_over() && ended_well(log().last_end()->status) && is_same_source() &&
           !log().has_news();
  }
  // A turn that failed is tried again: it is still the same turn.
  std::uint64_t turn() const {
    if (!log().last_start()) return 1;
    if (!log().is_over()) return log().turn();
    const bool is_tried_again = !options_.again && is_same_source() && !ended_well(log().last_end()->status);
    return log().turn() + (is_tried_again ? 0 : 1);
  }

  void execute() {
    if (is_done()) return answer_again();
    do {
      out_.doubts = find_doubts(host_tools_, writer_);
      if (!out_.doubts.empty() && park_in_doubt()) return;
    } while (!out_.doubts.empty() && !writer_.stopped());
    if (writer_.stopped() || !set_plan() || !begin()) return;
    while (!writer_.stopped() && out_.outcome.status == OutcomeStatus::Suspended) {
      if (has_news(*session_, log(), told_until()) || has_decisions(*session_, log()) || is_due()) {
        if (writer_.put(resumption())) go_on();
      } else if (park()) {
        return;
      }
    }
    if (!writer_.stopped()) end_turn();
  }

  void answer_again() {
    out_.end = DurableEnd::EndedBefore;
    out_.outcome.status = log().last_end()->status == "ok" ? OutcomeStatus::Ok : OutcomeStatus::Return;
    out_.outcome.value_edn = log().last_end()->value;
  }

  bool refuse(std::string message) {
    out_.end = DurableEnd::Refused;
    out_.message = std::move(message);
    session_.reset();
    return false;
  }

  std::optional<Parked> parked() {
    auto result = writer_.store().parked(writer_.name());
    if (const auto* error = std::get_if<StoreError>(&result)) {
      writer_.stop(*error);
      return std::nullopt;
    }
    return std::get<std::optional<Parked>>(std::move(result));
  }

  // What was parked stays as it is; the word of a person wakes it. False: somebody said something meanwhile.
  bool park_in_doubt() {
    Parked wanted = parked().value_or(Parked());
    if (wanted.continuation.empty()) wanted.continuation = continuation();
    wanted.wait_keys.clear();
    for (const LoggedEffect& doubt : out_.doubts) wanted.wait_keys.push_back(doubt_key(doubt.key, doubt.attempt));
    wanted.deadline_ms.reset();
    wanted.observed_seq = log().head();
    Fact fact = writer_.made(FactKind::RunSuspended, FactAuthor::Host);
    fact.status = "in_doubt";
    out_.end = DurableEnd::InDoubt;
    return writer_.park({&fact, 1}, wanted);
  }

  // A plan never changes.
  bool set_plan() {
    while (options_.plan && !log().plan()) {
      Fact fact = writer_.made(FactKind::PlanSet, FactAuthor::Host);
      fact.key = "plan";
      fact.value = plan_edn(*options_.plan);
      const std::uint64_t head = log().head();
      writer_.decide({&fact, 1});
      if (writer_.stopped()) return false;
      if (!log().plan() && log().head() == head) return refuse("the log of the run takes no plan");
    }
    if (!options_.plan || *options_.plan == *log().plan()) return true;
    return refuse("the run has another plan, and a plan never changes");
  }

  // From what was parked, else from the top. False: it ends here.
  bool begin() {
    if (const auto known = parked(); known && !known->snapshot.empty()) {
      auto restored = Session::restore(engine_, known->snapshot, tools(), restore_options());
      if (const auto* error = std::get_if<RestoreError>(&restored)) {
        if (error->kind == SnapshotError::Refused) return refuse(error->message);
      } else if (continue_as(std::get<std::unique_ptr<Session>>(std::move(restored)), known->observed_seq)) {
        return true;
      }
    }
    return !writer_.stopped() && from_the_top();
  }

  SessionRestore restore_options() const {
    SessionRestore wanted;
    wanted.most = options_.session.limits;
    wanted.fixed_clock_millis = options_.session.fixed_clock_millis;
    wanted.slice_fuel = options_.session.slice_fuel;
    wanted.yields_at_commits = true;
    return wanted;
  }

  // False: it cannot learn what was committed since it was parked; the log is the truth.
  bool continue_as(std::unique_ptr<Session> session, std::uint64_t observed_seq) {
    session->forget_tasks_but([&](std::string_view id) {
      if (log().external_version(id) != 0) return false;
      return log().epoch(id) == 1 || writer_.task(id, log().epoch_at(id, observed_seq)).edn != nullptr;
    });
    const bool can_look_up = std::all_of(log().tasks().begin(), log().tasks().end(), [&](const LoggedTask& task) {
      return session->has_task(task.id) || !holds_functions(task.value_edn);
    });
    if (!can_look_up) return false;
    if (!is_same_source()) out_.message = "the program that was parked goes on; the source given now is another one";
    session_ = std::move(session);
    attend(observed_seq);
    if (writer_.resume(resumption())) go_on();
    return true;
  }

  ToolRegistry tools() {
    return recorded_tools(host_tools_, writer_, epoch_of());
  }
  EpochOf epoch_of() {
    return [this](std::string_view task) { return observer_.epoch(task); };
  }

  // What the session of this run is connected with; it is where the log was at `seq`.
  void attend(std::uint64_t seq) {
    session_->set_task_source(
        [this](std::string_view id) { return look_up(id); },
        [this](std::string_view id) {
          writer_.stop({StoreError::Kind::Corrupt, "the value of task " + std::string(id) + " cannot be read"});
        });
    if (options_.resets_need_reasons) {
      session_->set_reset_rule([this](std::string_view id) { return log().has_effects(id); });
    }
    session_->set_hooks(hooks());
    if (options_.on_session) options_.on_session(*session_);
    take_approvals(*session_, log());
    observer_.attend(*session_, seq);
    session_->set_observer(&observer_);
    session_->set_cancel_flag(options_.cancelled);
  }

  // A call that the log knows was judged when it was made.
  ToolHooks hooks() {
    ToolHooks own = options_.hooks;
    own.key_of = [this](const CallMeta& meta) { return recorded_key(meta, epoch_of()); };
    if (own.before) {
      own.before = [this, before = std::move(own.before)](const ToolCall& call) {
        return writer_.effect(recorded_key(call.meta, epoch_of())) == nullptr ? before(call) : ToolVerdict();
      };
    }
    return own;
  }

  // Functions are read before the program begins: when there are some, it begins again with the whole log.
  Session::TaskText look_up(std::string_view id) {
    const LogWriter::FoundTask found = observer_.found(id);
    if (found.edn == nullptr || !holds_functions(*found.edn)) return {found.edn, found.returned};
    needs_whole_ = true;
    writer_.stop({StoreError::Kind::Misuse, "task " + std::string(id) + " came to a function"});
    return {};
  }

  bool from_the_top() {
    SessionOptions own = options_.session;
    own.turns_before = turn() - 1;
    own.operations_before = log().operations_before();
    own.yields_at_commits = true;
    session_ = std::make_unique<Session>(engine_, std::move(own));
    session_->tools() = tools();
    session_->enable_journal();
    if (auto complaint = load()) return refuse(std::move(*complaint));
    std::shared_ptr<const Program> program = options_.program;
    if (program == nullptr) {
      CompileAnswer compiled = session_->compile(source_);
      if (compiled.program == nullptr) {
        out_.end = DurableEnd::Ended;
        out_.outcome = session_->refused(std::move(compiled), source_);
        return false;
      }
      program = std::move(compiled.program);
    }
    if (!note_start()) return false;
    attend(0);
    out_.outcome = session_->turn(std::move(program));
    return true;
  }

  bool note_start() {
    Fact started = writer_.made(FactKind::RunStarted, FactAuthor::Host);
    started.number = turn();
    started.id = options_.session.source_name;
    started.text = source_;
    started.value = options_.context;
    started.args = turn_options_edn(options_.session);
    return writer_.put(std::move(started)).has_value();
  }

  // Inputs; what tasks came to, when it cannot be looked up later; and the operations that their bodies started:
  // handles may name them, and a task that was not committed attaches to them. All others are opened again by the
  // program.
  std::optional<std::string> load() {
    if (!options_.context.empty()) {
      if (auto complaint = session_->load_context(options_.context)) return "the context: " + *complaint;
    }
    if (options_.prepare) {
      if (auto complaint = options_.prepare(*session_)) return complaint;
    }
    if (auto complaint = session_->load_operations(operations_to_attach(log()))) {
      return "the log's operations: " + *complaint;
    }
    for (const LoggedTask& task : log().tasks()) {
      if (!holds_functions(task.value_edn)) continue;
      const auto complaint = session_->load_task(task.id, task.value_edn);
      if (complaint) return "the log's value of task " + task.id + ": " + *complaint;
    }
    return std::nullopt;
  }

  // What it waits for was to happen before now: sleeps of a program that runs again keep their time.
  bool is_due() const {
    const std::optional<std::int64_t>& deadline = out_.outcome.next_deadline_ms;
    return deadline && *deadline <= writer_.now();
  }

  // A program that runs again is told at each suspension what it was told there before, and no more: what it sees does
  // not depend on when its process died.
  std::uint64_t told_until() const { return log().delivered(session_->suspensions()).value_or(UINT64_MAX); }
  Fact resumption() const {
    Fact fact = writer_.made(FactKind::RunResumed, FactAuthor::Host);
    fact.number = session_->suspensions();
    return fact;
  }
  void go_on() {
    take_approvals(*session_, log());
    out_.outcome = session_->resume(take_news(*session_, log(), told_until()), writer_.now());
  }

  std::string continuation() const { return writer_.name() + "@" + std::to_string(writer_.token()); }

  // False: the run was not parked; the log has something new.
  bool park() {
    Parked wanted;
    wanted.continuation = continuation();
    wanted.snapshot = session_->snapshot();
    wanted.wait_keys = wait_keys(*session_, log());
    wanted.deadline_ms = out_.outcome.next_deadline_ms;
    wanted.observed_seq = log().head();
    const Fact fact = writer_.made(FactKind::RunSuspended, FactAuthor::Host);
    out_.end = DurableEnd::Suspended;
    return writer_.park({&fact, 1}, wanted);
  }

  void end_turn() {
    const Outcome& outcome = out_.outcome;
    std::vector<Fact> steps;
    for (const auto& [id, text] : outcome.summaries) {
      Fact step = writer_.made(FactKind::StepDone, FactAuthor::Program);
      step.id = id;
      step.text = text;
      steps.push_back(std::move(step));
    }
    // What others observed meanwhile does not make a summary of this turn wrong.
    const bool counts = outcome.status != OutcomeStatus::Error && !steps.empty();
    while (counts && !writer_.decide(steps) && !writer_.stopped()) {
    }
    Fact ended = writer_.made(FactKind::TurnEnded, FactAuthor::Host);
    ended.status = outcome_status_name(outcome.status);
    ended.value = outcome.value_edn;
    if (outcome.status == OutcomeStatus::Error) {
      ended.text = std::string(fault_name(outcome.fault.kind)) + ": " + outcome.fault.message;
    }
    if (writer_.end(ended)) out_.end = DurableEnd::Ended;
  }

  const Engine& engine_;
  const ToolRegistry& host_tools_;
  const std::string source_;
  const DurableOptions& options_;
  LogWriter writer_;
  RunObserver observer_;
  std::unique_ptr<Session> session_;
  bool needs_whole_ = false;
  DurableOutcome out_;
};

}  // namespace

DurableOutcome run_durably(const Engine& engine, FactStore& store, const ToolRegistry& tools, std::string_view source,
                           const DurableOptions& options) {
  return DurableRun(engine, store, tools, source, options).run();
}

}  // namespace ptc
