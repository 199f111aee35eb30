// Stored runs: what others say, from other handles of the store and from other processes, also when processes die.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include <sys/wait.h>
#include <unistd.h>

#include "ptcvm/sqlite.hpp"
#include "run_fixture.h"

namespace ptcvm {
namespace {

class StoreTest : public ApiTest {
 protected:
  void SetUp() override {
    std::string folder = (std::filesystem::temp_directory_path() / "ptcvm_store_XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Store store() { return open_sqlite(folder_ / "runs.db").value(); }

  // A tool whose effect is a line in a file, which no process can take back.
  Tools paying() {
    Tools tools;
    tools.add("pay", "(to :string, amount :int) -> :string", [file = folder_ / "paid"](ToolCall& call) {
           std::ofstream(file, std::ios::app) << call.arg("to").as_string().value() << ' '
                                              << *call.arg("amount").as_int() << '\n';
           return call.value("paid");
         }).value();
    return tools;
  }
  std::string paid() const {
    std::ifstream in(folder_ / "paid");
    return {std::istreambuf_iterator<char>(in), {}};
  }

  StoredOptions asking() {
    StoredOptions options;
    options.id = "r";
    options.hooks.before_tool = [file = folder_ / "asked"](ToolCall&) {
      std::ofstream(file, std::ios::app) << "?";
      return HookVerdict::ask("pay?");
    };
    return options;
  }
  std::string asked() const {
    std::ifstream in(folder_ / "asked");
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // What `work` does in a process that then kills itself; true when it got there.
  static bool dies_after(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child == 0) {
      work();
      kill(getpid(), SIGKILL);
      _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

  std::filesystem::path folder_;
};

constexpr const char* kPayment = "(task \"wire\" (tool/pay {:to \"bo\" :amount 5}))";

TEST_F(StoreTest, ARunEndsOnceAndIsThere) {
  Store memory = Store::in_memory();
  const Tools tools = paying();
  auto first = run_stored(engine_, memory, tools, kPayment, {.id = "r"});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->end, StoredEnd::Ended);
  EXPECT_EQ(first->outcome.value.view().as_string(), "paid");
  auto second = run_stored(engine_, memory, tools, kPayment, {.id = "r"});
  EXPECT_EQ(second->end, StoredEnd::EndedBefore);
  EXPECT_EQ(paid(), "bo 5\n");
  ASSERT_EQ(memory.runs()->size(), 1u);
  EXPECT_EQ(memory.runs()->front().state, StoredState::Ended);
  EXPECT_NE(memory.log_json("r")->find("task_committed"), std::string::npos);
}

TEST_F(StoreTest, OthersResolveAndWake) {
  Tools tools;
  tools.add("page", "() -> :any", [](ToolCall& call) { return call.pending("p1"); }, {.mode = ToolMode::Async}).value();
  const char* source = "(await (tool/page))";
  Store mine = store();
  auto parked = run_stored(engine_, mine, tools, source, {.id = "r"});
  ASSERT_EQ(parked->end, StoredEnd::Suspended);
  ASSERT_EQ(parked->pending.size(), 1u);
  EXPECT_EQ(parked->pending[0].key, "p1");
  EXPECT_TRUE(mine.woken(0)->empty());
  ASSERT_TRUE(dies_after([&] { store().resolve("r", "p1", Value::of(7), "somebody").value(); }));
  EXPECT_EQ(*mine.woken(0), std::vector<std::string>{"r"});
  EXPECT_TRUE(mine.resolve("r", "p1", Value::of(7)));
  EXPECT_EQ(mine.resolve("r", "p1", Value::of(8)).error().code, Errc::already_resolved);
  EXPECT_EQ(run_stored(engine_, mine, tools, source, {.id = "r"})->outcome.value.view().as_int(), 7);
}

TEST_F(StoreTest, AProcessDiesWhileItsQuestionIsOpen) {
  ASSERT_TRUE(dies_after([&] {
    Store own = store();
    const auto asked = run_stored(Engine(), own, paying(), kPayment, asking());
    if (asked->questions.size() != 1) _exit(2);
  }));
  Store mine = store();
  auto again = run_stored(engine_, mine, paying(), kPayment, asking());
  ASSERT_EQ(again->end, StoredEnd::Suspended);
  ASSERT_EQ(again->questions.size(), 1u);
  EXPECT_EQ(again->questions[0].text, "pay?");
  EXPECT_EQ(asked(), "?") << "nobody is asked twice";
  EXPECT_EQ(paid(), "");
  const std::string key = again->questions[0].key;
  EXPECT_EQ(mine.decide("r", key, true, {}, "ada", "{\"amount\" 6 \"to\" \"bo\"}").error().code, Errc::refused);
  ASSERT_TRUE(dies_after([&] {
    store().decide("r", key, true, "fine", "ada", "{\"amount\" 5 \"to\" \"bo\"}").value();
  }));
  EXPECT_EQ(mine.decide("r", key, false).error().code, Errc::refused);
  EXPECT_EQ(*mine.woken(0), std::vector<std::string>{"r"});
  auto done = run_stored(engine_, mine, paying(), kPayment, asking());
  EXPECT_EQ(done->end, StoredEnd::Ended);
  EXPECT_EQ(run_stored(engine_, mine, paying(), kPayment, asking())->end, StoredEnd::EndedBefore);
  EXPECT_EQ(paid(), "bo 5\n") << "the tool runs once, with the approved arguments";
  EXPECT_EQ(asked(), "?");
}

// The log is the truth: a run whose parked state is lost asks nobody again either.
TEST_F(StoreTest, AskedInTheLogIsAsked) {
  ASSERT_TRUE(dies_after([&] {
    Store own = store();
    StoredOptions options = asking();
    struct Killer : Observer {
      Verdict on_event(const Event& event) override {
        if (event.kind == EventKind::Ask) kill(getpid(), SIGKILL);   // the fact is written, nothing is parked
        return Verdict::Continue;
      }
    } killer;
    options.observer = &killer;
    (void)run_stored(Engine(), own, paying(), kPayment, options);
  }));
  Store mine = store();
  auto again = run_stored(engine_, mine, paying(), kPayment, asking());
  ASSERT_EQ(again->questions.size(), 1u);
  EXPECT_EQ(asked(), "?");
}

TEST_F(StoreTest, ApprovedArgumentsThatChangeAreRefused) {
  Store mine = store();
  const Value data = Value::from_edn("{:n 5}").value();
  auto parked = run_stored(engine_, mine, paying(), "(tool/pay {:to \"bo\" :amount data/n})",
                           {.id = "r", .data = data, .hooks = asking().hooks});
  ASSERT_EQ(parked->questions.size(), 1u);
  ASSERT_TRUE(mine.decide("r", parked->questions[0].key, true));
  // The same call of a changed program: the parked state is refused by forgetting it, and it runs from the top.
  StoredOptions options = asking();
  auto done = run_stored(engine_, mine, paying(), "(tool/pay {:to \"bo\" :amount 6})", options);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(paid(), "bo 5\n") << "the parked program goes on, with what was approved";
}

TEST_F(StoreTest, DeniedInAnotherProcess) {
  Store mine = store();
  auto parked = run_stored(engine_, mine, paying(), kPayment, asking());
  ASSERT_TRUE(dies_after([&] { store().decide("r", parked->questions[0].key, false, "no money").value(); }));
  auto done = run_stored(engine_, mine, paying(), kPayment, asking());
  ASSERT_EQ(done->end, StoredEnd::Ended);
  EXPECT_EQ(done->outcome.diagnostic->message, "Tool 'pay' failed: refused: no money");
  EXPECT_EQ(paid(), "");
}

// An unsafe tool was called, and its process died before it could say what came of it.
TEST_F(StoreTest, APersonSettlesADoubt) {
  Tools deadly;
  deadly.add("pay", "(to :string, amount :int) -> :string", [](ToolCall&) -> const char* {
          kill(getpid(), SIGKILL);
          return "";
        }).value();
  ASSERT_TRUE(dies_after([&] {
    Store own = store();
    (void)run_stored(Engine(), own, deadly, kPayment, {.id = "r"});
  }));
  Store mine = store();
  auto parked = run_stored(engine_, mine, paying(), kPayment, {.id = "r"});
  ASSERT_EQ(parked->end, StoredEnd::InDoubt);
  ASSERT_EQ(parked->doubts.size(), 1u);
  const std::vector<JournalCall> doubts = mine.doubts("r").value();
  ASSERT_EQ(doubts.size(), 1u);
  EXPECT_EQ(doubts[0].key, parked->doubts[0].key);
  EXPECT_EQ(doubts[0].tool + ' ' + doubts[0].task, "pay wire");
  EXPECT_EQ(doubts[0].effect, Effect::Unsafe);
  EXPECT_TRUE(mine.detail("r").value().is_in_doubt);
  EXPECT_EQ(mine.settle("r", "nothing", DoubtAnswer::DidNot).error().code, Errc::refused);
  ASSERT_TRUE(mine.settle("r", parked->doubts[0].key, DoubtAnswer::Happened, Value::of("paid by hand"), "ada"));
  auto done = run_stored(engine_, mine, paying(), kPayment, {.id = "r"});
  ASSERT_EQ(done->end, StoredEnd::Ended);
  EXPECT_EQ(done->outcome.value.view().as_string(), "paid by hand");
  EXPECT_EQ(paid(), "") << "it was not called again";
}

TEST_F(StoreTest, AResultThatDoesNotFitIsAnErrorOfItsTool) {
  Tools tools;
  tools.add("page", "() -> :int", [](ToolCall& call) { return call.pending("p1"); }, {.mode = ToolMode::Async}).value();
  const char* source = "(await-settled (tool/page))";
  Store memory = Store::in_memory();
  (void)run_stored(engine_, memory, tools, source, {.id = "r"});
  ASSERT_TRUE(memory.resolve("r", "p1", Value::of("many")));
  auto done = run_stored(engine_, memory, tools, source, {.id = "r"});
  ASSERT_EQ(done->end, StoredEnd::Ended);
  EXPECT_NE(done->outcome.value.to_edn().find("expected int, got string"), std::string::npos)
      << done->outcome.value.to_edn();
}

TEST_F(StoreTest, StoredRunsAreWatchedAsOthers) {
  Tools tools;
  tools.add("page", "() -> :any", [](ToolCall& call) { return call.pending("p1"); }, {.mode = ToolMode::Async}).value();
  const char* source = "(do (task \"t\" 1) (await (tool/page)))";
  Store memory = Store::in_memory();
  EventList events;
  (void)run_stored(engine_, memory, tools, source, {.id = "r", .observer = &events, .name = "a.ptc"});
  EXPECT_EQ(events.text, "run_start(a.ptc) commit tool_start(page) tool_end(page) open(page) suspend ");
  events.text.clear();
  ASSERT_TRUE(memory.resolve("r", "p1", Value::of(7)));
  (void)run_stored(engine_, memory, tools, source, {.id = "r", .observer = &events});
  EXPECT_EQ(events.text, "resolve(page) resume run_end ");
}

TEST_F(StoreTest, AttemptsAreInTheLog) {
  Tools tools;
  ToolOptions options;
  options.retry = {.max_attempts = 3, .first_delay = std::chrono::milliseconds(1)};
  tools.add("shaky", "() -> :int", [](ToolCall& call) {
         return call.attempt() < 3 ? call.error("not yet") : call.value(5);
       }, options).value();
  Store memory = Store::in_memory();
  auto done = run_stored(engine_, memory, tools, "(tool/shaky)", {.id = "r"});
  EXPECT_EQ(done->outcome.value.view().as_int(), 5);
  const std::string log = *memory.log_json("r");
  std::size_t intents = 0;
  for (std::size_t at = log.find("\"intent\""); at != std::string::npos; at = log.find("\"intent\"", at + 1)) ++intents;
  EXPECT_EQ(intents, 3u) << log;
}

TEST_F(StoreTest, DeferredToolsNeedALoop) {
  Tools tools;
  tools.defer("fetch", "").value();
  Store memory = Store::in_memory();
  EXPECT_EQ(run_stored(engine_, memory, tools, "1", {}).error().code, Errc::not_available);
}

}  // namespace
}  // namespace ptcvm
