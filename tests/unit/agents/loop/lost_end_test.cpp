// Documents of version 6 that were written while a program that had ended had calls without an answer: they do not say
// how the program ended. The log does.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "agents/loop/stored_agent.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

namespace json = boost::json;

constexpr std::string_view kCalling = R"({"name": "a", "prompt": "P", "signature": "() -> :any",
  "tools": [{"name": "call", "signature": "() -> :int", "effect": "keyed", "mode": "async"}]})";

ModelReply returning_beside_call() {
  replay::SaidReply said;
  said.calls.push_back({"c1", "run_program", R"x({"program": "(do (tool/call {}) (return 3))"})x"});
  return {200, {}, replay::reply_document(wire::Protocol::Chat, said), false};
}

class LostEndTest : public testing::Test {
 protected:
  LostEndTest() : agent_(Agent::make(engine_, read_agent_text(kCalling).value()).value()) {}

  StoredAgent opened() {
    StoredAgentOptions options;
    options.start = {.id = "r", .time_ms = 1'000, .rules = 0};   // as up to version 6
    return StoredAgent::open(agent_, store_, std::move(options)).value();
  }
  // Returns the document of a run as version 6 wrote it.
  static std::string as_in_version_6(const AgentRun& run) {
    json::value document = json::parse(run.snapshot_json());
    document.as_object()["version"] = 6;
    json::object& root = document.at("root").as_object();
    EXPECT_EQ(root.at("phase"), "Settling");
    root["phase"] = "Running";
    root.erase("program_end");
    return json::serialize(document);
  }
  // Begins a run whose program has returned beside a call without an answer, and leaves it with such a document.
  std::string left() {
    StoredAgent stored = opened();
    stored.step().value();
    EXPECT_TRUE(stored.resolve_model("model", returning_beside_call()));
    stored.step().value();
    EXPECT_TRUE(stored.begin_call("call"));
    stored.step().value();
    const std::string document = as_in_version_6(stored.run());
    HostLog log = HostLog::of(store_, "r");
    HostParked parked;
    const auto bytes = std::as_bytes(std::span(document));
    parked.continuation = "agent";
    parked.snapshot.assign(bytes.begin(), bytes.end());
    parked.observed_seq = log.head().value();
    EXPECT_TRUE(log.park({stored.fencing_token(), parked.observed_seq}, {}, parked).value().is_parked);
    return document;
  }

  Engine engine_;
  Agent agent_;
  Store store_ = Store::in_memory();
};

TEST_F(LostEndTest, alone_such_a_document_is_refused_with_its_reason) {
  const std::string document = left();
  const auto restored = AgentRun::restore(agent_, std::as_bytes(std::span(document)));
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, Errc::invalid_snapshot);
  EXPECT_EQ(restored.error().detail, kEndIsLost);
}

TEST_F(LostEndTest, a_run_that_has_a_log_goes_on_from_the_log) {
  left();
  StoredAgent stored = opened();
  EXPECT_EQ(stored.step().value(), AgentState::Waiting);
  EXPECT_EQ(stored.run().pending(), std::vector<std::string>{"call"});
  EXPECT_EQ(stored.run().usage().model_calls, 1u);
  ASSERT_TRUE(stored.resolve("call", Value::of(std::int64_t{1})));
  EXPECT_EQ(stored.step().value(), AgentState::Ended);
  EXPECT_EQ(stored.run().outcome().result_json, "3");
}

}  // namespace
}  // namespace ptcvm::loop
