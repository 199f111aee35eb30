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
#include "instructions.h"
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
  explicit ScratchStore(std::string_view name)
      : path_(std::filesystem::temp_directory_path() / ("ptc_harness_bench_" + std::string(name) + ".db")) {
    remove();
  }
  ~ScratchStore() { remove(); }
  ScratchStore(const ScratchStore&) = delete;
  ScratchStore& operator=(const ScratchStore&) = delete;
  ptcvm::HostLog log() const { return ptcvm::HostLog::of(taken(ptcvm::open_sqlite(path_.string())), "conversation"); }
  // Returns what SQLite has written into its write-ahead log. The log does not begin again in a round.
  std::uintmax_t written_bytes() const { return std::filesystem::file_size(path_.string() + "-wal"); }

 private:
  void remove() const {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path_.string() + end);
  }
  std::filesystem::path path_;
};

// What the writes of one kind cost in a round.
struct WriteCost {
  std::vector<double> micros;       // one for each write
  std::uint64_t instructions = 0;   // all writes together, in the process; 0 where the kernel does not count
  std::uintmax_t bytes = 0;         // in the write-ahead log

  void measure(const ptc::InstructionCounter& counter, const std::function<void()>& write) {
    const std::uint64_t before = counter.now();
    micros.push_back(::micros(1, [&write](std::size_t) { write(); }));
    instructions += counter.now() - before;
  }
};

// Both have the same body.
ptcvm::HostFact plain_draft(std::size_t i) { return fact_number(i * 8 + 6); }

harness::ProposedFact draft(std::size_t i) {
  return {harness::FactType::compose_intent,
          {{"composeId", "c-" + std::to_string(i * 8 + 6)}, {"text", "The notes are attached."}}};
}

// A plain fact as the store takes it, and a draft with the cursor as a pass commits it, in turns: whatever slows the
// disk slows both.
struct Writes {
  WriteCost plain, decision;

  Writes() {
    const ScratchStore plain_file("plain"), decision_file("decision");
    ptcvm::HostLog log = plain_file.log();
    harness::Conversation conversation = taken(harness::Conversation::open(decision_file.log()));
    const std::uint64_t token = taken(conversation.claim(kNowMs, 600'000)).value();
    const std::uintmax_t claim_bytes = decision_file.written_bytes();
    const std::uintmax_t opening_bytes = plain_file.written_bytes();
    harness::PlanCursor cursor;
    cursor.planner = {"simple-demo", {{"mode", "suggest"}}};
    const ptc::InstructionCounter counter;
    for (std::size_t i = 0; i < kWrites; ++i) {
      cursor.planned.inbound = i * 8 + 1;
      const ptcvm::HostFact fact = plain_draft(i);
      const auto put = [&] { taken(log.put(ptcvm::HostCut::blind(), {&fact, 1})); };
      const auto decide = [&] {
        const std::uint64_t cut = conversation.view().log_seq();
        if (!taken(conversation.decide(token, cut, {draft(i)}, cursor, {kNowMs, {}}))) stop("a decision was refused");
      };
      plain.measure(counter, put);
      decision.measure(counter, decide);
    }
    plain.bytes = plain_file.written_bytes() - opening_bytes;
    decision.bytes = decision_file.written_bytes() - claim_bytes;
  }
};

double ratio(std::uintmax_t of, std::uintmax_t to) {
  return to == 0 ? 0 : static_cast<double>(of) / static_cast<double>(to);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t facts = argc > 1 ? std::stoul(argv[1]) : 10'000;
  const std::size_t rounds = argc > 2 ? std::stoul(argv[2]) : 9;
  std::vector<double> evaluations, puts, decisions, ratios;
  for (std::size_t round = 0; round < rounds; ++round) {
    evaluations.push_back(evaluation(facts));
    const Writes writes;
    puts.push_back(median(writes.plain.micros));
    decisions.push_back(median(writes.decision.micros));
    ratios.push_back(decisions.back() / puts.back());
    if (round + 1 < rounds) continue;
    std::printf("instructions of a plain fact: %.0f, of a draft with its cursor: %.2f of them\n",
                static_cast<double>(writes.plain.instructions) / kWrites,
                ratio(writes.decision.instructions, writes.plain.instructions));
    std::printf("bytes in the write-ahead log for a plain fact: %.0f, for a draft with its cursor: %.2f of them\n",
                static_cast<double>(writes.plain.bytes) / kWrites, ratio(writes.decision.bytes, writes.plain.bytes));
  }
  std::ranges::sort(ratios);
  std::printf("one more fact and an evaluation after %zu facts: %.2f us\n", facts, median(evaluations));
  std::printf("a plain fact on SQLite: %.1f us\n", median(puts));
  std::printf("a draft with its cursor on SQLite: %.1f us; of the plain fact: %.2f (%.2f to %.2f in a round)\n",
              median(decisions), median(ratios), ratios.front(), ratios.back());
}
