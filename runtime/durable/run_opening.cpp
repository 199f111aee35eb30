#include "runtime/durable/run_opening.h"

#include <algorithm>
#include <utility>

#include "runtime/durable/rebuilt_session.h"
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
  if (!open_log()) return nullptr;
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

// What one turn was begun with holds in every later turn, too: that definitions are kept, and that resets need reasons.
// Any process may begin or end the turn. The rule about resets asks for the calls of every task.
bool RunOpening::open_log() {
  needs_reasons_ = options_.session.resets_need_reasons;
  if (!(needs_reasons_ ? writer_.open_whole() : writer_.open())) return false;
  SessionOptions begun;
  const bool is_begun = log().last_start() && !read_turn_options(log().last_start()->limits, begun);
  was_kept_ = is_begun && begun.keeps_session;
  keeps_session_ = was_kept_ || options_.session.keeps_session;
  if (!is_begun || !begun.resets_need_reasons || needs_reasons_) return true;
  needs_reasons_ = true;
  return writer_.open_whole();
}

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
  for (;;) {
    std::vector<LoggedEffect> doubts = find_doubts(*tools_, writer_);
    if (writer_.stopped()) return false;
    if (doubts.empty()) return true;
    if (park_in_doubt(std::move(doubts))) return false;
  }
}

// Leaves what was parked, and the place in the log that the snapshot knows; the word of a person wakes the run.
bool RunOpening::park_in_doubt(std::vector<LoggedEffect> doubts) {
  out_.outcome = {};
  out_.doubts = std::move(doubts);
  Parked wanted = writer_.parked().value_or(Parked());
  if (wanted.continuation.empty()) wanted.continuation = continuation_name(writer_);
  wanted.wait_keys.clear();
  for (const LoggedEffect& doubt : out_.doubts) wanted.wait_keys.push_back(doubt_key(doubt.key, doubt.attempt));
  wanted.deadline_ms.reset();
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
  auto known = writer_.parked();
  had_parked_ = known.has_value();
  if (known && !known->snapshot.empty()) {
    SessionRestore wanted = restore_options();
    const bool may_park_again = keeps_session_;
    if (!may_park_again) wanted.has_read = giving_back(known->snapshot);
    auto restored = Session::restore(engine_, known->snapshot, tools_, wanted);
    if (const auto* error = std::get_if<RestoreError>(&restored)) {
      if (error->kind == SnapshotError::Refused) return refuse(error->message);
    } else if (auto session = std::get<std::unique_ptr<Session>>(std::move(restored)); !session->run().in_turn()) {
      if (may_park_again) idle_ = std::move(known->snapshot);
      keeps_session_ = true;   // logs of earlier versions do not say it
      idle = std::move(session);
    } else if (continue_as(std::move(session), known->observed_seq)) {
      return true;
    }
  }
  if (writer_.stopped() || (idle == nullptr && was_kept_ && !rebuild_definitions(idle))) return false;
  return from_the_top(std::move(idle));
}

// Makes the session that the turns before have left anew, when nothing else has it: a turn without their definitions
// would be another program.
bool RunOpening::rebuild_definitions(std::unique_ptr<Session>& session) {
  if (turn() == 1) return true;
  if (idle_.empty()) {
    auto rebuilt = rebuild_session(engine_, writer_.store(), tools_, turn(), options_);
    if (auto* error = std::get_if<StoreError>(&rebuilt)) {
      writer_.stop(std::move(*error));
      return false;
    }
    auto& [snapshot, complaint] = std::get<RebuiltSession>(rebuilt);
    if (!complaint.empty()) return refuse_without_definitions(complaint);
    if (snapshot.empty()) return true;
    idle_ = std::move(snapshot);
  }
  auto restored = Session::restore(engine_, idle_, tools_, restore_options());
  if (const auto* error = std::get_if<RestoreError>(&restored)) return refuse_without_definitions(error->message);
  session = std::get<std::unique_ptr<Session>>(std::move(restored));
  return true;
}

bool RunOpening::refuse_without_definitions(const std::string& why) {
  return refuse("definitions_lost: the definitions of " + writer_.name() + " are not parked here, and its log cannot "
                "give them back: " + why);
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
    if (log().external_version(id) != 0 || log().reset_from_outside(id) > observed_seq) return false;
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
  if (needs_reasons_) {
    // A reset that the log knows was allowed when the program first reset the task.
    session_->journal().set_reset_rule(
        [this](std::string_view id) { return facts_.epoch(id) >= log().epoch(id) && log().has_effects(id); });
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
    // What others have put or reset since is in the log alone, and so is what this turn made of a reset task before its
    // process died: the session has the values of the first epochs for sure, and no others.
    session_->journal().forget_all_but([this](std::string_view id) {
      const std::uint64_t begun = log().is_over() ? log().epoch(id) : log().epoch_at(id, 0);
      return log().external_version(id) == 0 && begun == 1;
    });
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
  SessionOptions own = options_.session;
  own.keeps_session = keeps_session_;
  own.resets_need_reasons = needs_reasons_;
  started.args = turn_options_edn(own);
  const auto& noted = log().last_start();
  const bool is_noted = log().head() == 1 && noted && noted->source == started.text &&
                        noted->source_name == started.id && noted->context == started.value &&
                        noted->limits == started.args;
  if (is_noted) return true;
  // What was parked stays until this turn parks or ends, and the run is no longer one that waits.
  return had_parked_ ? writer_.resume(started) : writer_.put(std::move(started)).has_value();
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
