#include "runtime/durable/run_opening.h"

#include <algorithm>
#include <utility>

#include "runtime/durable/run_resolutions.h"
#include "runtime/durable/turn_options.h"
#include "runtime/log/process_owner.h"
#include "runtime/session/spent_bytes.h"
#include "runtime/text/edn.h"

namespace ptc {
namespace {

bool ended_well(std::string_view status) { return status == "ok" || status == "return"; }

}  // namespace

std::string continuation_name(const LogWriter& writer) { return writer.name() + "@" + std::to_string(writer.token()); }

std::unique_ptr<Session> RunOpening::open() {
  out_ = {};
  is_resumed_ = needs_whole_ = false;
  session_.reset();
  idle_.clear();
  writer_.reopen();
  const auto claim = writer_.claim(options_.owner.empty() ? process_owner() : options_.owner, options_.dead_token);
  if (!claim) return nullptr;
  if (!claim->granted) {
    out_.end = DurableEnd::Busy;
    out_.holder = *claim;
    return nullptr;
  }
  const bool needs_calls = options_.resets_need_reasons;   // the calls of every task
  if (!(needs_calls ? writer_.open_whole() : writer_.open())) return nullptr;
  if (log().has_host_facts() && !log().last_start()) {
    refuse("the log " + writer_.name() + " belongs to a host (HostLog): give the run another id");
    return nullptr;
  }
  if (log().is_copy()) {
    refuse("run_is_copy: " + writer_.name() + " is a copy for reading: `ptcvm resume --recorded` goes on with it");
    return nullptr;
  }
  if (is_done()) {
    answer_again();
    return nullptr;
  }
  return settle_doubts() && has_tools_of_open_calls() && set_plan() && begin() ? taken() : nullptr;
}

std::unique_ptr<Session> RunOpening::open_with_whole_log() {
  out_ = {};
  is_resumed_ = needs_whole_ = false;
  return writer_.open_whole() && begin() ? taken() : nullptr;
}

// A session that is not taken goes before the facts that it reports to.
std::unique_ptr<Session> RunOpening::taken() { return std::move(session_); }

bool RunOpening::is_done() const {
  return !options_.again && log().is_over() && ended_well(log().last_end()->status) && is_same_source() &&
         !log().has_news();
}

// A turn that failed is tried again: it is still the same turn.
std::uint64_t RunOpening::turn() const {
  if (!log().last_start()) return 1;
  if (!log().is_over()) return log().turn();
  const bool is_tried_again = !options_.again && is_same_source() && !ended_well(log().last_end()->status);
  return log().turn() + (is_tried_again ? 0 : 1);
}

void RunOpening::answer_again() {
  out_.end = DurableEnd::EndedBefore;
  out_.outcome.status = log().last_end()->status == "ok" ? OutcomeStatus::Ok : OutcomeStatus::Return;
  out_.outcome.value_edn = log().last_end()->value;
}

bool RunOpening::refuse(std::string message) {
  out_.end = DurableEnd::Refused;
  out_.message = std::move(message);
  return false;
}

// Returns false when the run waits for a person, or is stopped.
bool RunOpening::settle_doubts() {
  do {
    const std::uint64_t seen = log().head();   // an answer may come while the doubts are written down
    out_.doubts = find_doubts(*tools_, writer_);
    if (!out_.doubts.empty() && park_in_doubt(seen)) return false;
  } while (!out_.doubts.empty() && !writer_.stopped());
  return !writer_.stopped();
}

// Leaves what was parked; the word of a person wakes it. Returns false when somebody said something meanwhile.
bool RunOpening::park_in_doubt(std::uint64_t seen) {
  Parked wanted = writer_.parked().value_or(Parked());
  if (wanted.continuation.empty()) wanted.continuation = continuation_name(writer_);
  wanted.wait_keys.clear();
  for (const LoggedEffect& doubt : out_.doubts) wanted.wait_keys.push_back(doubt_key(doubt.key, doubt.attempt));
  wanted.deadline_ms.reset();
  wanted.observed_seq = seen;
  Fact fact = writer_.made(FactKind::RunSuspended, FactAuthor::Host);
  fact.status = "in_doubt";
  out_.end = DurableEnd::InDoubt;
  return writer_.park({&fact, 1}, wanted);
}

// A program that goes on makes its open calls again. Without their tools it would end with unknown_tool, for ever.
bool RunOpening::has_tools_of_open_calls() {
  if (!is_same_source()) return true;
  std::string missing;
  for (const LoggedEffect* call : log().unsettled(writer_.token())) {
    const std::string line = "tool " + call->tool + " is missing";
    if (tools_->find(call->tool) != nullptr || missing.find(line) != std::string::npos) continue;
    missing.append(missing.empty() ? "" : "; ").append(line);
  }
  return missing.empty() || refuse(std::move(missing));
}

// A plan never changes.
bool RunOpening::set_plan() {
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
bool RunOpening::begin() {
  std::unique_ptr<Session> idle;
  if (auto known = writer_.parked(); known && !known->snapshot.empty()) {
    SessionRestore wanted = restore_options();
    if (!options_.keeps_session) wanted.has_read = giving_back(known->snapshot);   // else it may be parked again
    auto restored = Session::restore(engine_, known->snapshot, tools_, wanted);
    if (const auto* error = std::get_if<RestoreError>(&restored)) {
      if (error->kind == SnapshotError::Refused) return refuse(error->message);
    } else if (auto session = std::get<std::unique_ptr<Session>>(std::move(restored)); !session->run().in_turn()) {
      if (options_.keeps_session) idle_ = std::move(known->snapshot);
      idle = std::move(session);
    } else if (continue_as(std::move(session), known->observed_seq)) {
      return true;
    }
  }
  return !writer_.stopped() && from_the_top(std::move(idle));
}

SessionRestore RunOpening::restore_options() const {
  SessionRestore wanted;
  wanted.most = options_.session.limits;
  wanted.fixed_clock_millis = options_.session.fixed_clock_millis;
  wanted.slice_fuel = options_.session.slice_fuel;
  wanted.yields_at_commits = true;
  return wanted;
}

// Returns false when the session cannot learn what was committed since it was parked; the log is the truth.
bool RunOpening::continue_as(std::unique_ptr<Session> session, std::uint64_t observed_seq) {
  session->journal().forget_all_but([&](std::string_view id) {
    if (log().external_version(id) != 0) return false;
    return log().epoch(id) == 1 || writer_.task(id, log().epoch_at(id, observed_seq)).edn != nullptr;
  });
  const bool can_look_up = std::all_of(log().tasks().begin(), log().tasks().end(), [&](const LoggedTask& task) {
    return session->journal().has(task.id) || !holds_functions(task.value_edn);
  });
  if (!can_look_up) return false;
  if (!is_same_source()) out_.message = "the program that was parked goes on; the source given now is another one";
  session_ = std::move(session);
  attend(observed_seq);
  is_resumed_ = true;
  return true;
}

EpochOf RunOpening::epoch_of() {
  return [this](std::string_view task) { return facts_.epoch(task); };
}

// Connects the session with the run; the session is where the log was at `seq`.
void RunOpening::attend(std::uint64_t seq) {
  session_->calls().hand_out_all();
  session_->journal().set_source(
      [this](std::string_view id) { return look_up(id); },
      [this](std::string_view id) {
        writer_.stop({StoreError::Kind::Corrupt, "the value of task " + std::string(id) + " cannot be read"});
      });
  if (options_.resets_need_reasons) {
    session_->journal().set_reset_rule([this](std::string_view id) { return log().has_effects(id); });
  }
  session_->gate().set_hooks(hooks());
  if (options_.on_session) options_.on_session(*session_);
  take_approvals(*session_, log());
  facts_.attend(*session_, seq);
  session_->clock().set_cancel_flag(options_.cancelled);
}

// A call that the log knows was judged when it was made.
ToolHooks RunOpening::hooks() {
  ToolHooks own = options_.hooks;
  own.key_of = [this](const CallMeta& meta) { return recorded_key(meta, epoch_of(), writer_); };
  if (own.before) {
    own.before = [this, before = std::move(own.before)](const ToolCall& call) {
      const std::string key = recorded_key(call.meta, epoch_of(), writer_);
      return writer_.effect(key) == nullptr ? before(call) : ToolVerdict();
    };
  }
  return own;
}

// Functions are read before the program begins: when there are some, it begins again with the whole log.
SessionJournal::TaskText RunOpening::look_up(std::string_view id) {
  const LogWriter::FoundTask found = facts_.found(id);
  if (found.edn == nullptr || !holds_functions(*found.edn)) return {found.edn, found.returned};
  needs_whole_ = true;
  facts_.freeze();
  return {};
}

// `session`: the one that the last turn left, when it is kept; else null.
bool RunOpening::from_the_top(std::unique_ptr<Session> session) {
  SessionOptions own = options_.session;
  own.turns_before = turn() - 1;
  own.operations_before = log().operations_before();
  own.yields_at_commits = true;
  if (session != nullptr) {
    session_ = std::move(session);
    session_->begin_turns_after(turn() - 1);
  } else {
    session_ = std::make_unique<Session>(engine_, std::move(own));
    session_->calls().share_tools(tools_);
  }
  session_->journal().enable();
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

bool RunOpening::begin_turn(std::shared_ptr<const Program> program) {
  if (!note_start()) return false;
  attend(0);
  session_->begin(std::move(program));
  return true;
}

// A run that was enqueued, and that nobody has begun yet, has its start in the log.
bool RunOpening::note_start() {
  Fact started = writer_.made(FactKind::RunStarted, FactAuthor::Host);
  started.number = turn();
  started.id = options_.session.source_name;
  started.text = source_;
  started.value = options_.context;
  started.args = turn_options_edn(options_.session);
  const auto& noted = log().last_start();
  const bool is_noted = log().head() == 1 && noted && noted->source == started.text &&
                        noted->source_name == started.id && noted->context == started.value &&
                        noted->limits == started.args;
  return is_noted || writer_.put(std::move(started)).has_value();
}

// Inputs; what tasks came to, when it cannot be looked up later; and the operations that their bodies started:
// handles may name them, and a task that was not committed attaches to them. All others are opened again by the
// program.
std::optional<std::string> RunOpening::load() {
  if (!options_.context.empty()) {
    if (auto complaint = session_->inputs().load_context(options_.context)) return "the context: " + *complaint;
  }
  if (options_.prepare) {
    if (auto complaint = options_.prepare(*session_)) return complaint;
  }
  if (auto complaint = session_->operations().load(operations_to_attach(log()))) {
    return "the log's operations: " + *complaint;
  }
  for (const LoggedTask& task : log().tasks()) {
    if (!holds_functions(task.value_edn) || session_->journal().has(task.id)) continue;
    const auto complaint = session_->journal().load_task(task.id, task.value_edn);
    if (complaint) return "the log's value of task " + task.id + ": " + *complaint;
  }
  return std::nullopt;
}

}  // namespace ptc
