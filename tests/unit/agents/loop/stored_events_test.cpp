// The events of a stored run, as a browser sees them that was not there all the time.
#include "agents/loop/stored_events.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "agents/loop/stored_agent.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

constexpr std::string_view kBank = R"({"name": "bank", "prompt": "{{message}}",
  "signature": "(message :string) -> :string",
  "tools": [{"name": "balance", "signature": "() -> :int", "effect": "pure"},
            {"name": "pay", "signature": "(to :string, cents :int) -> :string", "effect": "keyed", "ask": true}]})";

class StoredEventsTest : public testing::TestWithParam<wire::Protocol> {
 protected:
  StoredEventsTest() : store_(Store::in_memory()) {
    AgentOptions options;
    options.model.protocol = GetParam();
    options.model.is_stream = true;
    agent_ = Agent::make(engine_, read_agent_text(kBank).value(), std::move(options)).value();
  }
  StoredAgent opened() {
    StoredAgentOptions options;
    options.start.id = "chat-1";
    options.start.data_json = R"({"message": "Pay Ann 3"})";
    return StoredAgent::open(*agent_, store_, std::move(options)).value();
  }
  ModelReply says(std::string text, const std::string& program) {
    replay::SaidReply said{std::move(text), {}, {}};
    said.calls.push_back({"c1", "run_program", boost::json::serialize(boost::json::object{{"program", program}})});
    return {200, {}, replay::reply_stream(GetParam(), said), false};
  }
  // Plays a payment to the place where a person has to allow it.
  void play_to_the_approval(StoredAgent& stored) {
    stored.step().value();
    stored.take_orders();
    ASSERT_TRUE(stored.resolve_model(
        "model", says("I look first.", R"((tool/balance {}) (return (tool/pay {:to "Ann" :cents 3})))")));
    stored.step().value();
    stored.take_orders();
    ASSERT_TRUE(stored.resolve("balance", Value::of(10)));
    stored.step().value();
  }
  std::vector<std::string> lines(std::uint64_t after) {
    std::vector<std::string> out;
    const StoredEvents told = stored_events(store_, "chat-1", after).value();
    for (const RunEvent& event : told.events) out.push_back(event_json(event));
    return out;
  }

  Engine engine_;
  Store store_;
  std::optional<Agent> agent_;
};

TEST_P(StoredEventsTest, the_log_tells_what_happened) {
  {
    StoredAgent stored = opened();
    play_to_the_approval(stored);
    ASSERT_TRUE(stored.resolve("approve:pay", Value::of(true)));
    stored.step().value();
    stored.take_orders();
    ASSERT_TRUE(stored.resolve("pay", Value::of("receipt-1")));
    stored.step().value();
    ASSERT_TRUE(stored.input("Thank you"));
    stored.step().value();
    ASSERT_TRUE(stored.park());
  }
  const std::vector<std::string> told = lines(0);
  const std::vector<std::string> wanted = {
      R"({"event":"started","data":{"message":"Pay Ann 3"}})",
      R"({"event":"model_start","path":"model"})",
      R"({"event":"model_end","path":"model","text":"I look first."})",
      R"({"event":"tool_start","path":"balance","data":{}})",
      R"({"event":"tool_end","path":"balance","data":10})",
      R"({"event":"answered","path":"approve:pay","data":true})",
      R"({"event":"tool_start","path":"pay","data":{"cents":3,"to":"Ann"}})",
      R"({"event":"tool_end","path":"pay","data":"receipt-1"})",
      R"({"event":"turn_end","data":{"turn":1,"kind":"returned"}})",
      R"({"event":"said","text":"Thank you"})",
      R"({"event":"model_start","path":"model"})"};
  EXPECT_EQ(told, wanted);
}

TEST_P(StoredEventsTest, a_reader_that_comes_back_gets_the_rest) {
  StoredAgent stored = opened();
  play_to_the_approval(stored);
  const auto all = stored_events(store_, "chat-1", 0).value();
  for (std::size_t i = 0; i < all.events.size(); ++i) {
    const auto rest = stored_events(store_, "chat-1", all.events[i].number).value();
    ASSERT_EQ(rest.events.size(), all.events.size() - i - 1);
    EXPECT_EQ(rest.seen, all.seen);
  }
}

TEST_P(StoredEventsTest, pages_of_facts_give_the_same_events) {
  StoredAgent stored = opened();
  play_to_the_approval(stored);
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t after = 0;;) {
    const auto page = stored_events(store_, "chat-1", after, 2).value();
    for (const RunEvent& event : page.events) numbers.push_back(event.number);
    after = page.seen;
    if (page.is_all) break;
  }
  std::vector<std::uint64_t> whole;
  for (const RunEvent& event : stored_events(store_, "chat-1", 0).value().events) whole.push_back(event.number);
  EXPECT_EQ(numbers, whole);
}

TEST_P(StoredEventsTest, a_request_whose_process_died_ends_without_a_text) {
  { opened().step().value(); }   // the request is in the log; no reply is
  StoredAgent stored = opened();
  EXPECT_EQ(lines(2), (std::vector<std::string>{R"({"event":"model_end","path":"model","ok":false})"}));
}

TEST_P(StoredEventsTest, what_the_run_waits_for_is_told_with_the_arguments) {
  StoredAgent stored = opened();
  play_to_the_approval(stored);
  EXPECT_EQ(event_json(waiting(stored.run())),
            R"({"event":"waiting","data":[{"path":"approve:pay","kind":"approval","tool":"pay",)"
            R"("args":{"cents":3,"to":"Ann"},"suspended":true}]})");
}

TEST_P(StoredEventsTest, long_arguments_are_not_in_the_log) {
  StoredAgent stored = opened();
  stored.step().value();
  stored.take_orders();
  const std::string program = "(tool/pay {:to (apply str (repeat 300 \"x\")) :cents 1})";
  ASSERT_TRUE(stored.resolve_model("model", says("", program)));
  stored.step().value();
  ASSERT_TRUE(stored.resolve("approve:pay", Value::of(true)));
  stored.step().value();
  EXPECT_EQ(lines(0).back(), R"({"event":"tool_start","path":"pay"})");
}

INSTANTIATE_TEST_SUITE_P(Protocols, StoredEventsTest,
                         testing::Values(wire::Protocol::Chat, wire::Protocol::Responses, wire::Protocol::Messages));

}  // namespace
}  // namespace ptcvm::loop
