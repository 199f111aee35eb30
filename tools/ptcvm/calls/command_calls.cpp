#include "tools/ptcvm/calls/command_calls.h"

#include <poll.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "tools/ptcvm/calls/staying_process.h"
#include "tools/ptcvm/calls/tool_errors.h"

namespace ptcvm::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookMillis = 20;          // how often deadlines, the cancel flag and ended processes are looked at

std::chrono::microseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
}

// Answers with the output of a command. A stored run decides by the effect class what becomes of an answer that is no
// JSON; in another run the call has failed.
template <class SomeRun>
void give_json(SomeRun& run, std::uint64_t call, std::string_view json, const AnswerDetails& details) {
  const Result<void> answered = run.answer_json(call, json, details);
  if (answered || answered.error().code != Errc::invalid_value) return;
  std::string why = "its output is no JSON: " + answered.error().diagnostic->message;
  if constexpr (std::is_same_v<SomeRun, StoredRun>) {
    (void)run.answer_unknown(call, std::move(why), details);
  } else {
    (void)run.answer_error(call, std::move(why), details);
  }
}

// Gives an answer to the run. An answer that nobody waits for any more is dropped: the turn has ended meanwhile.
template <class SomeRun>
void give(SomeRun& run, CommandCalls::Ended ended) {
  AnswerDetails details;
  details.took = ended.took;
  details.announces = ended.reply.announces;
  details.errors = ended.reply.errors.empty() ? ended.reply.shown_errors : ended.reply.errors;
  switch (ended.reply.kind) {
    case CommandReply::Kind::Json: return give_json(run, ended.call, ended.reply.text, details);
    case CommandReply::Kind::TooLarge: (void)run.answer_too_large(ended.call, details); return;
    case CommandReply::Kind::Error: (void)run.answer_error(ended.call, std::move(ended.reply.text), details); return;
    case CommandReply::Kind::Pending: (void)run.answer_pending(ended.call, {}, details); return;
    case CommandReply::Kind::Unknown: break;
  }
  if constexpr (std::is_same_v<SomeRun, StoredRun>) {
    (void)run.answer_unknown(ended.call, std::move(ended.reply.text), details);
  } else {
    (void)run.answer_error(ended.call, std::move(ended.reply.text), details);
  }
}

// Begins what can be called. Arguments that do not fit into the memory of the run end their call.
template <class SomeRun>
void begin_calls(SomeRun& run, CommandCalls& commands) {
  for (const WaitingCall& call : run.calls()) {
    if (!commands.can_begin(call)) continue;
    Result<std::string> args = std::string();
    if (commands.has_command(call)) args = run.args_json(call.id);
    if (!args) return;                       // the list of calls is another one now
    commands.begin(call, std::move(*args));
    run.hold_memory(commands.held_bytes());
  }
}

// Begins what can be called, and answers what has ended: without waits_long, after a moment, also when nothing has.
template <class SomeRun>
void make_calls(SomeRun& run, CommandCalls& commands, bool waits_long = true) {
  begin_calls(run, commands);
  const Clock::time_point waiting = Clock::now();
  std::vector<CommandCalls::Ended> ended;
  do {
    run.hold_memory(commands.held_bytes());
    ended = commands.wait(run.memory_left());
  } while (ended.empty() && commands.is_waiting() && waits_long);
  run.count_time(since(waiting));
  std::uint64_t unread = 0;
  for (const CommandCalls::Ended& one : ended) unread += one.reply.text.capacity();
  for (CommandCalls::Ended& one : ended) {
    unread -= one.reply.text.capacity();     // the run counts a text while it reads the text
    run.hold_memory(commands.held_bytes() + unread);
    give(run, std::move(one));
  }
  run.hold_memory(commands.held_bytes());
}

}  // namespace

CommandCalls::~CommandCalls() {
  for (stdio::CallProcess* const process : staying()) process->abandon();
}

bool CommandCalls::can_begin(const WaitingCall& call) const {
  if (running_.size() >= most_ || running_.contains(call.id)) return false;
  const auto command = tools_.commands.find(call.tool);
  const stdio::CallProcess* const staying = command == tools_.commands.end() ? nullptr : command->second.staying();
  return staying == nullptr || staying->has_room();
}

bool CommandCalls::has_command(const WaitingCall& call) const { return tools_.commands.contains(call.tool); }

void CommandCalls::begin(const WaitingCall& call, std::string args_json) {
  const auto command = tools_.commands.find(call.tool);
  if (command == tools_.commands.end()) {
    Ended& ended = ended_.emplace_back();
    ended.call = call.id;
    ended.reply.kind = CommandReply::Kind::Pending;
    return;
  }
  Running& running = running_[call.id];
  running.tool = &command->second;
  running.call = call;
  running.call.args = {};
  running.begun = Clock::now();
  if (retries_ && running.tool->tool().retry.max_attempts > 1) running.args_json = args_json;
  start(running, std::move(args_json));
}

void CommandCalls::start(Running& running, std::string args_json) {
  running.pause_until.reset();
  if (stdio::CallProcess* const staying = running.tool->staying()) {
    staying->begin(process_call(running.call, running.tool->tool(), std::move(args_json)));
  } else {
    running.process = running.tool->start(running.call, std::move(args_json), cancelled_);
  }
}

// Returns whether a call that failed is made again after a pause.
bool CommandCalls::begins_pause(Running& running, const CommandReply& reply) const {
  const ExternalTool& tool = running.tool->tool();
  const bool may_repeat = reply.kind == CommandReply::Kind::Error ||
                          (reply.kind == CommandReply::Kind::Unknown && tool.may_repeat);
  if (!retries_ || !may_repeat || running.attempt >= tool.retry.max_attempts) return false;
  if (cancelled_ != nullptr && cancelled_->load()) return false;
  const double growth = std::pow(tool.retry.factor, running.attempt - 1);
  const double pause = std::min(static_cast<double>(tool.retry.first_delay.count()) * growth,
                                static_cast<double>(tool.retry.max_delay.count()));
  const auto until = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(pause));
  if (running.call.deadline && until >= *running.call.deadline) return false;
  running.process.reset();
  running.pause_until = until;
  ++running.attempt;
  return true;
}

void CommandCalls::end_pauses() {
  const Clock::time_point now = Clock::now();
  for (auto& [call, running] : running_) {
    const stdio::CallProcess* const staying = running.tool->staying();
    if (running.pause_until && *running.pause_until <= now && (staying == nullptr || staying->has_room())) {
      start(running, running.args_json);
    }
  }
}

// Returns the processes that stay and have calls, each once.
std::vector<stdio::CallProcess*> CommandCalls::staying() const {
  std::vector<stdio::CallProcess*> out;
  for (const auto& [call, running] : running_) {
    stdio::CallProcess* const process = running.tool->staying();
    if (process != nullptr && std::ranges::count(out, process) == 0) out.push_back(process);
  }
  return out;
}

std::uint64_t CommandCalls::held_bytes() const {
  std::uint64_t held = 0;
  for (const auto& [call, running] : running_) {
    held += running.args_json.capacity() + (running.process == nullptr ? 0 : running.process->held_bytes());
  }
  for (const stdio::CallProcess* const process : staying()) held += process->held_bytes();
  return held;
}

// Collects what commands have replied, by call. What the output of one takes is not there for the next one.
void CommandCalls::take_replies(std::uint64_t more_bytes, std::map<std::uint64_t, CommandReply>& out) {
  for (auto& [call, running] : running_) {
    if (running.process == nullptr) continue;
    const std::uint64_t held = running.process->held_bytes();
    running.process->bound_memory(more_bytes);
    const bool has_ended = running.process->look(0);
    more_bytes -= std::min(more_bytes, running.process->held_bytes() - held);
    if (has_ended) out.emplace(call, running.tool->read(running.process->take_result()));
  }
  for (stdio::CallProcess* const process : staying()) {
    process->bound_memory(more_bytes);
    if (cancelled_ != nullptr && cancelled_->load()) process->stop("stopped");
    for (stdio::CallAnswer& answer : process->look()) {
      out.emplace(answer.call, reply_of(std::move(answer)));
    }
  }
}

std::vector<CommandCalls::Ended> CommandCalls::take_ended(std::uint64_t more_bytes) {
  end_pauses();
  std::map<std::uint64_t, CommandReply> replies;
  take_replies(more_bytes, replies);
  std::vector<Ended> out = std::exchange(ended_, {});
  for (auto& [call, reply] : replies) {
    const auto running = running_.find(call);
    if (running == running_.end()) continue;
    const CommandTool& tool = *running->second.tool;
    show_tool_errors(tool.tool().name, reply.errors);
    if (begins_pause(running->second, reply)) continue;
    reply.announces = reply.kind == CommandReply::Kind::Json && tool.is_async();
    out.push_back({call, std::move(reply), since(running->second.begun)});
    running_.erase(running);
  }
  return out;
}

std::vector<CommandCalls::Ended> CommandCalls::wait(std::uint64_t more_bytes) {
  std::vector<Ended> out = take_ended(more_bytes);
  if (!out.empty()) return out;
  std::vector<pollfd> waits;
  for (const auto& [call, running] : running_) {
    if (running.process != nullptr) running.process->add_waits(waits);
  }
  for (const stdio::CallProcess* const process : staying()) process->add_waits(waits);
  // A command that has closed its output ends within a moment.
  if (waits.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(running_.empty() ? kLookMillis : 1));
  } else {
    (void)poll(waits.data(), waits.size(), kLookMillis);
  }
  return out;
}

void look_at_calls(StoredRun& run, CommandCalls& commands) { make_calls(run, commands, false); }

RunState run_with_commands(Run& run, CommandCalls& commands) {
  commands.retry_failed_calls();
  for (;;) {
    const RunState state = run.step();
    if (state != RunState::Yielded) return state;
    if (!run.calls().empty()) make_calls(run, commands);
  }
}

Result<StoredOutcome> run_with_commands(StoredRun& run, CommandCalls& commands) {
  for (;;) {
    const Result<StoredStep> step = run.step();
    if (!step) return step.error();
    if (*step == StoredStep::Done) return run.take_outcome();
    if (*step == StoredStep::Waits) make_calls(run, commands);
  }
}

}  // namespace ptcvm::cli
