// The order of things, which is the promise: the log knows it before anybody outside can see it.
//
//   commits, resets, opened operations   after each step, before a call is handed out
//   the intent of a call                 before the call is handed out
//   its answer                           before a call that the program makes with it is handed out, and before its end
//   a parked state                       before the host hears that the run is suspended
#include "runtime/durable/durable_run.h"

#include <algorithm>
#include <utility>

#include "runtime/durable/run_resolutions.h"
#include "runtime/durable/turn_options.h"
#include "runtime/engine/clock.h"
#include "runtime/log/process_owner.h"
#include "runtime/text/edn.h"

namespace ptc {
namespace {

constexpr std::int64_t kLongestPauseMs = 1'000;   // before a further attempt; a longer one parks

bool ended_well(std::string_view status) { return status == "ok" || status == "return"; }

}  // namespace

DurableRun::DurableRun(const Engine& engine, FactStore& store, std::shared_ptr<const ToolRegistry> tools,
                       std::string source, DurableOptions options)
    : engine_(engine), tools_(std::move(tools)),
      source_(options.program ? options.program->source : std::move(source)), options_(std::move(options)),
      writer_(store, options_.session.run_id, options_.now_ms ? options_.now_ms : system_millis, options_.lease_ms),
      facts_(writer_, options_.reader), calls_(writer_, facts_) {}

DurableRun::~DurableRun() {
  if (phase_ == Phase::Active) close();
}

DurableStep DurableRun::step(std::uint64_t fuel) {
  if (phase_ == Phase::Closed && !open()) return last_step_ = close();
  last_step_ = drive(fuel);
  return last_step_;
}

// --- opening

bool DurableRun::open() {
  out_ = {};
  phase_ = Phase::Active;
  writer_.reopen();
  const auto claim = writer_.claim(options_.owner.empty() ? process_owner() : options_.owner, options_.dead_token);
  if (!claim) return false;
  if (!claim->granted) {
    out_.end = DurableEnd::Busy;
    out_.holder = *claim;
    return false;
  }
  const bool needs_calls = options_.resets_need_reasons;   // of every task, whoever made them
  if (!(needs_calls ? writer_.open_whole() : writer_.open())) return false;
  if (is_done()) {
    answer_again();
    return false;
  }
  return settle_doubts() && set_plan() && begin();
}

// Gives the claim back. What the host did not hear yet is told now, unless it never came into the log.
DurableStep DurableRun::close() {
  if (!writer_.stopped()) {
    facts_.write();
    facts_.tell_host();
  }
  calls_.clear();
  facts_.leave();
  session_.reset();
  is_suspended_ = false;
  writer_.release();
  if (writer_.stopped()) {
    out_.end = DurableEnd::StoreFailed;
    out_.error = writer_.error();
  }
  phase_ = Phase::Closed;
  return DurableStep::Done;
}

bool DurableRun::is_done() const {
  return !options_.again && log().is_over() && ended_well(log().last_end()->status) && is_same_source() &&
         !log().has_news();
}

// A turn that failed is tried again: it is still the same turn.
std::uint64_t DurableRun::turn() const {
  if (!log().last_start()) return 1;
  if (!log().is_over()) return log().turn();
  const bool is_tried_again = !options_.again && is_same_source() && !ended_well(log().last_end()->status);
  return log().turn() + (is_tried_again ? 0 : 1);
}

void DurableRun::answer_again() {
  out_.end = DurableEnd::EndedBefore;
  out_.outcome.status = log().last_end()->status == "ok" ? OutcomeStatus::Ok : OutcomeStatus::Return;
  out_.outcome.value_edn = log().last_end()->value;
}

bool DurableRun::refuse(std::string message) {
  out_.end = DurableEnd::Refused;
  out_.message = std::move(message);
  return false;
}

// False: the run waits for a person, or is stopped.
bool DurableRun::settle_doubts() {
  do {
    out_.doubts = find_doubts(*tools_, writer_);
    if (!out_.doubts.empty() && park_in_doubt()) return false;
  } while (!out_.doubts.empty() && !writer_.stopped());
  return !writer_.stopped();
}

std::optional<Parked> DurableRun::parked() {
  auto result = writer_.store().parked(writer_.name());
  if (const auto* error = std::get_if<StoreError>(&result)) {
    writer_.stop(*error);
    return std::nullopt;
  }
  return std::get<std::optional<Parked>>(std::move(result));
}

std::string DurableRun::continuation() const { return writer_.name() + "@" + std::to_string(writer_.token()); }

// What was parked stays as it is; the word of a person wakes it. False: somebody said something meanwhile.
bool DurableRun::park_in_doubt() {
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
bool DurableRun::set_plan() {
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

// Begins from what was parked, else from the top.
bool DurableRun::begin() {
  std::unique_ptr<Session> idle;
  if (auto known = parked(); known && !known->snapshot.empty()) {
    auto restored = Session::restore(engine_, known->snapshot, tools_, restore_options());
    if (const auto* error = std::get_if<RestoreError>(&restored)) {
      if (error->kind == SnapshotError::Refused) return refuse(error->message);
    } else if (auto session = std::get<std::unique_ptr<Session>>(std::move(restored)); !session->in_turn()) {
      idle_ = std::move(known->snapshot);
      idle = std::move(session);
    } else if (continue_as(std::move(session), known->observed_seq)) {
      return true;
    }
  }
  return !writer_.stopped() && from_the_top(std::move(idle));
}

SessionRestore DurableRun::restore_options() const {
  SessionRestore wanted;
  wanted.most = options_.session.limits;
  wanted.fixed_clock_millis = options_.session.fixed_clock_millis;
  wanted.slice_fuel = options_.session.slice_fuel;
  wanted.yields_at_commits = true;
  return wanted;
}

// False: the session cannot learn what was committed since it was parked; the log is the truth.
bool DurableRun::continue_as(std::unique_ptr<Session> session, std::uint64_t observed_seq) {
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
  is_suspended_ = true;
  out_.outcome = session_->suspended_outcome();
  if (writer_.resume(resumption())) go_on();
  return true;
}

EpochOf DurableRun::epoch_of() {
  return [this](std::string_view task) { return facts_.epoch(task); };
}

// Connects the session with the run; the session is where the log was at `seq`.
void DurableRun::attend(std::uint64_t seq) {
  session_->hand_out_calls();
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
  facts_.attend(*session_, seq);
  session_->set_cancel_flag(options_.cancelled);
}

// A call that the log knows was judged when it was made.
ToolHooks DurableRun::hooks() {
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
Session::TaskText DurableRun::look_up(std::string_view id) {
  const LogWriter::FoundTask found = facts_.found(id);
  if (found.edn == nullptr || !holds_functions(*found.edn)) return {found.edn, found.returned};
  needs_whole_ = true;
  facts_.freeze();
  return {};
}

// `session`: the one that the last turn left, when it is kept; else null.
bool DurableRun::from_the_top(std::unique_ptr<Session> session) {
  SessionOptions own = options_.session;
  own.turns_before = turn() - 1;
  own.operations_before = log().operations_before();
  own.yields_at_commits = true;
  if (session != nullptr) {
    session_ = std::move(session);
    session_->begin_turns_after(turn() - 1);
  } else {
    session_ = std::make_unique<Session>(engine_, std::move(own));
    session_->share_tools(tools_);
  }
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
  return begin_turn(std::move(program));
}

bool DurableRun::begin_turn(std::shared_ptr<const Program> program) {
  if (!note_start()) return false;
  attend(0);
  if (session_->begin(std::move(program))) return true;
  out_.outcome = session_->outcome();
  end_turn();
  return false;
}

bool DurableRun::note_start() {
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
std::optional<std::string> DurableRun::load() {
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
    if (!holds_functions(task.value_edn) || session_->has_task(task.id)) continue;
    const auto complaint = session_->load_task(task.id, task.value_edn);
    if (complaint) return "the log's value of task " + task.id + ": " + *complaint;
  }
  return std::nullopt;
}

// --- driving

DurableStep DurableRun::drive(std::uint64_t fuel) {
  for (;;) {
    if (writer_.stopped()) return close();
    if (needs_whole_) {
      if (!begin_again_with_whole_log()) return close();
      continue;
    }
    std::optional<DurableStep> led_to;
    if (is_suspended_) {
      led_to = suspend();
    } else if (session_->last_step() == SessionStep::Waits) {
      led_to = wait_for_calls();
    } else {
      led_to = advance(fuel);
    }
    if (led_to == DurableStep::Done) return close();
    if (led_to) return *led_to;
  }
}

bool DurableRun::begin_again_with_whole_log() {
  needs_whole_ = false;
  if (!facts_.write()) return false;
  calls_.clear();
  facts_.leave();
  session_.reset();
  is_suspended_ = false;
  out_ = {};
  return writer_.open_whole() && begin();
}

// Executes a slice, and writes down what it did.
std::optional<DurableStep> DurableRun::advance(std::uint64_t& fuel) {
  if (fuel == 0) {
    if (facts_.write()) facts_.tell_host();
    return writer_.stopped() ? DurableStep::Done : DurableStep::Yielded;
  }
  const std::uint64_t before = session_->run().fuel_used();
  const std::uint64_t slice = std::min(fuel, options_.session.slice_fuel);
  const SessionStep led_to = session_->step(slice);
  fuel -= std::min(fuel, session_->run().is_freeing() ? slice : session_->run().fuel_used() - before);
  if (needs_whole_ || writer_.stopped()) return std::nullopt;
  switch (led_to) {
    case SessionStep::Waits: return std::nullopt;       // written with the intents
    case SessionStep::Yielded:
      if (facts_.write()) facts_.tell_host();
      return std::nullopt;
    case SessionStep::Suspended:
      if (!facts_.write()) return std::nullopt;
      is_suspended_ = true;
      out_.outcome = session_->outcome();
      return std::nullopt;
    case SessionStep::Over: break;
  }
  if (!facts_.write()) return DurableStep::Done;
  out_.outcome = session_->outcome();
  end_turn();
  return DurableStep::Done;
}

// Hands out what can be called; the session goes on when every call is answered.
std::optional<DurableStep> DurableRun::wait_for_calls() {
  while (calls_.open(*session_, options_.most_in_flight)) {
  }
  const bool has_intents = calls_.take_new_intents();
  if (!facts_.write(has_intents ? Durability::Now : Durability::AsMode)) return DurableStep::Done;
  facts_.tell_host();
  if (!calls_.in_flight().empty()) {
    const bool is_over = session_->is_stopped();         // cancelled, or out of time: nobody waits for the calls
    if (!is_over) return DurableStep::Waits;
    calls_.clear();
    std::uint64_t slice = options_.session.slice_fuel;
    return advance(slice);
  }
  if (const auto due = calls_.next_attempt_ms(); due && !session_->is_stopped()) {
    if (*due <= writer_.now()) return std::nullopt;
    if (*due - writer_.now() <= kLongestPauseMs) return DurableStep::Waits;
    is_suspended_ = true;
  } else if (session_->waits_for_decisions_only() && !session_->is_stopped()) {
    is_suspended_ = true;
  }
  if (is_suspended_) {
    out_.outcome = session_->outcome();
    return std::nullopt;
  }
  std::uint64_t slice = options_.session.slice_fuel;
  return advance(slice);
}

// --- waiting

// What it waits for was to happen before now: sleeps of a program that runs again keep their time.
bool DurableRun::is_due() {
  const std::optional<std::int64_t>& deadline = out_.outcome.next_deadline_ms;
  return deadline && *deadline <= writer_.now();
}

bool DurableRun::goes_on() {
  if (session_->last_step() != SessionStep::Suspended) {
    const auto due = calls_.next_attempt_ms();
    return has_decisions(*session_, log()) || (due && *due <= writer_.now());
  }
  return has_news(*session_, log(), told_until()) || has_decisions(*session_, log()) || is_due();
}

// Goes on with what came meanwhile, or parks the run.
std::optional<DurableStep> DurableRun::suspend() {
  if (goes_on()) {
    facts_.tell_host();
    if (writer_.put(resumption())) go_on();
    return std::nullopt;
  }
  if (!park()) return std::nullopt;
  facts_.tell_host();
  out_.end = DurableEnd::Suspended;
  return DurableStep::Done;
}

// A program that runs again is told at each suspension what it was told there before, and no more: what it sees does
// not depend on when its process died.
std::uint64_t DurableRun::told_until() const {
  return log().delivered(session_->suspensions()).value_or(UINT64_MAX);
}

// Only a suspension for operations has a number: what is said then, a program that runs again has to hear there.
Fact DurableRun::resumption() const {
  Fact fact = writer_.made(FactKind::RunResumed, FactAuthor::Host);
  if (session_->last_step() == SessionStep::Suspended) fact.number = session_->suspensions();
  return fact;
}

void DurableRun::go_on() {
  is_suspended_ = false;
  take_approvals(*session_, log());
  if (session_->last_step() == SessionStep::Suspended) {
    if (auto refusal = session_->resolve(take_news(*session_, log(), told_until()))) {
      out_.message = refusal->message;
    }
  }
  session_->set_given_time(writer_.now());
}

// False: the run was not parked; the log has something new.
bool DurableRun::park() {
  Parked wanted;
  wanted.continuation = continuation();
  wanted.snapshot = session_->snapshot();
  wanted.wait_keys = wait_keys(*session_, log());
  wanted.deadline_ms = out_.outcome.next_deadline_ms;
  if (const auto due = calls_.next_attempt_ms()) {
    wanted.deadline_ms = std::min(*due, wanted.deadline_ms.value_or(*due));
    out_.outcome.next_deadline_ms = wanted.deadline_ms;
  }
  wanted.observed_seq = log().head();
  const Fact fact = writer_.made(FactKind::RunSuspended, FactAuthor::Host);
  return writer_.park({&fact, 1}, wanted);
}

void DurableRun::end_turn() {
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
  if (write_end(std::move(ended))) out_.end = DurableEnd::Ended;
}

// A session that is kept is parked between its turns; after a turn that failed it is what it was before.
bool DurableRun::write_end(Fact ended) {
  const bool is_good = out_.outcome.status != OutcomeStatus::Error;
  if (options_.keeps_session && is_good) idle_ = session_->snapshot();
  if (!options_.keeps_session || idle_.empty()) return writer_.end(ended);
  Parked wanted;
  wanted.continuation = continuation();
  wanted.snapshot = idle_;
  while (!writer_.stopped()) {
    wanted.observed_seq = log().head();
    if (writer_.park({&ended, 1}, wanted)) return true;
  }
  return false;
}

// --- calls

Value DurableRun::args(std::uint64_t call) {
  for (const Session::HandedCall& handed : session_->handed_calls()) {
    if (handed.id == call) return handed.args;
  }
  return Value::absent();
}

bool DurableRun::answer(std::uint64_t call, ToolReply reply, std::uint64_t micros) {
  if (!calls_.answer(*session_, call, std::move(reply), micros)) return false;
  if (!calls_.in_flight().empty() && facts_.write()) facts_.tell_host();
  return true;
}

ToolCall DurableRun::tool_call(std::uint64_t id) {
  const OpenCall& call = calls_.in_flight().at(id);
  ToolCall made{call.tool->definition.name, Value::nil(), session_->heap(), session_->deadline(), options_.cancelled,
                {}, call.attempt};
  for (const Session::HandedCall& handed : session_->handed_calls()) {
    if (handed.id != id) continue;
    made.args = handed.args;
    made.meta = handed.meta;
    made.meta.idempotency_key = call.key;
  }
  return made;
}

void DurableRun::make(std::uint64_t id) {
  if (!calls_.in_flight().contains(id)) return;
  const auto start = std::chrono::steady_clock::now();
  ToolReply reply = calls_.in_flight().at(id).tool->handler(tool_call(id));
  const auto spent = std::chrono::steady_clock::now() - start;
  const auto micros = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(spent).count());
  session_->add_active_micros(micros);
  answer(id, std::move(reply), micros);
}

}  // namespace ptc
