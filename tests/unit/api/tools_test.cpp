// Tools: callables by signature, what is checked and where errors point, waiting and retried calls.
#include <stdexcept>
#include <thread>

#include "ptcvm/effects.hpp"
#include "run_fixture.h"

struct Hit {
  std::int64_t id = 0;
  std::string title;
};
BOOST_DESCRIBE_STRUCT(Hit, (), (id, title))

struct Tree {
  std::string name;
  std::vector<Tree> below;
};
BOOST_DESCRIBE_STRUCT(Tree, (), (name, below))

enum class Colour { red, green };
BOOST_DESCRIBE_ENUM(Colour, red, green)

struct Cents {
  std::int64_t count = 0;
};
template <>
struct ptcvm::Convert<Cents> {                   // without shape(): any value may fit
  static Result<Cents> read(ValueView v, const Path&) { return Cents{v.as_int().value_or(0)}; }
};

namespace ptcvm {
namespace {

using std::chrono::milliseconds;

class ToolsTest : public ApiTest {};

TEST_F(ToolsTest, TypedCallablesGetWhatTheSignatureSays) {
  tool("search", "(q :string, limit :int?) -> [{id :int, title :string}]",
       [](const std::string& q, std::optional<int> limit) {
         return std::vector<Hit>(static_cast<std::size_t>(limit.value_or(1)), Hit{7, q});
       });
  EXPECT_EQ(answer("(tool/search {:q \"a\"})"), "[{\"id\" 7 \"title\" \"a\"}]");
  EXPECT_EQ(answer("(count (tool/search {:q \"a\" :limit 3}))"), "3");
}

TEST_F(ToolsTest, ArgumentsAreConvertedWhereNothingIsLost) {
  tool("add", "(a :int, b-c :int) -> :int", [](std::int64_t a, std::int64_t b) { return a + b; });
  EXPECT_EQ(answer("(tool/add {:a \"5\" :b-c 2.0})"), "7");
}

TEST_F(ToolsTest, ErrorsOfArgumentsSayWhere) {
  int calls = 0;
  tool("add", "(a :int, items [{n :int}]) -> :int", [&](std::int64_t, ValueView) { return ++calls; });
  EXPECT_EQ(answer("(tool/add {:a \"x\" :items []})"), "invalid_tool_args: add: args.a: expected int, got string");
  EXPECT_EQ(answer("(tool/add {:a 1 :items [{:n 1} {:n :k}]})"),
            "invalid_tool_args: add: args.items[1].n: expected int, got keyword");
  EXPECT_EQ(calls, 0);
}

TEST_F(ToolsTest, AnswersAreHeldAgainstTheSignature) {
  tool("one", "() -> {n :int}", [] { return Value::from_edn("{\"n\" \"many\"}").value(); });
  EXPECT_EQ(answer("(tool/one)"),
            "tool_error: Tool 'one' failed: its answer does not fit its signature: answer.n: expected int, got string");
}

TEST_F(ToolsTest, ResultsThatComeLaterAreHeldAgainstItToo) {
  tool("one", "() -> {n :int}", [](ToolCall& call) { return call.pending(); }, {.mode = ToolMode::Async});
  Run run = started("(await (tool/one))");
  run.step();
  const auto refused = run.resolve("op1", Value::from_edn("{\"n\" \"many\"}").value());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid_value);
  EXPECT_NE(refused.error().message.find("answer.n: expected int"), std::string::npos) << refused.error().message;
  ASSERT_TRUE(run.resolve("op1", Value::from_edn("{\"n\" \"5\"}").value()));
  run.step();
  EXPECT_EQ(run.result().to_edn(), "{\"n\" 5}");
}

TEST_F(ToolsTest, ErrorsAreData) {
  tool("fails", "() -> :any", []() -> Result<int> { return Error{Errc::invalid_value, "out of stock", {}}; });
  EXPECT_EQ(answer("(tool/fails)"), "tool_error: Tool 'fails' failed: out of stock");
}

TEST_F(ToolsTest, WhatDoesNotFitIsRefusedWhenAdded) {
  EXPECT_EQ(tools_.add("x", "(a :strng) -> :int", [](std::string) { return 1; }).error().code, Errc::invalid_signature);
  const auto count = tools_.add("x", "(a :int) -> :int", [](int, int) { return 1; });
  EXPECT_EQ(count.error().message, "tool x: its callable takes 2 arguments, its signature names 1");
  EXPECT_TRUE(tools_.empty());
}

// Returns why a callable is refused under a signature, or "" when it is taken.
template <class F>
std::string refusal_of(std::string_view signature, F callable) {
  Tools tools;
  const auto added = tools.add("x", signature, std::move(callable));
  EXPECT_EQ(tools.empty(), !added);
  if (!added) EXPECT_EQ(added.error().code, Errc::invalid_value);
  return added ? "" : added.error().message;
}

TEST_F(ToolsTest, ACallableThatCannotTakeItsArgumentsIsRefusedWhenAdded) {
  EXPECT_EQ(refusal_of("(a :string) -> :int", [](int) { return 1; }),
            "tool x: args.a is :string, and its callable takes an integer");
  EXPECT_EQ(refusal_of("(n :int, q :int) -> :int", [](int, const std::string&) { return 1; }),
            "tool x: args.q is :int, and its callable takes a string");
  EXPECT_EQ(refusal_of("(x :float) -> :int", [](std::int64_t) { return 1; }),
            "tool x: args.x is :float, and its callable takes an integer");
  EXPECT_EQ(refusal_of("(n :int?) -> :int", [](int) { return 1; }),
            "tool x: args.n is :int? and may be nil or missing, and its callable takes an integer; write "
            "std::optional");
  EXPECT_EQ(refusal_of("(items [:int]) -> :int", [](const std::vector<std::string>&) { return 1; }),
            "tool x: args.items[] is :int, and its callable takes a string");
  EXPECT_EQ(refusal_of("(hits [{id :string}]) -> :int", [](const std::vector<Hit>&) { return 1; }),
            "tool x: args.hits[].id is :string, and its callable takes an integer");
  EXPECT_EQ(refusal_of("(prices {a :float}) -> :int", [](const std::map<std::string, bool>&) { return 1; }),
            "tool x: args.prices.a is :float, and its callable takes a bool");
  EXPECT_EQ(refusal_of("(root {below [{below [:int]}]}) -> :int", [](const Tree&) { return 1; }),
            "tool x: args.root.below[].below[] is :int, and its callable takes a struct");
  EXPECT_EQ(refusal_of("(day :date) -> :int", [](const std::string&) { return 1; }),
            "tool x: args.day is :date, and its callable takes a string");
  EXPECT_EQ(refusal_of("(c :int) -> :int", [](Colour) { return 1; }),
            "tool x: args.c is :int, and its callable takes an enumerator");
}

int twice(int n) { return 2 * n; }

TEST_F(ToolsTest, ACallableThatMayTakeItsArgumentsIsAdded) {
  EXPECT_EQ(refusal_of("(n :int) -> :float", [](double n) { return n; }), "");
  EXPECT_EQ(refusal_of("(n :int) -> :int", &twice), "");
  EXPECT_EQ(refusal_of("(a :any, b) -> :int", [](int, const std::string&) { return 1; }), "");
  EXPECT_EQ(refusal_of("(n :int) -> :int", [](std::optional<int> n) { return n.value_or(0); }), "");
  EXPECT_EQ(refusal_of("(a :date, b [:keyword]) -> :int", [](ValueView, const std::vector<Value>&) { return 1; }), "");
  EXPECT_EQ(refusal_of("(c :string, d :keyword) -> :int", [](Colour, Colour) { return 1; }), "");
  EXPECT_EQ(refusal_of("(m :map, r {id :int, more :any}) -> :int", [](const Hit&, const Hit&) { return 1; }), "");
  EXPECT_EQ(refusal_of("(c :string) -> :int", [](Cents) { return 1; }), "");
  EXPECT_EQ(refusal_of("(x :int) -> :int", [](ToolCall& call) { return call.value(1); }), "");
}

TEST_F(ToolsTest, AListIsWhatItWasWhenTheRunBegan) {
  tool("n", "() -> :int", [] { return 1; });
  Run run = started("(+ (tool/n) (tool/n))");
  tool("n", "() -> :int", [] { return 100; });
  run.step();
  EXPECT_EQ(run.result().as_int(), 2);
}

TEST_F(ToolsTest, EqualCallsOfACachedToolAreOne) {
  int calls = 0;
  tool("n", "(x :int) -> :int", [&](int x) { ++calls; return x; }, {.cache = true});
  EXPECT_EQ(answer("[(tool/n {:x 1}) (tool/n {:x 1}) (tool/n {:x 2})]"), "[1 1 2]");
  EXPECT_EQ(calls, 2);
}

TEST_F(ToolsTest, DeferredCallsAreHandedOut) {
  ASSERT_TRUE(tools_.defer("fetch", "(url :string) -> :string"));
  Run run = started("(str (tool/fetch {:url \"a\"}) (tool/fetch {:url \"b\"}))");
  ASSERT_EQ(run.step(), RunState::Yielded);
  ASSERT_EQ(run.calls().size(), 1u);
  EXPECT_EQ(run.calls()[0].args["url"].as_string(), "a");
  EXPECT_EQ(run.step(), RunState::Yielded);
  Run elsewhere = moved_elsewhere(std::move(run));
  ASSERT_EQ(elsewhere.calls().size(), 1u);
  ASSERT_TRUE(elsewhere.answer(elsewhere.calls()[0].id, Value::of("x")));
  ASSERT_EQ(elsewhere.step(), RunState::Yielded);
  ASSERT_TRUE(elsewhere.answer(elsewhere.calls()[0].id, Value::of("y")));
  ASSERT_EQ(elsewhere.step(), RunState::Completed);
  EXPECT_EQ(elsewhere.result().as_string(), "xy");
  EXPECT_EQ(elsewhere.usage().tool_calls, 2u);
}

TEST_F(ToolsTest, TheOrderOfAnswersToBranchesIsNotSeen) {
  ASSERT_TRUE(tools_.defer("fetch", "(n :int) -> :int"));
  const char* source = "(do (pmap #(task (str \"t\" %) (tool/fetch {:n %})) [1 2 3]) (tool/fetch {:n 9}))";
  std::string journals[2];
  for (const bool backwards : {false, true}) {
    Run run = started(source);
    ASSERT_EQ(run.step(), RunState::Yielded);
    auto calls = run.calls();
    ASSERT_EQ(calls.size(), 3u);
    if (backwards) std::reverse(calls.begin(), calls.end());
    for (const WaitingCall& call : calls) {
      ASSERT_TRUE(run.answer(call.id, Value::of(10 * *call.args["n"].as_int())));
      if (&call != &calls.back()) EXPECT_EQ(run.step(), RunState::Yielded);
    }
    ASSERT_EQ(run.step(), RunState::Yielded);
    journals[backwards] = run.journal_edn() + std::to_string(run.usage().fuel);
    EXPECT_EQ(run.answer(999, Value()).error().code, Errc::wrong_state);
  }
  EXPECT_EQ(journals[0], journals[1]);
}

// A run that was taken elsewhere between two answers goes the same way.
TEST_F(ToolsTest, ABatchThatIsHalfAnsweredTravels) {
  ASSERT_TRUE(tools_.defer("fetch", "(n :int) -> :int"));
  const char* source = "(pmap (fn [n] (+ (tool/fetch {:n n}) (tool/fetch {:n (* 10 n)}))) [1 2])";
  Run run = started(source);
  ASSERT_EQ(run.step(), RunState::Yielded);
  ASSERT_EQ(run.calls().size(), 2u);
  ASSERT_TRUE(run.answer(run.calls()[0].id, Value::of(5)));
  Run elsewhere = moved_elsewhere(std::move(run));
  EXPECT_EQ(elsewhere.step(), RunState::Yielded);
  ASSERT_EQ(elsewhere.calls().size(), 1u) << "the branch that has its answer waits for the other one";
  ASSERT_TRUE(elsewhere.answer(elsewhere.calls()[0].id, Value::of(6)));
  ASSERT_EQ(elsewhere.step(), RunState::Yielded);
  EXPECT_EQ(elsewhere.calls().size(), 2u);
}

TEST_F(ToolsTest, AToolGivesUpWithWhatItHas) {
  tool("scan", "() -> :any", [](ToolCall& call) {
    for (int n = 1; !call.expired(); ++n) {
      call.report_partial(n > 0 ? "some" : "none");
      std::this_thread::sleep_for(milliseconds(1));
    }
    return call.timed_out();
  }, {.deadline = milliseconds(5)});
  EXPECT_EQ(answer("(tool/scan)"), "{:partial \"some\" :status :timed-out}");
}

TEST_F(ToolsTest, FailedCallsAreMadeAgainAfterPauses) {
  std::vector<std::uint32_t> attempts;
  ToolOptions options;
  options.retry = {.max_attempts = 3, .first_delay = milliseconds(1), .max_delay = milliseconds(2)};
  tool("shaky", "() -> :int", [&](ToolCall& call) {
    attempts.push_back(call.attempt());
    return call.attempt() < 3 ? call.error("not yet") : call.value(5);
  }, options);
  EventList events;
  RunOptions watched;
  watched.observer = &events;
  Run run = started("(tool/shaky)", watched);
  while (run.step() == RunState::Yielded) {
    ASSERT_TRUE(run.wake_time_ms());
    EXPECT_TRUE(run.calls().empty());
  }
  EXPECT_EQ(run.result().as_int(), 5);
  EXPECT_EQ(attempts, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(run.usage().tool_calls, 1u);
  EXPECT_EQ(events.text, "run_start tool_start(shaky) retry(shaky) tool_start(shaky) retry(shaky) tool_start(shaky) "
                         "tool_end(shaky) run_end ");
}

TEST_F(ToolsTest, AfterTheLastAttemptTheErrorIsTheAnswer) {
  ToolOptions options;
  options.retry = {.max_attempts = 2, .first_delay = milliseconds(0)};
  int calls = 0;
  tool("down", "() -> :int", [&](ToolCall& call) { ++calls; return call.error("down"); }, options);
  Run run = started("(tool/down)");
  while (run.step() == RunState::Yielded) {
  }
  EXPECT_EQ(run.diagnostic()->message, "Tool 'down' failed: down");
  EXPECT_EQ(calls, 2);
}

TEST_F(ToolsTest, WhatACallableThrowsIsAnErrorOfItsTool) {
  tool("file", "() -> :int", []() -> int { throw std::runtime_error("the disk is gone"); });
  tool("odd", "() -> :int", []() -> int { throw 7; });
  tool("half", "() -> [:int]", [](ToolCall& call) -> ToolReply {
    return call.build([](ValueWriter& out) {
      out.begin_vector().integer(1);
      throw std::runtime_error("in the middle");
    });
  });
  EXPECT_EQ(answer("(tool/file)"), "tool_error: Tool 'file' failed: threw: the disk is gone");
  EXPECT_EQ(answer("(tool/odd)"), "tool_error: Tool 'odd' failed: threw something that is no std::exception");
  EXPECT_EQ(answer("(tool/half)"), "tool_error: Tool 'half' failed: threw: in the middle");
  tools_ = tools_.wrapped([](ToolCall&, const auto&) -> ToolReply { throw std::runtime_error("the till is closed"); });
  EXPECT_EQ(answer("(tool/file)"), "tool_error: Tool 'file' failed: threw: the till is closed");
}

TEST_F(ToolsTest, EffectsHaveNames) {
  for (const Effect effect : {Effect::Unsafe, Effect::Pure, Effect::Idempotent, Effect::Keyed, Effect::Reconcilable}) {
    EXPECT_EQ(find_effect(effect_name(effect)), effect);
  }
  EXPECT_EQ(effect_name(Effect::Keyed), "keyed");
  EXPECT_FALSE(find_effect("sometimes"));
  EXPECT_FALSE(find_effect(""));
}

TEST_F(ToolsTest, SaysWhichCallsInDoubtAreMadeAgainUnasked) {
  std::vector<std::string_view> again;
  for (const Effect effect : {Effect::Unsafe, Effect::Pure, Effect::Idempotent, Effect::Keyed, Effect::Reconcilable}) {
    if (is_called_again(effect)) again.push_back(effect_name(effect));
  }
  EXPECT_EQ(again, (std::vector<std::string_view>{"pure", "idempotent", "keyed"}));
}

TEST_F(ToolsTest, ListsWhatItHolds) {
  tool("b", "(x :int) -> :int", [](int x) { return x; }, {.effect = Effect::Keyed, .description = "gives x"});
  ASSERT_TRUE(tools_.defer("a", ""));
  const auto list = tools_.list();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_TRUE(list[0].deferred);
  EXPECT_EQ(list[1].signature, "(x :int) -> :int");
  EXPECT_EQ(list[1].effect, Effect::Keyed);
}

TEST_F(ToolsTest, WrappedToolsAreCalledThroughTheirWrapper) {
  std::string seen;
  tool("add", "(a :int, b :int) -> :int", [&seen](std::int64_t a, std::int64_t b) {
    seen += "called ";
    return a + b;
  });
  tools_.defer("fetch", "() -> :int").value();
  tools_ = tools_.wrapped([&seen](ToolCall& call, const std::function<ToolReply()>& next) {
    seen += std::string(call.name()) + " before ";
    ToolReply reply = next();
    seen += "after";
    return reply;
  });
  EXPECT_EQ(answer("(tool/add {:a 2 :b 3})"), "5");
  EXPECT_EQ(seen, "add before called after");
  ASSERT_EQ(tools_.list().size(), 2u);
  EXPECT_EQ(tools_.list()[0].signature, "(a :int, b :int) -> :int");
  EXPECT_TRUE(tools_.list()[1].deferred);
}

TEST_F(ToolsTest, AWrapperMayAnswerWithoutACall) {
  int calls = 0;
  tool("pay", "() -> :int", [&calls] { return ++calls; });
  const Tools closed = tools_.wrapped([](ToolCall& call, const auto&) { return call.error("the till is closed"); });
  EXPECT_EQ(answer("(tool/pay)"), "1");
  tools_ = closed;
  EXPECT_EQ(answer("(tool/pay)"), "tool_error: Tool 'pay' failed: the till is closed");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace ptcvm
