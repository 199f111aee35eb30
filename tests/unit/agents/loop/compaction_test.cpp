// Requests that have one message with a summary of the turns before.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "agents/loop/agent_run.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

namespace json = boost::json;

constexpr std::string_view kCompactedFile = R"({"prompt": "Do it.", "signature": "() -> :int", "max_turns": 9,
  "compaction": "one_message"})";

class CompactionTest : public testing::Test {
 protected:
  AgentRun begin(std::string_view file = kCompactedFile) {
    agent_.emplace(Agent::make(engine_, read_agent_text(file).value(), options_).value());
    AgentRun run = AgentRun::start(*agent_, {}).value();
    run.step();
    return run;
  }
  static void tell(AgentRun& run, const std::string& program) {
    replay::SaidReply said;
    said.calls.push_back({"c1", "run_program", json::serialize(json::object{{"program", program}})});
    ASSERT_TRUE(run.resolve_model("model", {200, {}, replay::reply_document(wire::Protocol::Chat, said), false}));
    run.step();
  }
  // Returns the texts of the messages of the request, the system text left out.
  static std::vector<std::string> messages(const AgentRun& run) {
    std::vector<std::string> texts;
    const json::value body = json::parse(run.operations().at(0).body);
    for (const json::value& message : body.at("messages").as_array()) {
      if (message.at("role") != "system") texts.emplace_back(message.at("content").as_string());
    }
    return texts;
  }

  Engine engine_;
  AgentOptions options_;
  std::optional<Agent> agent_;
};

TEST_F(CompactionTest, a_request_has_one_message_that_tells_the_turns) {
  AgentRun run = begin();
  tell(run, "(defn twice \"Doubles\" [x] (* 2 x)) (println \"seen\")");
  tell(run, "(/ 1 0)");
  ASSERT_EQ(messages(run).size(), 1u);
  for (const char* const part : {"Do it.", "Turn 1: value", "seen", "twice", "Turn 2: fault", "(/ 1 0)"}) {
    EXPECT_NE(messages(run)[0].find(part), std::string::npos) << part << " in " << messages(run)[0];
  }
  EXPECT_EQ(messages(run)[0].find("(println"), std::string::npos) << "programs that went well are not repeated";
  tell(run, "(twice 4)");
  EXPECT_EQ(messages(run)[0].find("(/ 1 0)"), std::string::npos);
  EXPECT_NE(messages(run)[0].find("1 earlier turns have failed"), std::string::npos);
  EXPECT_NE(messages(run)[0].find("user=> 8"), std::string::npos);
  run = AgentRun::restore(*agent_, run.snapshot()).value();
  run.step();
  EXPECT_EQ(messages(run).size(), 1u);
}

TEST_F(CompactionTest, a_host_writes_the_summary_itself) {
  options_.compact = [](const std::vector<TurnSummary>& turns) {
    return "So far " + std::to_string(turns.size()) + ", last " + std::string(turns.back().status);
  };
  AgentRun run = begin();
  tell(run, "1");
  tell(run, "2");
  EXPECT_NE(messages(run)[0].find("So far 2, last value"), std::string::npos);
}

TEST_F(CompactionTest, what_the_user_says_is_kept) {
  AgentRun run = begin();
  tell(run, "(return 1)");
  ASSERT_TRUE(run.input("And now twice."));
  run.step();
  ASSERT_EQ(messages(run).size(), 1u);
  EXPECT_NE(messages(run)[0].find("And now twice."), std::string::npos);
}

TEST_F(CompactionTest, the_file_says_which) {
  const auto read = read_agent_text(kCompactedFile).value();
  EXPECT_EQ(read_agent(agent_json(read)).value().compaction, Compaction::OneMessage);
  EXPECT_FALSE(read_agent_text(R"({"prompt": "P", "compaction": "all"})"));
  EXPECT_FALSE(read_agent_text(R"({"prompt": "P", "compaction": "one_message", "output": "text"})"));
}

}  // namespace
}  // namespace ptcvm::loop
