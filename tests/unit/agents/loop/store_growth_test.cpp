// How much a store grows with the conversation of an agent, in bytes that are counted.
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

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

// Prose that repeats itself as little as English does: words of 3 to 9 letters out of a thousand, some more often than
// others. Zlib packs 8 KB of it to 45 %, and 8 KB of the English in docs/ to 42 %.
class Prose {
 public:
  Prose() {
    for (std::string& word : words_) {
      for (std::size_t size = 3 + below(7); size > 0; --size) word += kLetters[below(kLetters.size())];
    }
  }
  const std::string& word() { return words_[below(words_.size()) * below(words_.size()) / words_.size()]; }

 private:
  static constexpr std::string_view kLetters = "eeeeettttaaaoooiiinnnsssrrrhhhldcumfpgwybvkxjqz";
  std::size_t below(std::size_t end) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % end;
  }

  std::uint64_t state_ = 7;
  std::array<std::string, 1'000> words_;
};

// What models write is prose in comments, and calls.
std::string program(Prose& prose, std::size_t bytes, int calls) {
  std::string text;
  for (std::size_t line = 0; text.size() < bytes; line = text.size()) {
    text += ";";
    while (text.size() < line + 100) text += " " + prose.word();
    text += "\n";
  }
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
  Prose prose;
  for (int turn = 0; turn < turns;) {
    auto stored = StoredAgent::open(agent, store, {.start = {.id = "r"}}).value();
    const int end = std::min(turns, turn + std::max(1, turns / 10));
    for (; turn < end; ++turn) {
      stored.step().value();
      conversation = stored.take_orders().at(0).body.size();
      const std::string text = program(prose, kConversationBytes / static_cast<std::size_t>(turns), kCalls / turns);
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

struct Growth {
  std::size_t bytes = 0, conversation = 0;
};

// How much the file of a store grows with a conversation of so many replies.
Growth growth_of_file(int turns, bool is_stream) {
  const Engine engine;
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("store_growth_" + std::to_string(::getpid()) + (is_stream ? "s" : "d") + ".db");
  std::filesystem::remove(path);
  static_cast<void>(open_sqlite(path.string()).value());
  const std::size_t empty = std::filesystem::file_size(path);
  Growth out;
  {
    const Store store = open_sqlite(path.string()).value();
    out.conversation = converse(agent_in(engine, is_stream), store, turns, is_stream);
  }
  out.bytes = std::filesystem::file_size(path) - empty;
  std::filesystem::remove(path);
  return out;
}

// Pages that are not full count, too. The replies have 78 KB, 15 KB and 7.8 KB.
TEST_P(StoreGrowthTest, HundredCallsGrowTheFileByNoMoreThanTheConversationAndATenth) {
  for (const int turns : {10, 50, 100}) {
    const Growth growth = growth_of_file(turns, GetParam());
    ASSERT_GT(growth.conversation, kConversationBytes);
    EXPECT_GT(growth.bytes * 5, growth.conversation) << "the file has the conversation";
    EXPECT_LE(growth.bytes * 10, growth.conversation * 11)
        << growth.bytes << " bytes of file for " << growth.conversation << " in " << turns << " replies";
    RecordProperty("replies_" + std::to_string(turns), std::to_string(growth.bytes * 100 / growth.conversation));
  }
}

INSTANTIATE_TEST_SUITE_P(StreamsAndDocuments, StoreGrowthTest, testing::Bool());

}  // namespace
}  // namespace ptcvm::loop
