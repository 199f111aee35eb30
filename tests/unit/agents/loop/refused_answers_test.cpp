// What a run refuses changes neither its document nor its log.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "agents/loop/stored_agent.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

constexpr std::string_view kPaying = R"({"name": "a", "prompt": "P", "signature": "() -> :any", "max_turns": 2,
  "on_exhausted": "ask",
  "tools": [{"name": "pay", "signature": "() -> :int", "effect": "unsafe"},
            {"name": "ask", "signature": "() -> :int", "effect": "pure", "ask": true},
            {"name": "call", "signature": "() -> :int", "effect": "keyed", "mode": "async"}]})";

ModelReply writing(std::string_view program) {
  replay::SaidReply said;
  said.calls.push_back({"c1", "run_program", boost::json::serialize(boost::json::object{{"program", program}})});
  return {200, {}, replay::reply_document(wire::Protocol::Chat, said), false};
}

class RefusedAnswersTest : public testing::Test {
 protected:
  RefusedAnswersTest() : agent_(Agent::make(engine_, read_agent_text(kPaying).value()).value()) {}

  // Time passes before each call.
  StoredAgent opened() {
    StoredAgentOptions options;
    options.start.id = "r";
    options.clock = [this] { return time_ms_ += 1'000; };
    StoredAgent stored = StoredAgent::open(agent_, store_, std::move(options)).value();
    stored.step().value();
    return stored;
  }
  StoredAgent running(std::string_view program) {
    StoredAgent stored = opened();
    EXPECT_TRUE(stored.resolve_model("model", writing(program)));
    stored.step().value();
    return stored;
  }
  std::uint64_t head() { return HostLog::of(store_, "r").head().value(); }

  template <class Answer>
  void expect_nothing_changes(StoredAgent& stored, Answer answer) {
    const auto before = stored.run().snapshot();
    const std::string text = stored.run().snapshot_json();
    const std::uint64_t facts = head();
    EXPECT_FALSE(answer());
    EXPECT_EQ(stored.run().snapshot_json(), text);
    EXPECT_EQ(stored.run().snapshot(), before);
    EXPECT_EQ(head(), facts);
  }

  Engine engine_;
  Agent agent_;
  Store store_ = Store::in_memory();
  std::int64_t time_ms_ = 1'000'000;
};

TEST_F(RefusedAnswersTest, about_something_that_nobody_waits_for_while_a_model_is_asked) {
  StoredAgent stored = opened();
  for (const char* path : {"zz", "doubt:pay", "approve:pay", "input", "budget", "a/b"}) {
    expect_nothing_changes(stored, [&] { return stored.resolve(path, Value::of(std::int64_t{1})); });
    expect_nothing_changes(stored, [&] { return stored.reject(path, "no"); });
  }
  expect_nothing_changes(stored, [&] { return stored.pend("zz"); });
  expect_nothing_changes(stored, [&] { return stored.doubt("zz"); });
  expect_nothing_changes(stored, [&] { return stored.raise("zz", 1); });
  expect_nothing_changes(stored, [&] { return stored.begin_call("zz"); });
}

TEST_F(RefusedAnswersTest, about_something_else_than_the_call_of_a_program) {
  StoredAgent stored = running("(return (tool/pay {}))");
  expect_nothing_changes(stored, [&] { return stored.resolve("zz", Value::of(std::int64_t{1})); });
  expect_nothing_changes(stored, [&] { return stored.reject("zz", "no"); });
}

TEST_F(RefusedAnswersTest, that_do_not_fit_the_signature_however_large) {
  const Value large = Value::of(std::string(200'000, 'x'));
  StoredAgent stored = running("(return [(tool/pay {}) (await (tool/call {}))])");
  ASSERT_TRUE(stored.doubt("pay"));
  stored.step().value();
  expect_nothing_changes(stored, [&] { return stored.resolve("doubt:pay", large); });
  ASSERT_TRUE(stored.resolve("doubt:pay", Value::of(std::int64_t{1})));
  stored.step().value();
  ASSERT_TRUE(stored.pend("call"));
  stored.step().value();
  expect_nothing_changes(stored, [&] { return stored.resolve("call", large); });
}

TEST_F(RefusedAnswersTest, to_a_question_that_is_answered_with_true_or_false) {
  StoredAgent stored = running("(return (tool/ask {}))");
  expect_nothing_changes(stored, [&] { return stored.resolve("approve:ask", Value::of(std::int64_t{1})); });
}

TEST_F(RefusedAnswersTest, that_raise_a_limit_and_something_that_is_none) {
  StoredAgent stored = running("(def a 1)");
  ASSERT_TRUE(stored.resolve_model("model", writing("(def a 2)")));
  stored.step().value();
  ASSERT_EQ(stored.run().pending(), std::vector<std::string>{"budget"});
  const Value raises = Value::from_edn(R"({"turns" 2, "zz" 1})").value();
  expect_nothing_changes(stored, [&] { return stored.resolve("budget", raises); });
}

}  // namespace
}  // namespace ptcvm::loop
