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
#include "runtime/engine/clock.h"

namespace ptc {
namespace {

constexpr std::int64_t kLongestPauseMs = 1'000;   // before a further attempt; a longer one parks

}  // namespace

DurableRun::DurableRun(const Engine& engine, FactStore& store, std::shared_ptr<const ToolRegistry> tools,
                       std::string source, DurableOptions options)
    : options_(std::move(options)),
      writer_(store, options_.session.run_id, options_.now_ms ? options_.now_ms : system_millis, options_.lease_ms),
      facts_(writer_, options_.reader), calls_(writer_, facts_),
      opening_(engine, std::move(tools), options_.program ? options_.program->source : std::move(source), options_,
               writer_, facts_, out_) {}

DurableRun::~DurableRun() {
  if (phase_ == Phase::Active) close();
}

DurableStep DurableRun::step(std::uint64_t fuel) {
  if (phase_ == Phase::Closed) {
    phase_ = Phase::Active;
    if (!attend(opening_.open())) return last_step_ = close();
  }
  writer_.keep_claim();
  last_step_ = drive(fuel);
  return last_step_;
}

// Takes the session over; null: there is nothing to drive.
bool DurableRun::attend(std::unique_ptr<Session> session) {
  session_ = std::move(session);
  if (session_ == nullptr) return false;
  has_answers_ = false;
  if (options_.branches_go_on) session_->let_branches_go_on();
  session_->log_results();
  if (!opening_.is_resumed()) return true;
  is_suspended_ = true;
  out_.outcome = session_->suspended_outcome(options_.call_texts);
  if (writer_.resume(resumption())) go_on();
  return true;
}

// Gives the claim back. What the host did not hear yet is told now, unless it never came into the log.
DurableStep DurableRun::close() {
  if (facts_.write()) facts_.tell_host();
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

DurableStep DurableRun::drive(std::uint64_t fuel) {
  for (;;) {
    if (writer_.stopped()) return close();
    if (opening_.needs_whole_log()) {
      if (!begin_again_with_whole_log()) return close();
      continue;
    }
    std::optional<DurableStep> led_to;
    if (parks_here()) {
      if (park_in_the_middle()) return close();
    } else if (is_suspended_) {
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
  if (!write()) return false;
  calls_.clear();
  facts_.leave();
  session_.reset();
  is_suspended_ = false;
  return attend(opening_.open_with_whole_log());
}

// What writing takes is time of the turn. Intents are on the disk at once.
bool DurableRun::write() {
  const bool has_intents = calls_.take_new_intents();
  if (!facts_.has_staged()) return !writer_.stopped();
  const auto start = std::chrono::steady_clock::now();
  const bool is_written = facts_.write(has_intents ? Durability::Now : Durability::AsMode);
  session_->clock().add_active_micros(micros_since(start));
  return is_written;
}

// Executes a slice, and writes down what it did.
std::optional<DurableStep> DurableRun::advance(std::uint64_t& fuel) {
  if (fuel == 0) {
    if (write()) facts_.tell_host();
    return writer_.stopped() ? DurableStep::Done : DurableStep::Yielded;
  }
  // A host with a clock means that clock for the deadlines of the program, too.
  const bool has_clock = options_.now_ms && !options_.session.fixed_clock_millis;
  if (has_clock) session_->clock().set_given_time(writer_.now());
  const std::uint64_t before = session_->run().fuel_used();
  const std::uint64_t slice = std::min(fuel, options_.session.slice_fuel);
  const SessionStep led_to = session_->step(slice);
  fuel -= std::min(fuel, session_->run().is_freeing() ? slice : session_->run().fuel_used() - before);
  if (opening_.needs_whole_log() || writer_.stopped()) return std::nullopt;
  switch (led_to) {
    case SessionStep::Waits: return std::nullopt;       // written with the intents
    case SessionStep::Yielded:
      if (write()) facts_.tell_host();
      return std::nullopt;
    case SessionStep::Suspended:
      if (!write()) return std::nullopt;
      is_suspended_ = true;
      out_.outcome = session_->outcome(options_.call_texts);
      return std::nullopt;
    case SessionStep::Over: break;
  }
  if (!write()) return DurableStep::Done;
  out_.outcome = session_->outcome(options_.call_texts);
  const bool is_in_doubt = calls_.has_doubts() && out_.outcome.status == OutcomeStatus::Error && !is_cancelled();
  if (!is_in_doubt || !opening_.park_in_doubt(noted_doubts(log()))) end_turn();
  return DurableStep::Done;
}

// Hands out what can be called; the session goes on when every call is answered, or with each answer.
std::optional<DurableStep> DurableRun::wait_for_calls() {
  // A run that somebody wants to park begins no call: it parks when those in flight are answered.
  while (!wants_to_park() && calls_.open(*session_, options_.most_in_flight)) has_answers_ = true;
  std::uint64_t slice = options_.session.slice_fuel;
  const bool is_answered = std::exchange(has_answers_, false);
  // The last answer is written with what comes of it.
  if (session_->run().tool_requests().empty() || (options_.branches_go_on && is_answered)) return advance(slice);
  if (!write()) return DurableStep::Done;
  facts_.tell_host();
  if (!calls_.in_flight().empty()) {
    if (!session_->clock().is_stopped()) return DurableStep::Waits;
    if (is_cancelled()) {
      calls_.clear();
      return advance(slice);
    }
    calls_.leave_calls(*session_, session_->clock().reason_to_stop().message);
    if (!write()) return DurableStep::Done;
  }
  if (calls_.has_doubts() && !is_cancelled()) return ask_about_doubts();
  if (const auto due = calls_.next_attempt_ms(); due && !session_->clock().is_stopped()) {
    if (*due <= writer_.now()) return std::nullopt;
    if (*due - writer_.now() <= kLongestPauseMs) return DurableStep::Waits;
    is_suspended_ = true;
  } else if (session_->gate().waits_for_decisions_only() && !session_->clock().is_stopped()) {
    is_suspended_ = true;
  }
  if (is_suspended_) {
    out_.outcome = session_->outcome(options_.call_texts);
    return std::nullopt;
  }
  return advance(slice);
}

// The log knows the doubts. Lets the session go on when one of them is settled, else parks the run.
std::optional<DurableStep> DurableRun::ask_about_doubts() {
  if (calls_.settle_doubts(*session_)) return std::nullopt;
  const bool is_over = writer_.stopped() || opening_.park_in_doubt(noted_doubts(log()));
  return is_over ? std::optional(DurableStep::Done) : std::nullopt;
}

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
  return log().delivered(session_->run().suspensions()).value_or(UINT64_MAX);
}

// Only a suspension for operations has a number: what is said then, a program that runs again has to hear there.
Fact DurableRun::resumption() const {
  Fact fact = writer_.made(FactKind::RunResumed, FactAuthor::Host);
  if (session_->last_step() == SessionStep::Suspended) fact.number = session_->run().suspensions();
  return fact;
}

void DurableRun::go_on() {
  is_suspended_ = false;
  take_approvals(*session_, log());
  if (session_->last_step() == SessionStep::Suspended) {
    if (auto refusal = session_->operations().resolve(take_news(*session_, log(), told_until()))) {
      out_.message = refusal->message;
    }
  }
  session_->clock().set_given_time(writer_.now());
}

void DurableRun::put_session_into(Parked& parked) const {
  parked.pieces = session_->large_snapshot();
  if (parked.pieces == nullptr) parked.snapshot = session_->snapshot();
}

// Returns false when the run was not parked, because the log has something new.
bool DurableRun::park() {
  Parked wanted;
  wanted.continuation = continuation_name(writer_);
  put_session_into(wanted);
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

// A session that waits by itself is parked as ever.
bool DurableRun::parks_here() {
  const bool has_calls = !calls_.in_flight().empty() || calls_.has_doubts();
  return wants_to_park() && !is_suspended_ && !has_calls && !session_->clock().is_stopped();
}

// Parks a session between two steps; the run can go on at once. Returns false when nothing was parked: the log has
// something new, or the writer is stopped.
bool DurableRun::park_in_the_middle() {
  session_->tell_reader();   // an answer may have opened an operation
  if (!write()) return false;
  Parked wanted;
  wanted.continuation = continuation_name(writer_);
  put_session_into(wanted);
  wanted.deadline_ms = 0;   // over by every clock: the clock of the store may be behind this one
  wanted.observed_seq = log().head();
  Fact fact = writer_.made(FactKind::RunSuspended, FactAuthor::Host);
  fact.status = "parked";
  out_.outcome = session_->outcome(options_.call_texts);
  out_.outcome.next_deadline_ms = writer_.now();
  if (!writer_.park({&fact, 1}, wanted)) return false;
  options_.parks->store(false);
  facts_.tell_host();
  out_.end = DurableEnd::Suspended;
  return true;
}

void DurableRun::end_turn() {
  Outcome& outcome = out_.outcome;
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
  ended.value = std::move(outcome.value_edn);   // it may be megabytes
  if (outcome.status == OutcomeStatus::Error) {
    ended.text = std::string(fault_name(outcome.fault.kind)) + ": " + outcome.fault.message;
  }
  if (write_end(ended)) out_.end = DurableEnd::Ended;
  outcome.value_edn = std::move(ended.value);
}

// A session that is kept is parked between its turns; after a turn that failed it is what it was before. The session of
// a turn that had waited has the definitions of before then, because a fault takes back what its turn has defined.
bool DurableRun::write_end(const Fact& ended) {
  if (!opening_.keeps_session()) return writer_.end(ended);
  const bool is_good = out_.outcome.status != OutcomeStatus::Error;
  Parked wanted;
  wanted.continuation = continuation_name(writer_);
  if (!is_good && !opening_.had_parked() && opening_.idle_session().empty()) return writer_.end(ended);
  if (is_good || opening_.idle_session().empty()) {
    put_session_into(wanted);
  } else {
    wanted.snapshot = opening_.idle_session();
  }
  while (!writer_.stopped()) {
    wanted.observed_seq = log().head();
    if (writer_.park({&ended, 1}, wanted)) return true;
  }
  return false;
}

Value DurableRun::args(std::uint64_t call) {
  const std::optional<HandedCall> handed = session_->calls().handed().find(call);
  return handed ? handed->args : Value::absent();
}

bool DurableRun::answer(std::uint64_t call, ToolReply reply, std::uint64_t micros) {
  if (!calls_.answer(*session_, call, std::move(reply), micros)) return false;
  has_answers_ = true;
  if (!calls_.in_flight().empty() && write()) facts_.tell_host();
  return true;
}

ToolCall DurableRun::tool_call(std::uint64_t id) {
  const OpenCall& call = calls_.in_flight().at(id);
  ToolCall made{call.tool->definition.name, Value::nil(), session_->heap(), session_->clock().deadline(),
                options_.cancelled, {}, call.attempt};
  if (const std::optional<HandedCall> handed = session_->calls().handed().find(id)) {
    made.args = handed->args;
    made.meta = handed->meta;
    made.meta.idempotency_key = call.key;
    made.meta.fencing_token = writer_.token();
  }
  return made;
}

void DurableRun::make(std::uint64_t id) {
  if (!calls_.in_flight().contains(id)) return;
  const auto start = std::chrono::steady_clock::now();
  ToolReply reply = calls_.in_flight().at(id).tool->handler(tool_call(id));
  const auto spent = std::chrono::steady_clock::now() - start;
  const auto micros = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(spent).count());
  session_->clock().add_active_micros(micros);
  answer(id, std::move(reply), micros);
}

}  // namespace ptc
