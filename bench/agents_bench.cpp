// What the loop of agents costs without model and tools: turns, documents of waiting agents, and their memory.
//
//   ptc_agents_bench [--turns N] [--agents N]
//
// Times are processor time. A turn is the request as bytes, the reply read from bytes, the program and its feedback.
#include <malloc.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "agents/loop/agent_run.h"
#include "bench_results.h"

namespace {

using ptcvm::loop::Agent;
using ptcvm::loop::AgentRun;
using ptcvm::loop::AgentState;
using ptcvm::loop::ModelReply;
using ptcvm::loop::OperationKind;

double processor_micros() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

Agent made(const ptcvm::Engine& engine, std::size_t turns) {
  const std::string n = std::to_string(turns + 1);
  auto definition = ptcvm::loop::read_agent_text(
      R"({"name": "bench", "prompt": "Add up {{rows}}.", "signature": "(rows [:int]) -> {n :int}", "max_turns": )" + n +
      R"(, "limits": {"turns": )" + n + R"(, "model_calls": )" + n +
      R"(}, "tools": [{"name": "page", "signature": "(to :string) -> :string", "mode": "async"}]})");
  if (!definition) stop(definition.error().message);
  auto agent = Agent::make(engine, std::move(*definition));
  if (!agent) stop(agent.error().message);
  return *agent;
}

AgentRun started(const Agent& agent, std::string id) {
  auto run = AgentRun::start(agent, {.id = std::move(id), .data_json = R"({"rows": [1, 2, 3, 4]})"});
  if (!run) stop(run.error().message);
  return std::move(*run);
}

// Returns the body in which a model of chat completions calls run_program.
ModelReply reply_with(const std::string& program) {
  const std::string arguments = boost::json::serialize(boost::json::object{{"program", program}});
  ModelReply reply;
  reply.body = boost::json::serialize(boost::json::value{
      {"id", "c1"},
      {"object", "chat.completion"},
      {"model", "scripted"},
      {"choices",
       {{{"index", 0},
         {"finish_reason", "tool_calls"},
         {"message",
          {{"role", "assistant"},
           {"content", nullptr},
           {"tool_calls",
            {{{"id", "call_1"},
              {"type", "function"},
              {"function", {{"name", "run_program"}, {"arguments", arguments}}}}}}}}}}},
      {"usage", {{"prompt_tokens", 120}, {"completion_tokens", 15}, {"total_tokens", 135}}}});
  return reply;
}

void take_turn(AgentRun& run, const ModelReply& reply) {
  if (run.step() != AgentState::Waiting) stop("the run ended: " + run.outcome().message);
  for (const auto& operation : run.operations()) {
    if (operation.kind != OperationKind::Model) continue;
    if (auto told = run.resolve_model(operation.path, reply); !told) stop(told.error().message);
    return;
  }
  stop("the run does not wait for its model");
}

void report(const char* what, double value, const char* unit, double must) {
  std::printf("%-58s %10.2f %-6s must %g\n", what, value, unit, must);
}

// Each turn defines a name anew, so that the document keeps its size, and shows a value.
void bench_turns(const ptcvm::Engine& engine, std::size_t turns) {
  const Agent agent = made(engine, turns);
  const ModelReply reply = reply_with("(def total (reduce + data/rows))\n{:total total :seen (count data/rows)}");
  double best = 1e18;
  for (int round = 0; round < 3; ++round) {
    AgentRun run = started(agent, "turns");
    const double begin = processor_micros();
    for (std::size_t i = 0; i < turns; ++i) take_turn(run, reply);
    best = std::min(best, (processor_micros() - begin) / static_cast<double>(turns));
  }
  const std::string what = "a turn, in a conversation of " + std::to_string(turns);
  report(what.c_str(), best, "us", 50);
}

// The turns define one value again and again, or a function each.
AgentRun waiting_after(const Agent& agent, std::size_t turns, std::string id, bool has_definitions = false) {
  AgentRun run = started(agent, std::move(id));
  const ModelReply value = reply_with("(def total (reduce + data/rows))\ntotal");
  for (std::size_t i = 0; i + 1 < turns; ++i) {
    const std::string name = "scaled-" + std::to_string(i);
    take_turn(run, !has_definitions ? value
                                    : reply_with("(defn " + name + " \"Scales rows\" [rows by] (map (fn [r] (* r by " +
                                                 std::to_string(i) + ")) rows))\n(count (" + name +
                                                 " data/rows 2))"));
  }
  take_turn(run, reply_with("(return {:n (count (await (tool/page {:to \"ada\"})))})"));
  run.step();
  for (const auto& operation : run.operations()) {
    if (operation.kind == OperationKind::Tool && !run.pend(operation.path)) stop("the call cannot wait");
  }
  if (run.step() != AgentState::Waiting || run.pending().empty()) stop("the run does not wait");
  return run;
}

void bench_documents(const ptcvm::Engine& engine, bool has_definitions) {
  const Agent agent = made(engine, 20);
  const AgentRun run = waiting_after(agent, 10, "waiting", has_definitions);
  constexpr int kTimes = 2'000;
  std::vector<std::byte> bytes;
  double write = 1e18, load = 1e18;
  for (int round = 0; round < 5; ++round) {
    double begin = processor_micros();
    for (int i = 0; i < kTimes; ++i) bytes = run.snapshot();
    write = std::min(write, (processor_micros() - begin) / kTimes);
    begin = processor_micros();
    for (int i = 0; i < kTimes; ++i) {
      if (const auto restored = AgentRun::restore(agent, bytes); !restored) stop(restored.error().message);
    }
    load = std::min(load, (processor_micros() - begin) / kTimes);
  }
  const std::string with = has_definitions ? " and nine functions" : "";
  report(("writing the document of a waiting agent with ten turns" + with).c_str(), write, "us", 20);
  report("loading it", load, "us", 30);
  report("its size", static_cast<double>(bytes.size()) / 1024, "KiB", 8);
}

double bytes_in_use() { return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd); }

// Reports what one of many agents takes that `make` makes.
template <class Make>
void bench_memory(const char* what, std::size_t agents, double must, Make make) {
  std::vector<decltype(make(std::string()))> kept;
  kept.reserve(agents);
  malloc_trim(0);
  const double before = bytes_in_use();
  for (std::size_t i = 0; i < agents; ++i) kept.push_back(make(std::to_string(i)));
  const std::string text = std::string(what) + ", of " + std::to_string(agents) + " in one process";
  report(text.c_str(), (bytes_in_use() - before) / static_cast<double>(agents) / 1024, "KiB", must);
}

void bench_waiting(const ptcvm::Engine& engine, std::size_t agents) {
  const Agent agent = made(engine, 20);
  const auto waiting = [&agent](std::string id) { return waiting_after(agent, 3, std::move(id)); };
  bench_memory("a document", agents, 8, [&](std::string id) { return waiting(std::move(id)).snapshot(); });
  bench_memory("a parked run", agents, 8, [&](std::string id) {
    AgentRun run = waiting(std::move(id));
    if (!run.park()) stop("the run cannot be parked");
    return run;
  });
  bench_memory("a run that is not parked", agents, 64, waiting);
}

void bench_parking(const ptcvm::Engine& engine) {
  const Agent agent = made(engine, 20);
  AgentRun run = waiting_after(agent, 10, "waiting");
  constexpr int kTimes = 2'000;
  double best = 1e18;
  for (int round = 0; round < 5; ++round) {
    const double begin = processor_micros();
    for (int i = 0; i < kTimes; ++i) {
      if (!run.park() || run.pending().empty()) stop("the run cannot be parked");
    }
    best = std::min(best, (processor_micros() - begin) / kTimes);
  }
  report("parking it and waking it", best, "us", 100);
}

std::size_t number_after(int argc, char** argv, const char* option, std::size_t otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], option) == 0) return std::strtoull(argv[i + 1], nullptr, 10);
  }
  return otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const ptcvm::Engine engine;
  bench_turns(engine, 10);
  bench_turns(engine, number_after(argc, argv, "--turns", 1'000));
  bench_documents(engine, false);
  bench_documents(engine, true);
  bench_parking(engine);
  bench_waiting(engine, number_after(argc, argv, "--agents", 10'000));
}
