// Runs of agents, told step by step what comes from outside.
#include "agents/loop/agent_run.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

constexpr std::string_view kWaiting = R"({"name": "a", "prompt": "Call {{who}}.",
  "signature": "(who :string) -> :string",
  "tools": [{"name": "call", "signature": "(to :string) -> :string", "effect": "keyed", "mode": "async"}],
  "children": {"ask": {"prompt": "Q", "signature": "() -> :string", "output": "text"}}, "plan": ["One"]})";

class AgentRunTest : public testing::Test {
 protected:
  Agent made(std::string_view file) { return Agent::make(engine_, read_agent_text(file).value()).value(); }
  static ModelReply says(const std::string& program) {
    replay::SaidReply said;
    const std::string arguments = boost::json::serialize(boost::json::object{{"program", program}});
    said.calls.push_back({"c1", "run_program", arguments});
    return {200, {}, replay::reply_document(wire::Protocol::Chat, said), false};
  }
  // Returns a run that waits for a call inside of a program, with one turn behind it.
  AgentRun waiting(const Agent& agent) {
    AgentRun run = AgentRun::start(agent, {.id = "r", .data_json = R"({"who": "ann"})"}).value();
    run.step();
    EXPECT_TRUE(run.resolve_model("model", says("(defn f [x] (str x \"!\")) (step-done \"1\" \"ok\")")));
    run.step();
    EXPECT_TRUE(run.resolve_model("model", says("(return (f (await (tool/call {:to data/who}))))")));
    run.step();
    EXPECT_TRUE(run.pend("call"));
    run.step();
    return run;
  }
  Engine engine_;
};

TEST_F(AgentRunTest, a_waiting_run_goes_on_from_both_faces_of_its_document) {
  const Agent agent = made(kWaiting);
  const AgentRun run = waiting(agent);
  const auto bytes = run.snapshot();
  const std::string text = run.snapshot_json();
  AgentRun from_bytes = AgentRun::restore(agent, bytes).value();
  AgentRun from_text = AgentRun::restore(agent, std::as_bytes(std::span(text))).value();
  EXPECT_EQ(from_bytes.snapshot(), from_text.snapshot());
  for (AgentRun* const restored : {&from_bytes, &from_text}) {
    restored->step();
    EXPECT_EQ(restored->pending(), std::vector<std::string>{"call"});
    ASSERT_TRUE(restored->resolve("call", Value::of("hi")));
    EXPECT_EQ(restored->step(), AgentState::Ended);
    EXPECT_EQ(restored->outcome().result_json, "\"hi!\"");
  }
}

TEST_F(AgentRunTest, a_parked_run_goes_on_with_the_next_call) {
  const Agent agent = made(kWaiting);
  AgentRun run = waiting(agent);
  const auto bytes = run.snapshot();
  ASSERT_TRUE(run.park());
  ASSERT_TRUE(run.park()) << "a parked run stays parked";
  EXPECT_EQ(run.id(), "r");
  EXPECT_EQ(run.state(), AgentState::Waiting);
  EXPECT_EQ(run.snapshot(), bytes);
  ASSERT_TRUE(run.park());
  EXPECT_EQ(run.pending(), std::vector<std::string>{"call"});
  ASSERT_TRUE(run.park());
  EXPECT_FALSE(run.resolve("other", Value::of("hi")));
  ASSERT_TRUE(run.resolve("call", Value::of("hi")));
  ASSERT_TRUE(run.park());
  EXPECT_EQ(run.step(), AgentState::Ended);
  ASSERT_TRUE(run.park());
  EXPECT_EQ(run.state(), AgentState::Ended);
  EXPECT_EQ(run.outcome().result_json, "\"hi!\"");
}

TEST_F(AgentRunTest, time_passes_for_a_parked_run) {
  std::string file(kWaiting);
  file.insert(1, R"("limits": {"deadline_ms": 1000}, )");
  AgentRun run = waiting(made(file));
  ASSERT_TRUE(run.park());
  run.advance(1'001);
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().reason, "mission_timeout");
}

TEST_F(AgentRunTest, a_run_whose_stream_is_read_is_not_parked) {
  AgentOptions options;
  options.model.is_stream = true;
  std::string seen;
  options.on_token = [&seen](std::string_view, std::string_view text) { seen += text; };
  const Agent agent = Agent::make(engine_, read_agent_text(kWaiting).value(), std::move(options)).value();
  AgentRun run = AgentRun::start(agent, {.data_json = R"({"who": "ann"})"}).value();
  run.step();
  ASSERT_TRUE(run.park());
  replay::SaidReply said;
  said.text = "Let me see.";
  const std::string stream = replay::reply_stream(wire::Protocol::Chat, said);
  run.chunk("model", stream.substr(0, stream.size() / 2));
  EXPECT_FALSE(run.park());
  run.chunk("model", stream.substr(stream.size() / 2));
  EXPECT_EQ(seen, "Let me see.");
  ASSERT_TRUE(run.resolve_model("model", {200, {}, stream, false}));
  EXPECT_TRUE(run.park());
}

TEST_F(AgentRunTest, the_deadline_ends_a_run_that_waits) {
  std::string file(kWaiting);
  file.insert(1, R"("limits": {"deadline_ms": 1000}, )");
  const Agent agent = made(file);
  const AgentRun run = waiting(agent);
  EXPECT_EQ(run.operations().front().due_ms, 1'000) << "a host wakes the run then";
  const auto bytes = run.snapshot();
  for (const bool is_answered : {false, true}) {
    AgentRun late = AgentRun::restore(agent, bytes).value();
    late.step();
    late.advance(1'001);
    if (is_answered) {
      EXPECT_TRUE(late.resolve("call", Value::of("hi")));
    }
    EXPECT_EQ(late.step(), AgentState::Ended);
    EXPECT_EQ(late.outcome().reason, "mission_timeout");
  }
}

TEST_F(AgentRunTest, a_reply_behind_the_deadline_is_counted_and_not_executed) {
  const Agent agent = made(R"({"name": "p", "prompt": "P", "signature": "() -> :int",
    "limits": {"deadline_ms": 1000}})");
  AgentRun run = AgentRun::start(agent, {.id = "r"}).value();
  run.step();
  run.advance(1'001);
  ASSERT_TRUE(run.resolve_model("model", says("(return 1)")));
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().reason, "mission_timeout");
  EXPECT_EQ(run.usage().model_calls, 1u);
}

TEST_F(AgentRunTest, a_child_and_a_run_that_is_named_like_it_have_different_keys) {
  const Agent agent = made(R"({"name": "p", "prompt": "P", "signature": "() -> :string",
    "children": {"b": {"prompt": "Q", "signature": "() -> :string", "output": "text"}}})");
  AgentRun parent = AgentRun::start(agent, {.id = "a"}).value();
  parent.step();
  ASSERT_TRUE(parent.resolve_model("model", says("(return (tool/b {}))")));
  parent.step();
  AgentRun other = AgentRun::start(agent, {.id = "a/b"}).value();
  other.step();
  ASSERT_EQ(parent.operations().size(), 1u);
  ASSERT_EQ(other.operations().size(), 1u);
  EXPECT_EQ(parent.operations().front().path, "b/model");
  EXPECT_EQ(parent.operations().front().key, "a/b/model#1");
  EXPECT_EQ(other.operations().front().key, "a~1b/model#1");
}

TEST_F(AgentRunTest, a_document_that_is_cut_is_refused) {
  const Agent agent = made(kWaiting);
  const auto bytes = waiting(agent).snapshot();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(AgentRun::restore(agent, std::span(bytes).first(size))) << size;
  }
}

TEST_F(AgentRunTest, a_document_with_any_byte_changed_is_refused) {
  const Agent agent = made(kWaiting);
  const auto bytes = waiting(agent).snapshot();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const std::byte flip : {std::byte{0x01}, std::byte{0x80}, std::byte{0xFF}}) {
      auto damaged = bytes;
      damaged[i] ^= flip;
      EXPECT_FALSE(AgentRun::restore(agent, damaged)) << i;
    }
  }
}

TEST_F(AgentRunTest, texts_that_are_not_utf_8_are_mended_in_both_faces) {
  const Agent agent = made(kWaiting);
  AgentRun run = waiting(agent);
  ASSERT_TRUE(run.reject("call", "caf\xE9 \xC3\xA9 \xED\xA0\x80 \xF0\x9F\x99\x82 \xC3"));
  run.step();
  const std::string text = run.snapshot_json();
  EXPECT_NE(text.find("caf\xEF\xBF\xBD \xC3\xA9 \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD \xF0\x9F\x99\x82 \xEF\xBF\xBD"),
            std::string::npos);
  const auto from_text = AgentRun::restore(agent, std::as_bytes(std::span(text)));
  ASSERT_TRUE(from_text);
  EXPECT_EQ(from_text->snapshot(), run.snapshot());
}

TEST_F(AgentRunTest, a_fault_shows_the_model_the_value_that_did_not_fit_and_no_hidden_names) {
  const Agent agent = made(R"({"prompt": "P", "signature": "(rows [:map]) -> :int"})");
  const std::string data = R"({"rows": [{"cents": 5}, {"_pin": 4711}]})";
  AgentRun run = AgentRun::start(agent, {.id = "r", .data_json = data}).value();
  run.step();
  const auto feedback_to = [&](const std::string& program) {
    EXPECT_TRUE(run.resolve_model("model", says(program)));
    run.step();
    const std::string request(run.operations().at(0).body);
    return request.substr(request.rfind("type_error"));
  };
  EXPECT_NE(feedback_to("(+ 1 (first data/rows))").find(R"(Found: {\"cents\" 5})"), std::string::npos);
  const std::string hidden = feedback_to("(+ 1 (second data/rows))");
  EXPECT_NE(hidden.find("Found: (hidden)"), std::string::npos);
  EXPECT_EQ(hidden.find("4711"), std::string::npos);
}

TEST_F(AgentRunTest, a_fork_counts_the_calls_of_the_turns_that_it_has) {
  const Agent agent = made(R"({"name": "a", "prompt": "P", "max_turns": 9, "tools": [
      {"name": "w", "signature": "() -> :int", "effect": "pure"}]})");
  AgentRun run = AgentRun::start(agent, {.id = "r"}).value();
  run.step();
  for (const char* path : {"w", "w#2", "w#3"}) {
    ASSERT_TRUE(run.resolve_model("model", says("(tool/w {})")));
    run.step();
    ASSERT_TRUE(run.resolve(path, Value::of(std::int64_t{1}))) << path;
    run.step();
  }
  ASSERT_TRUE(run.resolve_model("model", says("(tool/w {})")));
  run.step();                                              // a fork lacks what is under way, too
  const std::vector<std::vector<std::string>> next = {{"w"}, {"w#2"}, {"w#3"}, {"w#4"}};
  for (std::uint32_t turns = 0; turns < next.size(); ++turns) {
    AgentRun forked = run.fork(turns, "f").value();
    forked.step();
    ASSERT_TRUE(forked.resolve_model("model", says("(tool/w {})")));
    forked.step();
    EXPECT_EQ(forked.pending(), next[turns]);
    EXPECT_EQ(forked.usage().tool_calls, turns + 1);
  }
}

TEST_F(AgentRunTest, the_deadline_of_a_fork_counts_from_its_beginning) {
  const Agent agent = made(R"({"name": "a", "prompt": "P", "limits": {"deadline_ms": 1000}})");
  AgentRun run = AgentRun::start(agent, {.id = "r", .time_ms = 50}).value();
  run.step();
  ASSERT_TRUE(run.resolve_model("model", says("1")));
  run.step();
  run.advance(900);
  const std::vector<std::pair<std::int64_t, std::int64_t>> begins = {{0, 900}, {200, 900}, {5'000, 5'000}};
  for (const auto& [begin_ms, from_ms] : begins) {
    AgentRun forked = run.fork(1, "f", begin_ms).value();
    EXPECT_EQ(forked.time_ms(), from_ms);
    forked.step();
    ASSERT_EQ(forked.operations().size(), 1u);
    EXPECT_EQ(forked.operations()[0].deadline_ms, from_ms + 1000);
    forked.advance(from_ms + 999);
    ASSERT_TRUE(forked.resolve_model("model", says("(return 7)")));
    forked.step();
    EXPECT_EQ(forked.outcome().result_json, "7");
  }
}

TEST_F(AgentRunTest, a_document_with_data_that_no_program_can_have_is_refused) {
  const Agent agent = made(kWaiting);
  const std::string data = R"("data":"{\"who\":\"ann\"}")";
  AgentRun begun = AgentRun::start(agent, {.id = "r", .data_json = R"({"who": "ann"})"}).value();
  begun.step();
  const AgentRun run = waiting(agent);             // its session has the data, too
  for (const char* const other : {R"("data":"{\"who\":Infinity}")", R"("data":"[1]")", R"("data":"{")"}) {
    const auto changed = [&](std::string text) {
      const std::size_t at = text.find(data);
      EXPECT_NE(at, std::string::npos);
      return at == std::string::npos ? text : text.replace(at, data.size(), other);
    };
    const std::string first = changed(begun.snapshot_json()), later = changed(run.snapshot_json());
    EXPECT_EQ(AgentRun::restore(agent, std::as_bytes(std::span(first))).error().code, Errc::invalid_snapshot) << other;
    AgentRun restored = AgentRun::restore(agent, std::as_bytes(std::span(later))).value();
    EXPECT_EQ(restored.fork(1, "f").error().code, Errc::invalid_snapshot) << other;
  }
}

TEST_F(AgentRunTest, a_child_is_called_with_numbers_that_its_data_can_have) {
  const Agent agent = made(R"json({"name": "a", "prompt": "P", "children": {
      "kid": {"description": "d", "signature": "(x :any) -> :any", "program": "(return data/x)"}}})json");
  AgentRun run = AgentRun::start(agent, {.id = "r"}).value();
  run.step();
  ASSERT_TRUE(run.resolve_model("model", says("(return (tool/kid {:x [{:y (reduce * (repeat 400 10))}]}))")));
  run.step();
  EXPECT_EQ(run.turn_kind(1), "fault");
  EXPECT_NE(run.turns()[0].feedback.find("beyond the largest float"), std::string::npos) << run.turns()[0].feedback;
  ASSERT_TRUE(run.resolve_model("model", says("(return (tool/kid {:x 1e308}))")));
  run.step();
  EXPECT_EQ(run.outcome().result_json, "1.0e308");
}

TEST_F(AgentRunTest, a_child_is_not_called_with_data_that_is_too_deep) {
  const Agent agent = made(R"json({"name": "a", "prompt": "P", "llm_query": true, "children": {
      "kid": {"description": "d", "signature": "(x :any) -> :any", "program": "(return data/x)"}}})json");
  AgentRun run = AgentRun::start(agent, {.id = "r"}).value();
  for (const char* const call : {"tool/kid {", "tool/llm-query {:prompt \"P {{x}}\" "}) {
    run.step();
    const std::string program = "(return (" + std::string(call) + ":x (reduce (fn [a _] [a]) 1 (range 40))}))";
    ASSERT_TRUE(run.resolve_model("model", says(program)));
    run.step();
    EXPECT_NE(run.turns().back().feedback.find("collections in each other"), std::string::npos) << program;
  }
}

TEST_F(AgentRunTest, another_definition_is_refused) {
  const AgentRun run = waiting(made(kWaiting));
  const auto other = made(R"({"prompt": "x"})");
  EXPECT_EQ(AgentRun::restore(other, run.snapshot()).error().code, Errc::refused);
}

TEST_F(AgentRunTest, an_agent_file_with_an_unknown_member_is_refused_by_its_name) {
  const auto read = read_agent_text(R"({"prompt": "x", "children": {"c": {"prompt": "y", "turns": 1}}})");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("agent/c: there is no member \"turns\""), std::string::npos);
}

TEST_F(AgentRunTest, a_prompt_that_names_what_the_signature_lacks_is_refused) {
  const auto agent = Agent::make(
      engine_, read_agent_text(R"({"prompt": "{{x}}", "signature": "(y :int) -> :int"})").value());
  ASSERT_FALSE(agent);
  EXPECT_NE(agent.error().message.find("{{x}}"), std::string::npos);
}

TEST_F(AgentRunTest, data_that_does_not_fit_the_signature_is_refused_when_a_run_begins) {
  const Agent agent = made(R"({"prompt": "x", "signature": "(first-name :string, rows [:int]?) -> :int"})");
  for (const char* const data : {"{}", R"({"first_name": 5})", R"({"first_name": "Ann", "rows": ["a"]})"}) {
    const auto refused = AgentRun::start(agent, {.data_json = data});
    ASSERT_FALSE(refused) << data;
    EXPECT_EQ(refused.error().code, Errc::invalid_value);
    const std::string text = refused.error().message;
    EXPECT_TRUE(text.starts_with("the data does not fit the signature of the agent: data.")) << text;
    EXPECT_TRUE(AgentRun::start_again(agent, {.data_json = data})) << "a log has such data";
  }
  EXPECT_TRUE(AgentRun::start(agent, {.data_json = R"({"first-name": "Ann", "more": 1})"}));
}

TEST_F(AgentRunTest, hooks_deny_calls_and_see_turns) {
  AgentOptions options;
  std::vector<std::string> turns;
  options.hooks.before_tool = [](std::string_view, const AgentTool&, ToolCall&) {
    return HookVerdict::deny("no calls");
  };
  options.hooks.after_turn = [&](std::string_view, std::uint32_t turn, std::string_view feedback) {
    turns.push_back(std::to_string(turn) + (feedback.find("no calls") != std::string_view::npos ? " denied" : ""));
    return HookVerdict::allow();
  };
  const Agent agent = Agent::make(engine_, read_agent_text(kWaiting).value(), options).value();
  AgentRun run = AgentRun::start(agent, {.data_json = R"({"who": "ann"})"}).value();
  run.step();
  ASSERT_TRUE(run.resolve_model("model", says("(await (tool/call {:to \"a\"}))")));
  run.step();
  EXPECT_EQ(turns, std::vector<std::string>{"1 denied"});
  EXPECT_EQ(run.usage().tool_calls, 0u);
}

}  // namespace
}  // namespace ptcvm::loop
