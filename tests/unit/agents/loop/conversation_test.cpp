// Requests are written from pieces that are kept, and have the bytes of the whole conversation written at once.
#include "agents/loop/conversation.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "agents/loop/agent_run.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

class ConversationTest : public testing::TestWithParam<wire::Protocol> {
 protected:
  ModelReply says(const std::string& program) const {
    replay::SaidReply said;
    said.text = "I think so.";
    const std::string arguments = boost::json::serialize(boost::json::object{{"program", program}});
    said.calls.push_back({"c" + std::to_string(number_), "run_program", arguments});
    return {200, {}, replay::reply_document(GetParam(), said), false};
  }
  ModelReply says_text(const std::string& text) const {
    replay::SaidReply said;
    said.text = text;
    return {200, {}, replay::reply_document(GetParam(), said), false};
  }
  AgentRun run(std::string_view limits) {
    AgentOptions options;
    options.model = {.protocol = GetParam(), .provider = "p", .name = "m"};
    options.hooks.before_model = [this](std::string_view, const wire::Request& request) {
      whole_ = wire::write_request(GetParam(), "p", request);
      return HookVerdict::allow();
    };
    const std::string file =
        R"({"prompt": "Go.", "signature": "() -> :int", "max_turns": 20, "limits": )" + std::string(limits) + "}";
    agent_.emplace(Agent::make(engine_, read_agent_text(file).value(), std::move(options)).value());
    return AgentRun::start(*agent_, {}).value();
  }
  // Expects the request that waits to be the whole one, and answers it.
  void turn(AgentRun& run, const ModelReply& reply) {
    run.step();
    const auto operations = run.operations();
    ASSERT_EQ(operations.size(), 1u);
    EXPECT_EQ(operations[0].body, whole_) << "turn " << ++number_;
    EXPECT_EQ(run.operations()[0].body.data(), operations[0].body.data()) << "it is made once";
    ASSERT_TRUE(run.resolve_model("model", reply));
  }

  Engine engine_;
  std::optional<Agent> agent_;
  std::string whole_;
  int number_ = 0;
};

TEST_P(ConversationTest, PiecesHaveTheBytesOfTheWhole) {
  AgentRun run = this->run("{}");
  turn(run, says("(def a 1)"));
  turn(run, says_text("no program here"));
  ASSERT_TRUE(run.input("Listen."));
  turn(run, says("(+ 1 nil)"));
  turn(run, says("(return a)"));
  run.step();
  ASSERT_TRUE(run.input("And now?"));
  ASSERT_TRUE(run.input("And then?"));
  turn(run, says("(def b 2)"));
  AgentRun restored = AgentRun::restore(*agent_, run.snapshot()).value();
  turn(restored, says("b"));
  turn(restored, says("(return b)"));
}

TEST_P(ConversationTest, TurnsThatHaveLeftAreNotThere) {
  AgentRun run = this->run(R"({"transcript_bytes": 900})");
  for (int i = 0; i < 6; ++i) {
    turn(run, says("(def a" + std::to_string(i) + " \"" + std::string(100, 'x') + "\")"));
    ASSERT_TRUE(run.input("word " + std::to_string(i)));
  }
  run.step();
  EXPECT_EQ(whole_.find("def a1 "), std::string::npos);
  EXPECT_NE(whole_.find("word 1"), std::string::npos);
  EXPECT_EQ(run.operations()[0].body, whole_);
}

INSTANTIATE_TEST_SUITE_P(Protocols, ConversationTest,
                         testing::Values(wire::Protocol::Chat, wire::Protocol::Responses, wire::Protocol::Messages));

}  // namespace
}  // namespace ptcvm::loop
