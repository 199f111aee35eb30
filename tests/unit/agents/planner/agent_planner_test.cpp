// An agent that plans a conversation: what becomes of the calls of its tools when a proposal is dropped, when a process
// dies in a call, and when a person says what became of a call.
#include "agents/planner/agent_planner.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "agents/harness/pass/harness.h"
#include "agents/harness/people/people.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::planner {
namespace {

constexpr std::string_view kBooker = R"({"prompt": "Answer.", "signature": "(status :string, facts [:map]) -> :any",
  "tools": [{"name": "book", "signature": "(at :string) -> :string", "effect": "unsafe"},
            {"name": "see", "signature": "(at :string) -> :string", "effect": "pure"}]})";
constexpr std::int64_t kNowMs = 1'700'000'000'000;
const harness::Author kWho{kNowMs, "ann"};

struct Dies {};   // thrown where a process is killed

// Gives the programs one after the other, and counts what tools are called with.
class ScriptedDriver final : public loop::AgentDriver {
 public:
  loop::ModelReply ask(const loop::Operation&) override {
    if (while_asked) std::exchange(while_asked, {})();
    replay::SaidReply said;
    const std::string arguments = boost::json::serialize(boost::json::object{{"program", programs.at(asked++)}});
    said.calls.push_back({"c1", "run_program", arguments});
    return {200, {}, replay::reply_document(wire::Protocol::Chat, said), false};
  }
  std::optional<Result<Value>> call(const loop::Operation& call) override {
    calls.push_back(call.tool + call.args_json);
    if (dies) throw Dies{};
    if (fails) return Result<Value>(Error{Errc::invalid_value, "no room", std::nullopt, {}});
    return Value::of("n-" + std::to_string(calls.size()));
  }
  std::int64_t time_ms() override { return kNowMs; }

  std::vector<std::string> programs, calls;
  std::size_t asked = 0;
  bool dies = false, fails = false;
  std::function<void()> while_asked;   // what somebody else does during the next question to the model
};

class AgentPlannerTest : public testing::Test {
 protected:
  AgentPlannerTest() { say("m1"); }

  void say(const std::string& id) {
    ASSERT_TRUE(talk_.observe({{harness::FactType::message_received, {{"messageId", id}, {"text", "hello"}}},
                               {harness::FactType::status_changed, {{"a2a", "input-required"}}}},
                              kWho));
  }
  // Plans until the planner waits, as another process would.
  void plan(const std::vector<std::string>& programs = {}) {
    for (const std::string& program : programs) driver_.programs.push_back(program);
    auto definition = loop::read_agent_text(kBooker).value();
    const auto planner =
        AgentPlanner::make(Engine(), std::move(definition), {}, store_, "talk", driver_).value();
    harness::Harness harness(talk_);
    for (int pass = 0; pass < 10; ++pass) {
      harness.schedule();
      const harness::Verdict verdict = harness.begin(kNowMs).value();
      if (verdict == harness::Verdict::Dismiss) continue;
      if (verdict != harness::Verdict::Run) return;
      harness.finish(*planner, kNowMs).value();
    }
  }
  void die(const std::string& program) {
    driver_.dies = true;
    EXPECT_THROW(plan({program}), Dies);
    driver_.dies = false;
  }
  std::string draft() {
    const harness::DraftState* const state = talk_.view().draft(talk_.view().unsent_draft());
    const harness::Fact* const fact = state == nullptr ? nullptr : talk_.view().fact_at(state->seq);
    return fact == nullptr ? "" : std::string(harness::text_of(fact->body, "text"));
  }
  std::string question() {
    const harness::Fact* const asked = talk_.view().open_question();
    return asked == nullptr ? "" : std::string(harness::text_of(asked->body, "prompt"));
  }
  void answer(std::string_view text) {
    const std::string qid(harness::text_of(talk_.view().open_question()->body, "qid"));
    const auto said = harness::answer(talk_, qid, text, kWho);
    ASSERT_TRUE(said) << said.error().message;
  }
  void regenerate() {
    const auto done = harness::regenerate(talk_, kWho);
    ASSERT_TRUE(done) << done.error().message;
  }
  std::string refusal() {
    const auto done = harness::regenerate(talk_, kWho);
    return done ? "" : done.error().message;
  }
  static std::string book(const std::string& at, const std::string& said = "It is ") {
    return "(return (str \"" + said + "\" (tool/book {:at \"" + at + "\"})))";
  }

  const Store store_ = Store::in_memory();
  harness::Conversation talk_ = harness::Conversation::open(HostLog::of(store_, "talk")).value();
  ScriptedDriver driver_;
};

TEST_F(AgentPlannerTest, RegeneratingAsksTheModelAnewAndCallsNothingTwice) {
  plan({book("noon")});
  EXPECT_EQ(draft(), "It is n-1");
  for (int i = 0; i < 2; ++i) {
    regenerate();
    EXPECT_EQ(draft(), "");
    plan({book("noon", "Booked: ")});
    EXPECT_EQ(draft(), "Booked: n-1");
  }
  EXPECT_EQ(driver_.asked, 3u);
  EXPECT_EQ(driver_.calls.size(), 1u);
}

TEST_F(AgentPlannerTest, ACallThatMayBeRepeatedIsRepeated) {
  plan({"(return (tool/see {:at \"noon\"}))"});
  regenerate();
  plan({"(return (tool/see {:at \"noon\"}))"});
  EXPECT_EQ(driver_.calls.size(), 2u);
}

TEST_F(AgentPlannerTest, AnotherCallIsAQuestion) {
  plan({book("noon")});
  regenerate();
  plan({book("one")});
  EXPECT_EQ(question(), "book was called with {\"at\":\"noon\"} for a proposal that was dropped, and it returned "
                        "\"n-1\". May book be called with {\"at\":\"one\"}?");
  EXPECT_EQ(driver_.calls.size(), 1u);
  answer("yes");
  plan();
  EXPECT_EQ(draft(), "It is n-2");
}

TEST_F(AgentPlannerTest, OfTwoSameCallsTheSecondIsAQuestion) {
  plan({book("noon")});
  regenerate();
  plan({"(return (str (tool/book {:at \"noon\"}) (tool/book {:at \"noon\"})))"});
  EXPECT_NE(question(), "");
  answer("no");
  plan({"(return \"as you wish\")"});
  EXPECT_EQ(draft(), "as you wish");
  EXPECT_EQ(driver_.calls.size(), 1u);
}

TEST_F(AgentPlannerTest, OfTwoCallsAtOnceEachGetsAnAnswer) {
  const std::string both = "(return (str (pmap (fn [at] (tool/book {:at at})) [\"one\" \"two\"])))";
  plan({both});
  const std::string first = draft();
  regenerate();
  plan({both});
  EXPECT_EQ(draft(), first);
  EXPECT_EQ(driver_.calls.size(), 2u);
}

TEST_F(AgentPlannerTest, ACallThatFailedIsAQuestion) {
  driver_.fails = true;
  plan({book("noon"), "(return \"it failed\")"});
  regenerate();
  plan({book("noon")});
  EXPECT_NE(question().find("and it failed: no room"), std::string::npos) << question();
  EXPECT_EQ(driver_.calls.size(), 1u);
}

TEST_F(AgentPlannerTest, AMessageThatGoesOutEndsTheMatter) {
  plan({book("noon")});
  ASSERT_TRUE(talk_.observe({{harness::FactType::message_sent, {{"messageId", "o1"}, {"text", "x"}}},
                             {harness::FactType::status_changed, {{"a2a", "working"}}}},
                            kWho));
  say("m2");
  plan({book("noon")});
  EXPECT_EQ(driver_.calls.size(), 2u);
  regenerate();
  plan({book("noon")});
  EXPECT_EQ(draft(), "It is n-2");
  EXPECT_EQ(driver_.calls.size(), 2u);
}

TEST_F(AgentPlannerTest, AWhisperThatDismissesTheDraftRepeatsNoCall) {
  plan({book("noon")});
  ASSERT_TRUE(harness::whisper(talk_, "be brief", kWho));
  plan({book("noon", "")});
  EXPECT_EQ(draft(), "n-1");
  EXPECT_EQ(driver_.calls.size(), 1u);
}

TEST_F(AgentPlannerTest, WhileACallIsInDoubtRegeneratingIsRefused) {
  die(book("noon"));
  EXPECT_NE(refusal().find("book with {\"at\":\"noon\"}: let the planner go on"), std::string::npos) << refusal();
  plan();
  EXPECT_NE(question().find("Nobody knows whether book"), std::string::npos) << question();
  EXPECT_NE(refusal().find("answer the question talk/planner-0"), std::string::npos) << refusal();
  answer("\"n-9\"");
  EXPECT_NE(refusal(), "");
  plan();
  EXPECT_EQ(draft(), "It is n-9");
  regenerate();
  plan({book("noon")});
  EXPECT_EQ(draft(), "It is n-9");
  EXPECT_EQ(driver_.calls.size(), 1u);
  EXPECT_EQ(driver_.asked, 2u);
}

TEST_F(AgentPlannerTest, ACallInDoubtThatDidNotHappenIsMadeAndMayBeInDoubtAgain) {
  die(book("noon"));
  plan();
  answer("no");
  driver_.dies = true;
  EXPECT_THROW(plan(), Dies);
  driver_.dies = false;
  plan();
  EXPECT_NE(question(), "");
  EXPECT_NE(refusal(), "");
  answer("\"n-9\"");
  plan();
  EXPECT_EQ(draft(), "It is n-9");
  EXPECT_EQ(driver_.calls.size(), 2u);
}

TEST_F(AgentPlannerTest, APassThatWasOutdatedByRegeneratingCallsNothing) {
  driver_.while_asked = [this] {
    auto other = harness::Conversation::open(HostLog::of(store_, "talk")).value();
    ASSERT_TRUE(harness::regenerate(other, kWho));
  };
  plan({book("noon"), book("noon", "Booked: ")});
  EXPECT_EQ(driver_.asked, 2u);
  EXPECT_EQ(driver_.calls.size(), 1u);
  EXPECT_EQ(draft(), "Booked: n-1");
}

TEST_F(AgentPlannerTest, ACallThatAnOutdatedPassDidNotMakeIsInNobodysWay) {
  driver_.while_asked = [this] {
    auto other = harness::Conversation::open(HostLog::of(store_, "talk")).value();
    ASSERT_TRUE(harness::clear(other, kWho));
  };
  plan({book("noon")});
  EXPECT_EQ(driver_.calls.size(), 0u);
  EXPECT_EQ(refusal(), "");
  say("m2");
  plan({book("noon")});
  EXPECT_EQ(draft(), "It is n-1");
}

// Regenerates as a process does that did not see the call yet.
TEST_F(AgentPlannerTest, ARewindBehindACallWithoutAnEndDoesNotCount) {
  die(book("noon"));
  const HostFact late = harness::host_fact(HostFactClass::Observation, "journal_rewound", "rewind/1",
                                                    {{"to", 2}, {"keeps", "human"}, {"yields", "calls"}}, kWho);
  ASSERT_TRUE(HostLog::of(store_, "talk").put(HostCut::blind(), {&late, 1}));
  ASSERT_TRUE(talk_.refresh());
  EXPECT_EQ(talk_.view().generation(), 0u);
  plan();
  answer("no");
  plan();
  EXPECT_EQ(driver_.calls.size(), 2u);
  regenerate();   // another rewind counts
  EXPECT_EQ(talk_.view().generation(), 1u);
}

TEST_F(AgentPlannerTest, AQuestionAboutACallIsGivenUpByRegenerating) {
  plan({book("noon")});
  regenerate();
  plan({book("one")});
  ASSERT_NE(question(), "");
  regenerate();
  EXPECT_EQ(question(), "");
  plan({"(return \"No need\")"});
  EXPECT_EQ(draft(), "No need");
  EXPECT_EQ(driver_.calls.size(), 1u);
}

}  // namespace
}  // namespace ptcvm::planner
