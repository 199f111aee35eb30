#include "tools/ptcvm/command_calls.h"

#include <poll.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace ptcvm::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookMillis = 20;          // how often deadlines, the cancel flag and ended processes are looked at

std::chrono::microseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
}

// Gives an answer to the run. An answer that nobody waits for any more is dropped: the turn has ended meanwhile.
template <class SomeRun>
void give(SomeRun& run, CommandCalls::Ended ended) {
  const AnswerDetails details{ended.took, ended.reply.value, ended.reply.ttl};
  switch (ended.reply.kind) {
    case CommandReply::Kind::Value: (void)run.answer(ended.call, ended.reply.value, details); return;
    case CommandReply::Kind::Error: (void)run.answer_error(ended.call, std::move(ended.reply.text), details); return;
    case CommandReply::Kind::Pending:
      (void)run.answer_pending(ended.call, std::move(ended.reply.text), details);
      return;
    case CommandReply::Kind::Unknown: break;
  }
  if constexpr (std::is_same_v<SomeRun, StoredRun>) {
    (void)run.answer_unknown(ended.call, std::move(ended.reply.text), details);
  } else {
    (void)run.answer_error(ended.call, std::move(ended.reply.text), details);
  }
}

// Begins what can be called, and answers what has ended.
template <class SomeRun>
void make_calls(SomeRun& run, CommandCalls& commands) {
  const Clock::time_point waiting = Clock::now();
  const std::vector<WaitingCall> calls = run.calls();
  commands.begin(calls);
  if (calls.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMillis));
  } else {
    for (CommandCalls::Ended& ended : commands.wait()) give(run, std::move(ended));
  }
  run.count_time(since(waiting));
}

}  // namespace

void CommandCalls::begin(const std::vector<WaitingCall>& calls) {
  for (const WaitingCall& call : calls) {
    if (running_.size() >= most_) return;
    if (running_.contains(call.id)) continue;
    const auto command = tools_.commands.find(call.tool);
    if (command == tools_.commands.end()) {      // nothing to start: the operation waits to be resolved
      Ended& ended = ended_.emplace_back();
      ended.call = call.id;
      ended.reply.kind = CommandReply::Kind::Pending;
      continue;
    }
    const Clock::time_point start = Clock::now();
    running_.emplace(call.id, Running{&command->second, command->second.start(call, cancelled_), start});
  }
}

std::vector<CommandCalls::Ended> CommandCalls::wait() {
  std::vector<Ended> out = std::exchange(ended_, {});
  while (out.empty() && !running_.empty()) {
    std::vector<std::uint64_t> ended;
    for (const auto& [call, running] : running_) {
      if (running.process->look(0)) ended.push_back(call);
    }
    for (const std::uint64_t call : ended) {
      auto node = running_.extract(call);
      const Running& done = node.mapped();
      out.push_back({call, done.tool->read(done.process->take_result()), since(done.begun)});
    }
    if (!out.empty()) break;
    std::vector<pollfd> waits;
    for (const auto& [call, running] : running_) running.process->add_waits(waits);
    // A command that has closed its output ends within a moment.
    if (waits.empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else {
      (void)poll(waits.data(), waits.size(), kLookMillis);
    }
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
