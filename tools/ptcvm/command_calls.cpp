#include "tools/ptcvm/command_calls.h"

#include <poll.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace ptcvm::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = ChildLimits().max_output_bytes;
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

// Begins what can be called, and answers what has ended.
template <class SomeRun>
void make_calls(SomeRun& run, CommandCalls& commands) {
  begin_calls(run, commands);
  const Clock::time_point waiting = Clock::now();
  std::vector<CommandCalls::Ended> ended;
  do {
    run.hold_memory(commands.held_bytes());
    ended = commands.wait(run.memory_left());
  } while (ended.empty() && commands.is_waiting());
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

bool CommandCalls::can_begin(const WaitingCall& call) const {
  return running_.size() < most_ && !running_.contains(call.id);
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
  const Clock::time_point start = Clock::now();
  auto process = command->second.start(call, std::move(args_json), cancelled_);
  running_.emplace(call.id, Running{&command->second, std::move(process), start});
}

std::uint64_t CommandCalls::held_bytes() const {
  std::uint64_t held = 0;
  for (const auto& [call, running] : running_) held += running.process->held_bytes();
  return held;
}

void CommandCalls::bound_outputs(std::uint64_t more_bytes) const {
  for (const auto& [call, running] : running_) {
    const std::uint64_t most = running.process->output_bytes() + more_bytes;
    running.process->bound_output(static_cast<std::size_t>(std::min<std::uint64_t>(most, kMostOutput)));
  }
}

std::vector<CommandCalls::Ended> CommandCalls::take_ended() {
  std::vector<std::uint64_t> ended;
  for (const auto& [call, running] : running_) {
    if (running.process->look(0)) ended.push_back(call);
  }
  std::vector<Ended> out = std::exchange(ended_, {});
  for (const std::uint64_t call : ended) {
    auto node = running_.extract(call);
    const Running& done = node.mapped();
    out.push_back({call, done.tool->read(done.process->take_result()), since(done.begun)});
  }
  return out;
}

std::vector<CommandCalls::Ended> CommandCalls::wait(std::uint64_t more_bytes) {
  bound_outputs(more_bytes);
  std::vector<Ended> out = take_ended();
  if (!out.empty()) return out;
  std::vector<pollfd> waits;
  for (const auto& [call, running] : running_) running.process->add_waits(waits);
  // A command that has closed its output ends within a moment.
  if (waits.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(running_.empty() ? kLookMillis : 1));
  } else {
    (void)poll(waits.data(), waits.size(), kLookMillis);
  }
  return out;
}

RunState run_with_commands(Run& run, CommandCalls& commands) {
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
