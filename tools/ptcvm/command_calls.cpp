#include "tools/ptcvm/command_calls.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace ptcvm::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookMillis = 20;          // how often deadlines, the cancel flag and ended processes are looked at
constexpr std::uint64_t kSliceFuel = 50'000;

std::uint64_t micros_since(Clock::time_point start) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
}

}  // namespace

bool CommandCalls::begin(std::uint64_t call, const ptc::Tool& tool, const ptc::ToolCall& made, const Answer& answer) {
  if (running_.contains(call) || running_.size() >= most_) return false;
  const Clock::time_point start = Clock::now();
  if (const auto* const command = tool.handler.target<CommandTool>()) {
    running_.emplace(call, Running{command, command->start(made), start});
  } else {
    ptc::ToolReply reply = tool.handler(made);
    answer(call, std::move(reply), micros_since(start));
  }
  return true;
}

void CommandCalls::wait(ptc::Heap& heap, const Answer& answer) {
  while (!running_.empty()) {
    std::vector<std::uint64_t> ended;
    for (const auto& [call, running] : running_) {
      if (running.process->look(0)) ended.push_back(call);
    }
    for (const std::uint64_t call : ended) {
      auto node = running_.extract(call);
      const Running& done = node.mapped();
      answer(call, done.tool->read(heap, done.process->take_result()), micros_since(done.begun));
    }
    if (!ended.empty()) return;
    std::vector<pollfd> waits;
    for (const auto& [call, running] : running_) running.process->add_waits(waits);
    if (waits.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    (void)poll(waits.data(), waits.size(), kLookMillis);
  }
}

ptc::Outcome run_with_commands(ptc::Session& session, std::size_t most, const std::atomic<bool>* cancelled) {
  const Clock::time_point start = Clock::now();
  CommandCalls commands(most);
  const auto answer = [&session](std::uint64_t call, ptc::ToolReply reply, std::uint64_t micros) {
    session.calls().answer(call, std::move(reply), micros);
  };
  // Returns whether a call was begun: what was looked at is no longer valid then.
  const auto begin_one = [&] {
    return std::ranges::any_of(session.calls().handed().all(), [&](const ptc::HandedCall& call) {
      return commands.begin(call.id, *call.tool, {call.tool->definition.name, call.args, session.heap(),
                                                  session.clock().deadline(), cancelled, call.meta}, answer);
    });
  };
  for (;;) {
    const ptc::SessionStep step = session.step(kSliceFuel);
    if (step == ptc::SessionStep::Yielded) continue;
    if (step != ptc::SessionStep::Waits || session.gate().waits_for_decisions_only()) break;
    const Clock::time_point waiting = Clock::now();
    while (begin_one()) {
    }
    commands.wait(session.heap(), answer);
    session.clock().add_active_micros(micros_since(waiting));
  }
  ptc::Outcome out = session.outcome();
  out.micros = micros_since(start);
  return out;
}

ptc::DurableOutcome run_with_commands(ptc::DurableRun& run, std::size_t most) {
  CommandCalls commands(most);
  const auto answer = [&run](std::uint64_t call, ptc::ToolReply reply, std::uint64_t micros) {
    run.answer(call, std::move(reply), micros);
  };
  const auto begin_one = [&] {
    return std::ranges::any_of(run.calls(), [&](const auto& open) {
      return commands.begin(open.first, *open.second.tool, run.tool_call(open.first), answer);
    });
  };
  for (;;) {
    const ptc::DurableStep step = run.step();
    if (step == ptc::DurableStep::Done) return run.outcome();
    if (step == ptc::DurableStep::Yielded) continue;
    const Clock::time_point waiting = Clock::now();
    while (begin_one()) {
    }
    if (run.calls().empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kLookMillis));
    } else {
      commands.wait(run.session()->heap(), answer);
    }
    if (run.session() != nullptr) run.session()->clock().add_active_micros(micros_since(waiting));
  }
}

}  // namespace ptcvm::cli
