// The order of things, which is the promise: the log knows it before anybody can see it.
//
//   commits, resets and opened operations   after each step, before a tool is served
//   the intent of a call                    before the tool is called
//   its answer                              before the program sees it
//   a parked state                          before the host hears that the run is suspended
#include "runtime/durable_run.h"

#include <algorithm>
#include <chrono>

#include "runtime/facts/log_writer.h"
#include "runtime/recorded_tools.h"
#include "vm/value/print.h"

namespace ptc {
namespace {

std::int64_t system_millis() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

bool ended_well(std::string_view status) { return status == "ok" || status == "return"; }

class DurableRun : public SessionObserver {
 public:
  DurableRun(const Engine& engine, FactStore& store, const ToolRegistry& tools, std::string_view source,
             const DurableOptions& options)
      : engine_(engine), store_(store), host_tools_(tools), source_(source), options_(options),
        name_(options.session.run_id), writer_(store, name_, options.now_ms ? options.now_ms : system_millis) {}

  DurableOutcome run() {
    auto claim = store_.claim(name_, options_.owner, writer_.now(), options_.lease_ms, options_.dead_token);
    if (const auto* error = std::get_if<StoreError>(&claim)) return failed_with(*error);
    const Claim& mine = std::get<Claim>(claim);
    if (!mine.granted) {
      out_.end = DurableEnd::Busy;
      out_.holder = mine;
      return std::move(out_);
    }
    writer_.set_token(mine.token);
    execute();
    session_.reset();
    if (out_.end == DurableEnd::StoreFailed) return std::move(out_);
    if (auto flushed = store_.flush(); std::holds_alternative<StoreError>(flushed)) {
      return failed_with(std::get<StoreError>(flushed));
    }
    store_.release(name_, writer_.token());   // or its lease ends
    return std::move(out_);
  }

  bool wants_whole_values() const override { return true; }
  void on_commit(std::string_view id, std::string_view value_edn) override {
    Fact fact = writer_.made(FactKind::TaskCommitted, FactAuthor::Program);
    fact.key = task_key(id, writer_.log().epoch(id));
    fact.id = id;
    fact.value = value_edn;
    const auto held = writer_.put(std::move(fact));
    if (!held || held->value == value_edn) return;
    writer_.stop({StoreError::Kind::Unknown, "task " + std::string(id) + " was committed by somebody else"});
  }
  void on_reset(std::string_view id) override {
    Fact fact = writer_.made(FactKind::TaskReset, FactAuthor::Program);
    fact.number = writer_.log().epoch(id);
    fact.key = reset_key(id, fact.number);
    fact.id = id;
    writer_.put(std::move(fact));
  }
  void on_open(const Operation& operation) override {
    Fact fact = writer_.made(FactKind::OperationOpened, FactAuthor::Program);
    fact.key = operation_key(operation.id);
    fact.id = operation.id;
    fact.tool = operation.tool;
    append_edn(fact.args, operation.args, session_->heap());
    fact.task = operation.task_id;
    fact.idempotency_key = operation.key;
    fact.text = session_->operation_json(operation);
    writer_.put(std::move(fact));
  }

 private:
  DurableOutcome failed_with(StoreError error) {
    out_.end = DurableEnd::StoreFailed;
    out_.error = std::move(error);
    return std::move(out_);
  }

  void execute() {
    if (!writer_.catch_up()) return fail();
    if (writer_.log().is_over() && ended_well(writer_.log().last_end()->status)) {
      out_.end = DurableEnd::EndedBefore;
      out_.outcome.status = writer_.log().last_end()->status == "ok" ? OutcomeStatus::Ok : OutcomeStatus::Return;
      out_.outcome.value_edn = writer_.log().last_end()->value;
      return;
    }
    if (!note_doubts()) return fail();
    if (!out_.doubts.empty()) {
      out_.end = DurableEnd::InDoubt;
      return;
    }
    begin();
    if (!session_) return writer_.stopped() ? fail() : void();
    while (!writer_.stopped() && out_.outcome.status == OutcomeStatus::Suspended) {
      if (has_news()) {
        resolve_and_resume();
      } else if (park()) {
        return;
      }
    }
    if (writer_.stopped()) return fail();
    end_turn();
    if (writer_.stopped()) fail();
  }

  void fail() {
    out_.end = DurableEnd::StoreFailed;
    out_.error = writer_.error();
  }

  // Calls that a dead process left open. What can be called again is left to the program.
  bool note_doubts() {
    std::vector<LoggedEffect> open;
    for (const LoggedEffect* effect : writer_.log().unsettled(writer_.token())) {
      if (!is_called_again(effect->effect_class)) open.push_back(*effect);
    }
    for (const LoggedEffect& effect : open) {
      Fact fact = settlement_fact(writer_, effect.key, effect.attempt, EffectState::InDoubt);
      if (!writer_.put(std::move(fact))) return false;
    }
    out_.doubts = std::move(open);
    return true;
  }

  // From what was parked, else from the top.
  void begin() {
    auto parked = store_.parked(name_);
    if (const auto* error = std::get_if<StoreError>(&parked)) return writer_.stop(*error);
    if (const auto& known = std::get<std::optional<Parked>>(parked); known && continue_from(*known)) return;
    from_the_top();
  }

  bool continue_from(const Parked& parked) {
    SessionRestore wanted;
    wanted.most = options_.session.limits;
    wanted.fixed_clock_millis = options_.session.fixed_clock_millis;
    wanted.slice_fuel = options_.session.slice_fuel;
    wanted.yields_at_commits = true;
    auto restored = Session::restore(engine_, parked.snapshot, recorded_tools(host_tools_, writer_), wanted);
    if (!std::holds_alternative<std::unique_ptr<Session>>(restored)) return false;   // the log is the truth
    session_ = std::get<std::unique_ptr<Session>>(std::move(restored));
    if (!meet_journal()) {
      session_.reset();
      return false;
    }
    session_->set_observer(this);
    const Fact fact = writer_.made(FactKind::RunResumed, FactAuthor::Host);
    if (auto noted = store_.resumed(name_, writer_.token(), {&fact, 1}); std::holds_alternative<StoreError>(noted)) {
      writer_.stop(std::get<StoreError>(noted));
      return true;
    }
    if (writer_.catch_up()) resolve_and_resume();
    return true;
  }

  // What was committed and reset since the run was parked, by itself before its process died, or by others.
  bool meet_journal() {
    session_->forget_tasks_but([this](std::string_view id) { return writer_.log().task(id) != nullptr; });
    return std::all_of(writer_.log().tasks().begin(), writer_.log().tasks().end(), [this](const LoggedTask& task) {
      return session_->has_task(task.id) || !session_->load_task(task.id, task.value_edn);
    });
  }

  void from_the_top() {
    Fact started = writer_.made(FactKind::RunStarted, FactAuthor::Host);
    started.text = source_;
    if (!writer_.put(std::move(started))) return;
    SessionOptions own = options_.session;
    own.turns_before = writer_.log().turn() - 1;
    own.yields_at_commits = true;
    session_ = std::make_unique<Session>(engine_, std::move(own));
    session_->tools() = recorded_tools(host_tools_, writer_);
    session_->enable_journal();
    if (auto complaint = load()) {
      out_.end = DurableEnd::Refused;
      out_.message = std::move(*complaint);
      session_.reset();
      return;
    }
    session_->set_observer(this);
    out_.outcome = session_->turn(source_);
  }

  // What tasks came to, and the operations that their bodies started: handles may name them, and a task that was not
  // committed attaches to them. All others are opened again by the program.
  std::optional<std::string> load() {
    std::string operations = "[";
    for (const LoggedOperation& operation : writer_.log().operations()) {
      if (operation.task.empty() || operation.opened.empty()) continue;
      if (operations.size() > 1) operations += ',';
      operations += operation.opened;
    }
    operations += ']';
    if (auto complaint = session_->load_operations(operations)) return "the log's operations: " + *complaint;
    for (const LoggedTask& task : writer_.log().tasks()) {
      const auto complaint = session_->load_task(task.id, task.value_edn);
      if (complaint) return "the log's value of task " + task.id + ": " + *complaint;
    }
    return std::nullopt;
  }

  // Whether the log has an answer that the run was not told.
  bool has_news() const {
    return std::any_of(writer_.log().operations().begin(), writer_.log().operations().end(),
                       [this](const LoggedOperation& answer) { return is_news(answer); });
  }
  bool is_news(const LoggedOperation& answer) const {
    const Operation* const operation = session_->operations().find(answer.id);
    return operation != nullptr && operation->status == Operation::Status::Waiting && !answer.status.empty();
  }

  // False: the run was not parked; the log has something new.
  bool park() {
    Parked parked;
    parked.continuation = name_ + "@" + std::to_string(writer_.token());
    parked.snapshot = session_->snapshot();
    for (const PendingOutcome& operation : out_.outcome.pending) {
      parked.wait_keys.push_back(resolved_key(operation.operation));
    }
    parked.deadline_ms = out_.outcome.next_deadline_ms;
    parked.observed_seq = writer_.log().head();
    const Fact fact = writer_.made(FactKind::RunSuspended, FactAuthor::Host);
    auto result = store_.park(name_, {writer_.token(), writer_.log().head()}, {&fact, 1}, parked);
    if (const auto* error = std::get_if<StoreError>(&result)) {
      writer_.stop(*error);
      return false;
    }
    if (std::get<ParkResult>(result).parked) {
      out_.end = DurableEnd::Suspended;
      return true;
    }
    writer_.catch_up();
    return false;
  }

  void resolve_and_resume() {
    std::vector<Resolution> resolutions;
    for (const LoggedOperation& answer : writer_.log().operations()) {
      if (is_news(answer)) resolutions.push_back(resolution_of(answer));
    }
    out_.outcome = session_->resume(std::move(resolutions), writer_.now());
  }

  Resolution resolution_of(const LoggedOperation& answer) {
    if (answer.status == "cancelled") return Resolution::cancel(answer.id, answer.text);
    if (answer.status != "ok") return Resolution::error(answer.id, answer.text);
    std::string why;
    const auto value = session_->read_value(answer.value, {}, why);
    if (!value) return Resolution::error(answer.id, "its answer cannot be read: " + why);
    return Resolution::ok(answer.id, *value);
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
    while (!writer_.stopped() && !steps.empty() && outcome.status != OutcomeStatus::Error) {
      auto decided = store_.decide(name_, {writer_.token(), writer_.log().head()}, steps);
      if (const auto* error = std::get_if<StoreError>(&decided)) return writer_.stop(*error);
      if (!std::get<Decided>(decided).conflict) break;
      if (!writer_.catch_up()) return;
    }
    Fact ended = writer_.made(FactKind::TurnEnded, FactAuthor::Host);
    ended.status = outcome_status_name(outcome.status);
    ended.value = outcome.value_edn;
    if (outcome.status == OutcomeStatus::Error) {
      ended.text = std::string(fault_name(outcome.fault.kind)) + ": " + outcome.fault.message;
    }
    auto result = store_.ended(name_, writer_.token(), {&ended, 1});
    if (const auto* error = std::get_if<StoreError>(&result)) return writer_.stop(*error);
    out_.end = DurableEnd::Ended;
  }

  const Engine& engine_;
  FactStore& store_;
  const ToolRegistry& host_tools_;
  const std::string_view source_;
  const DurableOptions& options_;
  const std::string name_;
  LogWriter writer_;
  std::unique_ptr<Session> session_;
  DurableOutcome out_;
};

}  // namespace

DurableOutcome run_durably(const Engine& engine, FactStore& store, const ToolRegistry& tools, std::string_view source,
                           const DurableOptions& options) {
  return DurableRun(engine, store, tools, source, options).run();
}

}  // namespace ptc
