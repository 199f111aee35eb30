// One suite for the adapters of threads and event loops: same programs, same outcomes as plain stepping.
#include <gtest/gtest.h>

#include <set>

#include "adapters.h"

namespace {

using ptcvm::RunState;

constexpr const char* kEndless = "(loop [i 0] (recur (inc i)))";

struct Case {
  const char* name;
  const char* source;
  RunState state;
  const char* text;   // text of the value, or the kind of the fault
};

constexpr Case kCases[] = {
    {"many slices", "(reduce + (map #(* % %) (range 2000)))", RunState::Completed, "2664667000"},
    {"return", "(do (return {:a 1}) 2)", RunState::Returned, "{:a 1}"},
    {"fail", "(fail \"no\")", RunState::Failed, "\"no\""},
    {"fault", "(+ 1 \"x\")", RunState::Failed, "type_error"},
    {"fuel", kEndless, RunState::Failed, "fuel_exhausted"},
    {"sync tool", "(tool/twice {:n 21})", RunState::Completed, "42"},
    {"tool that fails", "(tool/broken {})", RunState::Failed, "tool_error"},
    {"tool that fails twice, and is called again", "(tool/shaky {})", RunState::Completed, "\"at last\""},
    {"deferred call", "(tool/fetch {:url \"a\"})", RunState::Completed, "\"got a\""},
    {"deferred calls at once", "(pmap #(tool/fetch {:url %}) [\"a\" \"b\" \"c\"])", RunState::Completed,
     "[\"got a\" \"got b\" \"got c\"]"},
    {"deferred call that fails", "(tool/fetch {:url \"bad\"})", RunState::Failed, "tool_error"},
    {"deferred calls one after another", "(reduce #(tool/fetch {:url %2}) nil (map str (range 20)))",
     RunState::Completed, "\"got 19\""},
    {"sleep", "(do (sleep 1) :awake)", RunState::Completed, ":awake"},
    {"operation", "(await (tool/ask {:who \"boss\"}))", RunState::Suspended, ""},
    {"operation with a time limit", "(await (tool/ask {:who \"boss\"}) {:timeout-ms 600000})", RunState::Suspended, ""},
};

ptcvm::Tools tools() {
  ptcvm::Tools out;
  (void)out.add("twice", "(n :int) -> :int", [](std::int64_t n) { return 2 * n; });
  (void)out.add("broken", "", [](ptcvm::ToolCall& call) { return call.error("out of order"); });
  (void)out.add(
      "shaky", "",
      [](ptcvm::ToolCall& call) { return call.attempt() < 3 ? call.error("not yet") : call.value("at last"); },
      {.retry = {.max_attempts = 3, .first_delay = std::chrono::milliseconds(1)}});
  (void)out.defer("fetch", "(url :string) -> :string");
  (void)out.add("ask", "(who :string) -> :any", [](ptcvm::ToolCall& call) { return call.pending(); },
                {.mode = ptcvm::ToolMode::Async});
  return out;
}

ptcvm::Result<ptcvm::Value> fetched(const ptcvm::WaitingCall& call) {
  const std::string url(call.args["url"].as_string().value_or(""));
  if (url == "bad") return ptcvm::Error{ptcvm::Errc::not_available, "no such host", std::nullopt};
  return ptcvm::Value::of("got " + url);
}

std::string text_of(const ptcvm::Run& run) {
  if (!run.is_over()) return "";
  const auto fault = run.diagnostic();
  return fault ? fault->kind : run.result().to_edn();
}

template <class Adapter>
class Adapters : public testing::Test {
 protected:
  ptcvm::Run started(std::string_view source, std::uint64_t fuel = 100'000, const ptcvm::Tools& its_tools = tools()) {
    ptcvm::RunOptions options;
    options.tools = its_tools;
    options.limits.fuel = fuel;
    options.limits.loop = UINT32_MAX;
    const auto program = engine_.compile(source);
    if (!program) throw std::runtime_error(program.error().message);
    return *ptcvm::Run::start(engine_, *program, options);
  }

  ptcvm::Engine engine_;
};
using All = testing::Types<adapters::Plain, adapters::Pool, adapters::Asio>;
TYPED_TEST_SUITE(Adapters, All);

template <class Adapter>
class RealAdapters : public Adapters<Adapter> {};
using Real = testing::Types<adapters::Pool, adapters::Asio>;
TYPED_TEST_SUITE(RealAdapters, Real);

}  // namespace

TYPED_TEST(Adapters, GiveEveryProgramItsOutcome) {
  TypeParam adapter(1);
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    ptcvm::Run run = this->started(one.source);
    adapter.drive(run, fetched);
    EXPECT_EQ(run.state(), one.state) << ptcvm::run_state_name(run.state());
    EXPECT_EQ(text_of(run), one.text);
  }
}

TYPED_TEST(Adapters, GoOnWithARunThatWasResolved) {
  TypeParam adapter(1);
  ptcvm::Run run = this->started("(str \"the boss says \" (await (tool/ask {:who \"boss\"})))");
  adapter.drive(run, fetched);
  ASSERT_EQ(run.state(), RunState::Suspended);
  ASSERT_TRUE(run.resolve(run.pending()[0].id, ptcvm::Value::of("yes")));
  adapter.drive(run, fetched);
  EXPECT_EQ(text_of(run), "\"the boss says yes\"");
}

TYPED_TEST(Adapters, MoveRunsFromThreadToThread) {
  ptcvm::Run run = this->started("(reduce (fn [n i] (+ n (await (tool/ask {:who (str i)})))) 0 (range 8))");
  for (int i = 0; i < 8; ++i) {
    std::thread([&run] { TypeParam(2).drive(run, fetched); }).join();
    ASSERT_EQ(run.state(), RunState::Suspended);
    ASSERT_TRUE(run.resolve(run.pending()[0].id, ptcvm::Value::of(i)));
  }
  TypeParam(1).drive(run, fetched);
  EXPECT_EQ(text_of(run), "28");
}

TYPED_TEST(RealAdapters, CancelARunThatWouldNotEnd) {
  TypeParam adapter(1);
  adapters::Cancel cancel;
  int ticks = 0;
  ptcvm::Tools its_tools;
  ASSERT_TRUE(its_tools.add("tick", "", [&]() {
    if (++ticks == 3) cancel();
  }));
  ptcvm::Run run = this->started("(loop [] (tool/tick {}) (reduce + (range 50)) (recur))", UINT64_MAX, its_tools);
  adapter.drive_until(run, cancel);
  EXPECT_EQ(text_of(run), "cancelled");
  EXPECT_LT(ticks, 100);
}

TYPED_TEST(RealAdapters, AnswerAShortRunBesideAHundredLongOnes) {
  TypeParam adapter(1);
  std::vector<ptcvm::Run> runs;
  for (int i = 0; i < 100; ++i) runs.push_back(this->started(kEndless, 50 * adapters::kSliceFuel));
  runs.push_back(this->started("(reduce + (range 100))"));
  const std::vector<ptcvm::Run> back = adapter.drive_all(std::move(runs));
  ASSERT_EQ(back.size(), 101u);
  EXPECT_EQ(text_of(back[0]), "4950");
  for (std::size_t i = 1; i < back.size(); ++i) EXPECT_EQ(text_of(back[i]), "fuel_exhausted");
}

TYPED_TEST(RealAdapters, StepRunsOnManyThreads) {
  TypeParam adapter(4);
  std::vector<ptcvm::Run> runs;
  for (int i = 0; i < 200; ++i) runs.push_back(this->started("(reduce + (map #(tool/twice {:n %}) (range 100)))"));
  const std::vector<ptcvm::Run> back = adapter.drive_all(std::move(runs));
  ASSERT_EQ(back.size(), 200u);
  for (const ptcvm::Run& run : back) EXPECT_EQ(text_of(run), "9900");
}
