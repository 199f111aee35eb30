// Runs that another process takes over at every boundary: each comes to the same document as a run that stays where it
// is, with all of its counters.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "agents/loop/agent_run.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

constexpr std::string_view kFile = R"({"name": "a", "prompt": "P", "signature": "() -> :any", "max_turns": 9,
  "children": {"desk": {"prompt": "Q", "signature": "() -> :any",
                        "tools": [{"name": "pay", "signature": "() -> :any", "effect": "unsafe"},
                                  {"name": "look", "signature": "() -> :any", "effect": "pure"}]}},
  "tools": [{"name": "read", "signature": "() -> :any", "effect": "pure"},
            {"name": "u", "signature": "() -> :any", "effect": "unsafe", "mode": "async"},
            {"name": "send", "signature": "() -> :any", "effect": "unsafe"},
            {"name": "ask", "signature": "() -> :any", "effect": "unsafe", "ask": true}]})";

// What a run is told: a verb, a path and a text.
struct Word {
  std::string verb, path, text = {};
};
using Words = std::vector<Word>;

ModelReply program_of(std::string_view text) {
  replay::SaidReply said;
  said.calls.push_back({"c1", "run_program", boost::json::serialize(boost::json::object{{"program", text}})});
  return {200, {}, replay::reply_document(wire::Protocol::Chat, said), false};
}

Result<void> tell(AgentRun& run, const Word& word) {
  if (word.verb == "model") return run.resolve_model(word.path, program_of(word.text));
  if (word.verb == "resolve") return run.resolve(word.path, Value::from_edn(word.text).value());
  if (word.verb == "reject") return run.reject(word.path, word.text);
  if (word.verb == "doubt") return run.doubt(word.path);
  if (word.verb == "begin") return run.begin_call(word.path);
  if (word.verb == "pend") return run.pend(word.path);
  return run.input(word.text);
}

class HopsTest : public testing::Test {
 protected:
  // The same run in another process.
  static AgentRun hopped(const Agent& agent, const AgentRun& run, bool is_text) {
    const std::string text = is_text ? run.snapshot_json() : std::string();
    auto again = is_text ? AgentRun::restore(agent, std::as_bytes(std::span(text)))
                         : AgentRun::restore(agent, run.snapshot());
    return std::move(again).value();
  }
  void expect_same(const Words& words) {
    const Agent agent = Agent::make(engine_, read_agent_text(kFile).value()).value();
    AgentRun straight = AgentRun::start(agent, {.id = "r"}).value();
    AgentRun moved = AgentRun::start(agent, {.id = "r"}).value();
    straight.step();
    bool is_text = false;
    for (const Word& word : words) {
      moved = hopped(agent, moved, is_text = !is_text);
      moved.step();
      ASSERT_TRUE(tell(straight, word)) << word.verb << ' ' << word.path;
      ASSERT_TRUE(tell(moved, word)) << word.verb << ' ' << word.path;
      moved = hopped(agent, moved, is_text = !is_text);
      straight.step();
      moved.step();
      ASSERT_EQ(moved.snapshot_json(), straight.snapshot_json()) << "behind " << word.verb << ' ' << word.path;
    }
    EXPECT_EQ(straight.state(), AgentState::Ended);
  }

  Engine engine_;
};

TEST_F(HopsTest, a_fault_beside_a_call_in_doubt) {
  expect_same({{"model", "model", "(pcalls (fn [] (tool/send {})) (fn [] (tool/read {})))"},
               {"reject", "read", "no"},
               {"doubt", "send"},
               {"resolve", "doubt:send", "7"},
               {"model", "model", "(return 1)"}});
}

TEST_F(HopsTest, a_program_that_returned_beside_a_call_in_doubt) {
  expect_same({{"model", "model", "(do (tool/u {}) (return (apply str (range 50))))"},
               {"begin", "u"},
               {"doubt", "u"},
               {"resolve", "doubt:u", "7"}});
}

TEST_F(HopsTest, a_handle_that_a_later_program_waits_for) {
  expect_same({{"model", "model", "(def h (tool/u {}))"},
               {"begin", "u"},
               {"doubt", "u"},
               {"resolve", "doubt:u", "7"},
               {"model", "model", "(return [(await h) (apply str (range 99))])"}});
}

TEST_F(HopsTest, a_child_in_doubt_whose_caller_has_failed) {
  expect_same({{"model", "model", "(pcalls (fn [] (tool/desk {})) (fn [] (tool/read {})))"},
               {"model", "desk/model", "(return (tool/pay {}))"},
               {"reject", "read", "no"},
               {"doubt", "desk/pay"},
               {"resolve", "desk/doubt:pay", "7"},
               {"model", "model", "(return 1)"}});
}

TEST_F(HopsTest, a_child_that_faults_beside_its_call_in_doubt) {
  expect_same({{"model", "model", "(return (tool/desk {}))"},
               {"model", "desk/model", "(pcalls (fn [] (tool/pay {})) (fn [] (tool/look {})))"},
               {"reject", "desk/look", "no"},
               {"doubt", "desk/pay"},
               {"resolve", "desk/doubt:pay", "{:a [1 2 3]}"},
               {"model", "desk/model", "(return 1)"}});
}

TEST_F(HopsTest, a_call_that_a_person_allows_and_that_is_in_doubt) {
  expect_same({{"model", "model", "(task \"t\" (tool/ask {}))"},
               {"resolve", "approve:ask", "true"},
               {"doubt", "ask"},
               {"resolve", "doubt:ask", "\"a text\""},
               {"model", "model", "(return (mapv inc (range 40)))"}});
}

// What programs leave behind, which a document may have or not: definitions, earlier definitions, results, prints.
constexpr std::string_view kBefore[] = {"(def big (mapv (fn [i] {:n i :s (str i)}) (range 300)))",
                                        "(defn f [x] (fn [y] (+ x y)))",
                                        "(do (println (apply str (range 300))) (mapv str (range 300)))",
                                        "(task \"t\" (mapv str (range 100)))"};
constexpr std::string_view kMiddle[] = {"", "(println (apply str (range 500)))", "(def big 1)", "(pmap inc (range 20))",
                                        "(def kept (vec (tool/read {})))"};
constexpr std::string_view kEnds[] = {"1", "(return 3)", "(/ 1 0)", "(fail {:reason :x})", "(mapv str (range 200))"};

TEST_F(HopsTest, whatever_a_program_leaves_behind_when_it_ends_beside_a_call_in_doubt) {
  for (const std::string_view before : kBefore) {
    for (const std::string_view middle : kMiddle) {
      for (const std::string_view end : kEnds) {
        const std::string program = "(do (def h (tool/u {})) " + std::string(middle) + " " + std::string(end) + ")";
        SCOPED_TRACE(std::string(before) + program);
        Words words{{"model", "model", std::string(before)}, {"model", "model", program}, {"begin", "u"}};
        if (middle.find("read") != std::string_view::npos) words.push_back({"resolve", "read", "[1 2 3 4]"});
        words.push_back({"doubt", "u"});
        words.push_back({"resolve", "doubt:u", "[1 2 {:a 3}]"});
        const bool has_ended = end.starts_with("(return") || end.starts_with("(fail");
        if (!has_ended) words.push_back({"model", "model", "(return (mapv str (range 50)))"});
        expect_same(words);
      }
    }
  }
}

// Its constants are there before the earlier definitions are gone.
TEST_F(HopsTest, a_program_with_large_constants_behind_a_definition_that_was_replaced) {
  const std::string constants(20'000, 'x');
  expect_same({{"model", "model", "(def big (apply str (range 9000)))"},
               {"model", "model", "(def big 1)"},
               {"model", "model", "(return (count \"" + constants + "\"))"}});
}

}  // namespace
}  // namespace ptcvm::loop
