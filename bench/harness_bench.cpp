// What the planner harness costs: one more fact and an evaluation in a long conversation, and a decision with its
// cursor on SQLite beside a plain fact.
//
// Usage: ptc_harness_bench [facts] [rounds]. Prints µs for each, the median of the rounds, and the ratio of the writes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "agents/harness/conversation/conversation.h"
#include "agents/harness/pass/evaluate.h"
#include "bench_results.h"
#include "ptcvm/sqlite.hpp"

namespace {

namespace harness = ptcvm::harness;

constexpr std::int64_t kNowMs = 1'700'000'000'000;
constexpr std::size_t kWrites = 200;   // in a round

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

// Returns µs for each of `count` calls.
double micros(std::size_t count, const std::function<void(std::size_t)>& call) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) call(i);
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / static_cast<double>(count);
}

// A conversation as it goes: messages, drafts, whispers, questions, answers, tools.
ptcvm::HostFact fact_number(std::size_t i) {
  using harness::FactType;
  const std::string id = std::to_string(i);
  const harness::ProposedFact kinds[] = {
      {FactType::message_received, {{"messageId", "in-" + id}, {"text", "Do you have the notes of the visit?"}}},
      {FactType::status_changed, {{"a2a", i % 16 < 8 ? "input-required" : "working"}}},
      {FactType::user_guidance, {{"gid", "g-" + id}, {"text", "be brief"}}},
      {FactType::agent_question, {{"qid", "q-" + id}, {"prompt", "Which visit?"}}},
      {FactType::user_answer, {{"qid", "q-" + std::to_string(i - 1)}, {"text", "the last one"}}},
      {FactType::tool_result, {{"callId", "call-" + id}, {"ok", true}, {"result", {{"found", 3}}}}},
      {FactType::compose_intent, {{"composeId", "c-" + id}, {"text", "The notes are attached."}}},
      {FactType::message_sent, {{"messageId", "out-" + id}, {"text", "The notes are attached."}}}};
  const harness::ProposedFact& kind = kinds[i % std::size(kinds)];
  const std::string name(harness::fact_info(kind.type).name);
  ptcvm::HostFact fact = harness::host_fact(ptcvm::HostFactClass::Observation, name, "", kind.body, {kNowMs, {}});
  fact.seq = i + 1;
  return fact;
}

double evaluation(std::size_t facts) {
  constexpr std::size_t kMore = 800;
  harness::ConversationView view;
  for (std::size_t i = 0; i < facts; ++i) view.apply(fact_number(i));
  std::vector<ptcvm::HostFact> more;
  for (std::size_t i = 0; i < kMore; ++i) more.push_back(fact_number(facts + i));
  const harness::EvaluateRules rules{.most_facts = facts * 10};
  std::size_t runs = 0;
  const double time = micros(kMore, [&](std::size_t i) {
    view.apply(more[i]);
    runs += harness::evaluate(view, view.cursor(), rules).verdict == harness::Verdict::Run ? 1 : 0;
  });
  if (runs == 0) stop("the planner was never to run");
  return time;
}

// A file that is removed afterwards.
class ScratchStore {
 public:
  ScratchStore() : path_(std::filesystem::temp_directory_path() / "ptc_harness_bench.db") { remove(); }
  ~ScratchStore() { remove(); }
  ScratchStore(const ScratchStore&) = delete;
  ScratchStore& operator=(const ScratchStore&) = delete;
  ptcvm::HostLog log() const { return ptcvm::HostLog::of(taken(ptcvm::open_sqlite(path_.string())), "conversation"); }

 private:
  void remove() const {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path_.string() + end);
  }
  std::filesystem::path path_;
};

// One fact, as the store takes it.
double plain_put() {
  const ScratchStore file;
  ptcvm::HostLog log = file.log();
  return micros(kWrites, [&log](std::size_t i) {
    const ptcvm::HostFact fact = fact_number(i * 8 + 6);
    taken(log.put(ptcvm::HostCut::blind(), {&fact, 1}));
  });
}

// A draft with the cursor, as a pass commits it.
double decision() {
  const ScratchStore file;
  harness::Conversation conversation = taken(harness::Conversation::open(file.log()));
  const std::uint64_t token = taken(conversation.claim(kNowMs, 600'000)).value();
  return micros(kWrites, [&](std::size_t i) {
    const std::uint64_t cut = conversation.view().log_seq();
    const std::string id = "c-" + std::to_string(i);
    std::vector<harness::ProposedFact> facts{
        {harness::FactType::compose_intent, {{"composeId", id}, {"text", "The notes are attached."}}}};
    const harness::PlanCursor cursor;
    if (!taken(conversation.decide(token, cut, std::move(facts), cursor, {kNowMs, {}}))) stop("a decision was refused");
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t facts = argc > 1 ? std::stoul(argv[1]) : 10'000;
  const std::size_t rounds = argc > 2 ? std::stoul(argv[2]) : 9;
  std::vector<double> evaluations, puts, decisions;
  for (std::size_t round = 0; round < rounds; ++round) {
    evaluations.push_back(evaluation(facts));
    puts.push_back(plain_put());
    decisions.push_back(decision());
  }
  std::printf("one more fact and an evaluation after %zu facts: %.2f us\n", facts, median(evaluations));
  std::printf("a plain fact on SQLite: %.1f us\n", median(puts));
  std::printf("a draft with its cursor on SQLite: %.1f us, %.2f of the plain fact\n", median(decisions),
              median(decisions) / median(puts));
}
