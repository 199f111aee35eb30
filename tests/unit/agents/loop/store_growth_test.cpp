// How much a store grows with the conversation of an agent, in bytes that are counted.
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <algorithm>
#include <filesystem>

#include "agents/loop/stored_agent.h"
#include "agents/replay/reply_bytes.h"
#include "ptcvm/sqlite.hpp"

namespace ptcvm::loop {
namespace {

constexpr std::size_t kConversationBytes = 780'000;   // about 200,000 tokens of four bytes
constexpr int kCalls = 100;

Agent agent_in(const Engine& engine, bool is_stream) {
  const std::string file = R"({"prompt": "Look all of them up.", "signature": "() -> :int", "max_turns": 200,
      "limits": {"turns": 200, "transcript_bytes": 2000000, "program_bytes": 1000000},
      "tools": [{"name": "lookup", "signature": "(id :int) -> :string", "effect": "pure"}]})";
  AgentOptions options;
  options.model.is_stream = is_stream;
  return Agent::make(engine, read_agent_text(file).value(), std::move(options)).value();
}

// What models write is prose in comments, and calls.
std::string program(std::size_t bytes, int calls) {
  std::string text;
  while (text.size() < bytes) text += "; The next one is looked up, so that nothing of it has to be guessed.\n";
  return text + "(pmap (fn [id] (tool/lookup {:id id})) (range " + std::to_string(calls) + "))";
}

ModelReply reply(const std::string& program, int turn, bool is_stream) {
  replay::SaidReply said;
  said.text = "I look the next one up.";
  said.calls.push_back({"call_" + std::to_string(turn), "run_program",
                        boost::json::serialize(boost::json::object{{"program", program}})});
  return {200, {}, is_stream ? replay::reply_stream(wire::Protocol::Chat, said)
                             : replay::reply_document(wire::Protocol::Chat, said), false};
}

// Makes the calls in so many turns, each tenth in a new process. Returns the bytes of the last request.
std::size_t converse(const Agent& agent, const Store& store, int turns, bool is_stream) {
  std::size_t conversation = 0;
  const std::string text = program(kConversationBytes / static_cast<std::size_t>(turns), kCalls / turns);
  for (int turn = 0; turn < turns;) {
    auto stored = StoredAgent::open(agent, store, {.start = {.id = "r"}}).value();
    const int end = std::min(turns, turn + std::max(1, turns / 10));
    for (; turn < end; ++turn) {
      stored.step().value();
      conversation = stored.take_orders().at(0).body.size();
      EXPECT_TRUE(stored.resolve_model("model", reply(text, turn, is_stream)));
      stored.step().value();
      for (const Operation& call : stored.take_orders()) EXPECT_TRUE(stored.resolve(call.path, Value::of("found")));
      stored.step().value();
    }
    conversation = stored.run().operations().at(0).body.size();
    EXPECT_TRUE(stored.park());
  }
  return conversation;
}

class StoreGrowthTest : public testing::TestWithParam<bool> {};

TEST_P(StoreGrowthTest, HundredCallsGrowTheLogByNoMoreThanTheConversationAndATenth) {
  const Engine engine;
  const Store store = Store::in_memory();
  const std::size_t conversation = converse(agent_in(engine, GetParam()), store, 100, GetParam());
  ASSERT_GT(conversation, kConversationBytes);
  std::size_t stored = 0;
  const HostLog log = HostLog::of(store, "r");
  for (std::uint64_t seen = 0;;) {
    const auto facts = log.read(seen, 1'000).value();
    for (const HostFact& fact : facts) {
      stored += fact.name.size() + fact.key.size() + fact.body.size();
      seen = fact.seq;
    }
    if (facts.empty()) break;
  }
  if (const auto parked = log.parked().value()) stored += parked->snapshot.size();
  EXPECT_LE(stored * 10, conversation * 11) << stored << " bytes of facts for " << conversation;
}

// A page of the file that is not full counts, so the replies are longer than in the test above.
TEST_P(StoreGrowthTest, HundredCallsGrowTheFileByNoMoreThanTheConversationAndATenth) {
  const Engine engine;
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("store_growth_" + std::to_string(::getpid()) + (GetParam() ? "s" : "d") + ".db");
  std::filesystem::remove(path);
  const auto file_bytes = [&] { return std::filesystem::file_size(path); };
  static_cast<void>(open_sqlite(path.string()).value());
  const std::size_t empty = file_bytes();
  std::size_t conversation = 0;
  {
    const Store store = open_sqlite(path.string()).value();
    conversation = converse(agent_in(engine, GetParam()), store, 10, GetParam());
  }
  const std::size_t grown = file_bytes() - empty;
  std::filesystem::remove(path);
  EXPECT_GT(grown, kConversationBytes);
  EXPECT_LE(grown * 10, conversation * 11) << grown << " bytes of file for " << conversation;
}

INSTANTIATE_TEST_SUITE_P(StreamsAndDocuments, StoreGrowthTest, testing::Bool());

}  // namespace
}  // namespace ptcvm::loop
