// Limits of money: what replies cost at the prices of the host, and what children reserve.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "agents/loop/stored_agent.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

namespace json = boost::json;

const ModelPrices kPrices{{"small", {.input = 2, .cached = 0.5, .cache_written = 2, .output = 8}}};

// A reply with 100 tokens of input and 50 of output, which cost 600 millionths.
ModelReply priced(const std::string& program,
                const std::optional<wire::TokenUsage>& used = wire::TokenUsage{100, {}, {}, 50, {}}) {
  replay::SaidReply said;
  said.calls.push_back({"c1", "run_program", json::serialize(json::object{{"program", program}})});
  said.usage = used;
  return {200, {}, replay::reply_document(wire::Protocol::Chat, said), false};
}

class MoneyTest : public testing::Test {
 protected:
  Agent agent(std::string_view file, const ModelPrices& prices = kPrices) {
    AgentOptions options;
    options.model.name = "small";
    options.prices = prices;
    return Agent::make(engine_, read_agent_text(file).value(), options).value();
  }
  AgentRun begin(std::string_view file, const ModelPrices& prices = kPrices) {
    AgentRun run = AgentRun::start(agent(file, prices), {.id = "r"}).value();
    run.step();
    return run;
  }
  static void tell(AgentRun& run, const ModelReply& reply, std::string_view path = "model") {
    ASSERT_TRUE(run.resolve_model(path, reply));
    run.step();
  }
  static std::string limited(const std::string& money, const std::string& more = "") {
    return R"({"name": "a", "prompt": "P", "signature": "() -> :int", "max_turns": 9, "limits": {"money": )" + money +
           "}" + more + "}";
  }
  const Engine engine_;
};

TEST_F(MoneyTest, is_counted_by_the_prices_of_the_host) {
  AgentRun run = begin(R"({"name": "a", "prompt": "P", "signature": "() -> :int"})");
  tell(run, priced("1", wire::TokenUsage{100, 40, {}, 50, {}}));
  EXPECT_EQ(run.usage().money, 60u * 2 + 20 + 50 * 8);
}

TEST_F(MoneyTest, is_not_counted_without_prices) {
  AgentRun run = begin(R"({"name": "a", "prompt": "P", "signature": "() -> :int"})", {});
  tell(run, priced("1"));
  EXPECT_EQ(run.usage().money, 0u);
  tell(run, priced("(return 1)"));
  EXPECT_TRUE(run.outcome().is_ok);
}

TEST_F(MoneyTest, a_limit_ends_the_run_before_the_next_request) {
  AgentRun run = begin(limited("1000"));
  tell(run, priced("1"));
  EXPECT_EQ(run.state(), AgentState::Waiting);
  tell(run, priced("2"));
  EXPECT_EQ(run.state(), AgentState::Ended);
  EXPECT_EQ(run.outcome().reason, "budget_exhausted");
  EXPECT_EQ(run.outcome().message, "the limit money (1000) is used up");
  EXPECT_EQ(run.usage().model_calls, 2u);
}

TEST_F(MoneyTest, a_person_may_raise_the_limit) {
  AgentRun run = begin(limited("600", R"(, "on_exhausted": "ask")"));
  tell(run, priced("1"));
  EXPECT_EQ(run.pending(), std::vector<std::string>{"budget"});
  ASSERT_TRUE(run.resolve("budget", *Value::from_json(R"({"money": 100})")));
  run.step();
  EXPECT_EQ(run.pending(), std::vector<std::string>{"model"});
}

TEST_F(MoneyTest, the_document_keeps_what_is_spent_and_other_prices_do_not_change_it) {
  const std::string file = limited("1000");
  AgentRun run = begin(file);
  tell(run, priced("1"));
  const ModelPrices free{{"*", {}}};
  for (const bool is_text : {false, true}) {
    const auto bytes = run.snapshot();
    const std::string text = run.snapshot_json();
    const auto document = is_text ? std::as_bytes(std::span(text)) : std::span<const std::byte>(bytes);
    AgentRun restored = AgentRun::restore(agent(file, free), document).value();
    restored.step();
    EXPECT_EQ(restored.usage().money, 600u);
    tell(restored, priced("2"));
    EXPECT_EQ(restored.usage().money, 600u) << "the new reply costs nothing";
    EXPECT_EQ(restored.state(), AgentState::Waiting);
  }
}

TEST_F(MoneyTest, a_host_may_lower_the_limit) {
  AgentRun run = begin(limited("5000"));
  tell(run, priced("1"));
  ASSERT_TRUE(run.lower("money", 1000));
  ASSERT_TRUE(run.lower("money", 2000)) << "a limit that is lower stays";
  EXPECT_EQ(run.limit("money"), 1000u);
  tell(run, priced("2"));
  EXPECT_EQ(run.outcome().reason, "budget_exhausted");
  EXPECT_FALSE(run.lower("money", 0));
  EXPECT_FALSE(run.lower("beer", 1));
}

TEST_F(MoneyTest, a_reply_without_a_price_ends_a_run_that_has_a_limit) {
  for (const bool has_price : {false, true}) {
    AgentRun run = begin(limited("1000"), has_price ? kPrices : ModelPrices{{"other", {}}});
    tell(run, priced("1", has_price ? std::nullopt : std::optional(wire::TokenUsage{1, {}, {}, 1, {}})));
    EXPECT_EQ(run.outcome().reason, "budget_exhausted");
    EXPECT_NE(run.outcome().message.find("nobody knows what a reply of the model has cost"), std::string::npos);
  }
}

TEST_F(MoneyTest, a_request_whose_reply_was_lost_costs_what_its_repetition_costs) {
  AgentRun run = begin(limited("5000"));
  ASSERT_TRUE(run.lose_model("model"));
  run.step();
  run = AgentRun::restore(agent(limited("5000")), run.snapshot()).value();
  run.step();
  tell(run, priced("1"));
  EXPECT_EQ(run.usage().money, 1200u);
  tell(run, priced("1"));
  EXPECT_EQ(run.usage().money, 1800u);
}

TEST_F(MoneyTest, a_reply_of_messages_counts_what_was_cached_once) {
  AgentOptions options;
  options.model = {.protocol = wire::Protocol::Messages, .name = "small"};
  options.prices = kPrices;
  const Agent made = Agent::make(engine_, read_agent_text(limited("5000")).value(), options).value();
  AgentRun run = AgentRun::start(made, {}).value();
  run.step();
  replay::SaidReply said;
  said.text = "Hm.";
  said.usage = wire::TokenUsage{60, 40, {}, 50, {}};
  tell(run, {200, {}, replay::reply_document(wire::Protocol::Messages, said), false});
  EXPECT_EQ(run.usage().money, 60u * 2 + 20 + 50 * 8);
}

TEST_F(MoneyTest, the_model_is_told_what_is_spent) {
  AgentRun run = begin(limited("5000"));
  tell(run, priced("1"));
  EXPECT_NE(run.operations().at(0).body.find("0.000600 of 0.005000 money is spent."), std::string::npos);
}

constexpr const char* kChild = R"("prompt": "Q", "signature": "() -> :int", "max_turns": 2)";

std::string parent(const std::string& money, const std::string& of_children) {
  return R"({"name": "p", "prompt": "P", "signature": "() -> :any", "limits": {)" + money +
         R"(}, "children": {"a": {)" + kChild + of_children + R"(}, "b": {)" + kChild + of_children + "}}}";
}

TEST_F(MoneyTest, what_children_spend_counts_for_the_parent) {
  AgentRun run = begin(parent(R"("money": 1000)", ""));
  tell(run, priced("(return [(await-settled (tool/a {}))])"));
  EXPECT_EQ(run.pending(), std::vector<std::string>{"a/model"});
  tell(run, priced("1"), "a/model");
  EXPECT_EQ(run.usage().money, 1200u);
  EXPECT_EQ(run.outcome().reason, "budget_exhausted") << "the parent cannot go on either";
}

TEST_F(MoneyTest, a_child_with_a_limit_reserves_it_from_its_parent) {
  AgentRun run = begin(parent(R"("money": 2000)", R"(, "limits": {"money": 1000})"));
  tell(run, priced("(return (pcalls (fn [] (tool/a {})) (fn [] (tool/b {}))))"));
  ASSERT_EQ(run.turns().size(), 1u);
  const std::string why = "the child needs 1000 of money, and the limit money (2000) has room for 400";
  EXPECT_NE(run.turns()[0].feedback.find(why), std::string::npos) << run.turns()[0].feedback;
  EXPECT_EQ(run.pending(), std::vector<std::string>{"model"}) << "what the child had reserved is given back";
}

TEST_F(MoneyTest, a_child_gives_back_what_it_did_not_use) {
  AgentRun run = begin(parent(R"("money": 2500)", R"(, "limits": {"money": 1000})"));
  tell(run, priced("(return [(tool/a {}) (tool/b {})])"));
  tell(run, priced("(return 1)"), "a/model");
  EXPECT_EQ(run.pending(), std::vector<std::string>{"b/model"}) << "1200 are spent; b has 1000";
  tell(run, priced("(return 2)"), "b/model");
  EXPECT_EQ(run.outcome().result_json, "[1,2]");
}

TEST_F(MoneyTest, what_a_child_has_reserved_is_not_for_the_others) {
  AgentRun run = begin(R"({"name": "p", "prompt": "P", "signature": "() -> :any", "limits": {"money": 1500},
    "children": {"a": {"prompt": "Q", "signature": "() -> :int", "limits": {"money": 900}},
                 "b": {"prompt": "Q", "signature": "() -> :int"}}})");
  tell(run, priced("(return (pcalls (fn [] (tool/a {})) (fn [] (tool/b {}))))"));   // 600 are spent, and a has 900
  ASSERT_EQ(run.turns().size(), 1u);
  EXPECT_NE(run.turns()[0].feedback.find("the limit money (1500) is used up"), std::string::npos)
      << run.turns()[0].feedback;
}

constexpr std::string_view kLoses = R"({"name": "p", "prompt": "P", "signature": "() -> :any",
  "tools": [{"name": "zero", "signature": "() -> :int", "effect": "pure"}],
  "children": {"a": {"prompt": "Q", "signature": "() -> :int"}}})";
constexpr const char* kGivesUp = "(pcalls (fn [] (tool/a {})) (fn [] (/ 1 (tool/zero {}))))";

TEST_F(MoneyTest, a_reply_that_comes_after_its_agent_is_gone_is_charged_once) {
  AgentRun run = begin(kLoses);
  tell(run, priced(kGivesUp));
  ASSERT_EQ(run.pending(), (std::vector<std::string>{"a/model", "zero"}));
  ASSERT_TRUE(run.resolve("zero", Value::of(0)));
  run.step();
  ASSERT_EQ(run.pending(), std::vector<std::string>{"model"}) << "the fault took the child with it";
  EXPECT_EQ(run.model_of("a/model")->name, "small");
  const auto bytes = run.snapshot();
  const std::string text = run.snapshot_json();
  for (const bool is_text : {false, true}) {
    const auto document = is_text ? std::as_bytes(std::span(text)) : std::span<const std::byte>(bytes);
    AgentRun restored = AgentRun::restore(agent(kLoses), document).value();
    EXPECT_EQ(restored.usage().money, 600u);
    tell(restored, priced("(return 1)"), "a/model");
    EXPECT_EQ(restored.usage().money, 1200u);
    EXPECT_EQ(restored.pending(), std::vector<std::string>{"model"}) << "nothing of the reply is run";
    EXPECT_EQ(restored.resolve_model("a/model", priced("1")).error().code, Errc::unknown_operation);
    EXPECT_FALSE(restored.model_of("a/model"));
  }
}

TEST_F(MoneyTest, a_stored_run_keeps_what_a_request_that_was_given_up_has_cost) {
  const Store store = Store::in_memory();
  const auto open = [&](const ModelPrices& prices) {
    StoredAgentOptions options;
    options.start.id = "p";
    return StoredAgent::open(agent(kLoses, prices), store, std::move(options)).value();
  };
  {
    StoredAgent stored = open(kPrices);
    ASSERT_TRUE(stored.step());
    ASSERT_TRUE(stored.resolve_model("model", priced(kGivesUp)));
    ASSERT_TRUE(stored.step());
    stored.take_orders();
    ASSERT_TRUE(stored.resolve("zero", Value::of(0)));
    ASSERT_TRUE(stored.step());
    ASSERT_TRUE(stored.resolve_model("a/model", priced("1")));
  }   // it is not parked: the next one makes the run again from its log
  EXPECT_EQ(open({}).run().usage().money, 1200u);
}

TEST_F(MoneyTest, a_stored_run_keeps_the_price_of_each_reply) {
  const Store store = Store::in_memory();
  const std::string file = limited("1000");
  const auto open = [&](const ModelPrices& prices) {
    StoredAgentOptions options;
    options.start.id = "a";
    return StoredAgent::open(agent(file, prices), store, std::move(options)).value();
  };
  {
    StoredAgent stored = open(kPrices);
    ASSERT_EQ(stored.step().value(), AgentState::Waiting);
    ASSERT_TRUE(stored.resolve_model("model", priced("1")));
    ASSERT_TRUE(stored.step());
  }   // it is not parked: the next one makes the run again from its log
  StoredAgent stored = open({});
  ASSERT_EQ(stored.step().value(), AgentState::Waiting);
  EXPECT_EQ(stored.run().usage().money, 600u + 0u);
  ASSERT_TRUE(stored.lower("money", 700));
  ASSERT_TRUE(stored.lower("money", 700));
  EXPECT_EQ(stored.run().limit("money"), 700u);
}

TEST_F(MoneyTest, a_limit_is_a_whole_number_from_one_on) {
  EXPECT_FALSE(read_agent_text(limited("0")));
  EXPECT_FALSE(read_agent_text(limited("0.5")));
  const auto read = read_agent_text(limited("7")).value();
  EXPECT_EQ(read_agent(agent_json(read)).value().limits.money, 7u);
}

TEST_F(MoneyTest, an_observation_is_cut_at_its_limit) {
  AgentRun run = begin(R"({"name": "a", "prompt": "P", "signature": "() -> :int",
    "limits": {"observation_bytes": 100}})");
  tell(run, priced("(def a \"" + std::string(90, 'x') + "\") (println \"" + std::string(90, 'y') + "\")"));
  const std::string seen = run.turns().at(0).feedback;
  EXPECT_EQ(seen.substr(0, 90), std::string(90, 'y'));
  EXPECT_NE(seen.find("more bytes; the limit observation_bytes is 100)"), std::string::npos) << seen;
  EXPECT_LT(seen.size(), 200u);
}

}  // namespace
}  // namespace ptcvm::loop
