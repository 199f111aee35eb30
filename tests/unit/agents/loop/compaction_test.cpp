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

TEST_F(CompactionTest, a_summary_has_the_docstrings_of_definitions) {
  AgentRun run = begin();
  tell(run, "(defn twice \"Doubles a number\" [x & more] (* 2 x)) (def rate \"Of Austria\" 20) nil");
  tell(run, "nil");
  EXPECT_NE(messages(run)[0].find(";; twice = a function [x & more]  ; Doubles a number\n"), std::string::npos);
  EXPECT_NE(messages(run)[0].find(";; rate = 20  ; Of Austria\n"), std::string::npos) << messages(run)[0];
}

TEST_F(CompactionTest, a_host_gets_the_definitions_of_a_turn) {
  std::vector<TurnDefinition> made;
  options_.compact = [&made](const std::vector<TurnSummary>& turns) {
    made = turns.front().definitions;
    return std::string("so far");
  };
  AgentRun run = begin();
  tell(run, "(defn twice \"Doubles\" [x & more] (* 2 x)) (def rate 20) (def _key \"Hidden\" 1)");
  run = AgentRun::restore(*agent_, run.snapshot()).value();   // the document has the text of the program
  run.operations();
  ASSERT_EQ(made.size(), 2u);
  const TurnDefinition& twice = made[0].name == "twice" ? made[0] : made[1];
  EXPECT_TRUE(twice.is_function);
  EXPECT_EQ(twice.parameters, "[x & more]");
  EXPECT_EQ(twice.arity, 1u);
  EXPECT_EQ(twice.doc, "Doubles");
  const TurnDefinition& rate = made[0].name == "rate" ? made[0] : made[1];
  EXPECT_FALSE(rate.is_function);
  EXPECT_EQ(rate.doc, "");
}

TEST_F(CompactionTest, a_docstring_is_known_when_the_program_was_suspended_and_went_on_elsewhere) {
  AgentRun run = begin();
  tell(run, "(defn twice \"Doubles\" [x] (* 2 x)) (twice (await-signal \"go\"))");
  run = AgentRun::restore(*agent_, run.snapshot()).value();
  run.step();
  ASSERT_TRUE(run.resolve("input", Value::of(4)));
  run.step();
  EXPECT_NE(messages(run)[0].find(";; twice = a function [x]  ; Doubles"), std::string::npos) << messages(run)[0];
}

TEST_F(CompactionTest, definitions_of_turns_that_have_left_keep_their_docstrings) {
  AgentRun run = begin(R"({"prompt": "Do it.", "signature": "() -> :int", "max_turns": 9,
    "limits": {"transcript_bytes": 1500}})");
  tell(run, "(defn twice \"Doubles\\n  a number\" [x] (* 2 x))");
  tell(run, "(defn twice [x] (+ x x))  \"" + std::string(600, 'x') + "\"");
  tell(run, "(defn thrice \"Triples\" [x] (* 3 x))  \"" + std::string(600, 'x') + "\"");
  tell(run, "(def other 1) \"" + std::string(600, 'x') + "\"");
  const std::string newest = messages(run).back();
  EXPECT_NE(newest.find("# Definitions of earlier programs"), std::string::npos) << newest;
  EXPECT_NE(newest.find(";; twice = a function [x]\n"), std::string::npos) << "the last definition has no docstring";
  EXPECT_NE(newest.find(";; thrice = a function [x]  ; Triples\n"), std::string::npos) << newest;
}

TEST_F(CompactionTest, the_list_of_definitions_counts_for_the_limit) {
  AgentRun run = begin(R"({"prompt": "Do it.", "signature": "() -> :int", "max_turns": 20,
    "limits": {"transcript_bytes": 2500}})");
  for (int turn = 0; turn < 19; ++turn) {
    tell(run, "(def a" + std::to_string(turn) + " \"" + std::string(150, 'x') + "\")");
    ASSERT_EQ(run.state(), AgentState::Waiting);
    std::size_t bytes = 0;
    for (const std::string& message : messages(run)) bytes += message.size();
    EXPECT_LE(bytes, 2500u + 300u) << "the line about the turn does not count";
    const AgentRun again = AgentRun::restore(*agent_, run.snapshot()).value();
    EXPECT_EQ(messages(again), messages(run));
  }
  EXPECT_NE(messages(run).back().find(" more definitions"), std::string::npos) << messages(run).back();
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
