// What the log of a stored run says to hosts, and what hosts do to a log as a whole.
#include "run_fixture.h"

namespace ptcvm {
namespace {

constexpr const char* kTrip =
    "(let [room (task \"room\" (tool/book {:what \"room\"}))"
    "      yes  (await (tool/ask {:about room}))]"
    "  [room yes])";

// A run that booked a room and waits for an answer.
class JournalTest : public ApiTest {
 protected:
  void SetUp() override {
    tool("book", "(what :string) -> :string", [](ToolCall& call) { return call.value("booked"); },
         {.effect = Effect::Keyed});
    tool("ask", "(about :string) -> :bool", [](ToolCall& call) { return call.pending("letter"); },
         {.mode = ToolMode::Async});
    go_on();
  }
  StoredEnd go_on() { return run_stored(engine_, store_, tools_, kTrip, {.id = "trip"}).value().end; }

  Store store_ = Store::in_memory();
};

TEST_F(JournalTest, SaysWhatHappened) {
  const RunJournal journal = store_.journal("trip").value();
  EXPECT_EQ(journal.run, "trip");
  EXPECT_EQ(journal.turn, 1u);
  EXPECT_FALSE(journal.is_over);
  ASSERT_EQ(journal.tasks.size(), 1u);
  EXPECT_EQ(journal.tasks[0].id, "room");
  EXPECT_EQ(journal.tasks[0].value_edn, "\"booked\"");
  EXPECT_EQ(journal.tasks[0].by, "");
  ASSERT_GE(journal.calls.size(), 1u);
  EXPECT_EQ(journal.calls[0].tool, "book");
  EXPECT_EQ(journal.calls[0].state, "committed");
  EXPECT_EQ(journal.calls[0].effect, Effect::Keyed);
  EXPECT_EQ(journal.calls[0].task, "room");
  ASSERT_EQ(journal.operations.size(), 1u);
  EXPECT_EQ(journal.operations[0].id, "letter");
  EXPECT_TRUE(journal.operations[0].is_opened);
  EXPECT_EQ(journal.operations[0].status, "");
}

TEST_F(JournalTest, NotableLeavesTasksAndCallsOut) {
  const RunJournal journal = store_.journal("trip", JournalExtent::Notable).value();
  EXPECT_EQ(journal.facts, store_.journal("trip").value().facts);
  EXPECT_TRUE(journal.tasks.empty());
  EXPECT_TRUE(journal.calls.empty());
  EXPECT_EQ(journal.operations.size(), 1u);
}

TEST_F(JournalTest, SaysWhoAnswered) {
  ASSERT_TRUE(store_.resolve("trip", "letter", Value::of(true), "Ann"));
  const RunJournal journal = store_.journal("trip", JournalExtent::Notable).value();
  ASSERT_EQ(journal.operations.size(), 1u);
  EXPECT_EQ(journal.operations[0].status + ' ' + journal.operations[0].value_edn, "ok true");
  EXPECT_EQ(journal.operations[0].by, "Ann");
  EXPECT_EQ(go_on(), StoredEnd::Ended);
  EXPECT_TRUE(store_.journal("trip").value().is_over);
}

TEST_F(JournalTest, OfARunThatNobodyKnowsHasNoFacts) {
  EXPECT_EQ(store_.journal("nobody").value().facts, 0u);
  EXPECT_EQ(store_.find("nobody").value(), std::nullopt);
  EXPECT_TRUE(store_.detail("nobody").value().waits_for.empty());
}

TEST_F(JournalTest, IsTextForPeopleAndScripts) {
  const RunJournal journal = store_.journal("trip").value();
  EXPECT_EQ(journal_edn(journal), "{\"room\" \"booked\"}");
  EXPECT_NE(mission_log(journal).find("room"), std::string::npos);
  const std::string json = journal_json(journal);
  EXPECT_TRUE(json.starts_with("{\"run\":\"trip\",\"turn\":1,\"over\":false,\"tasks\":[{\"id\":\"room\"")) << json;
  EXPECT_NE(json.find("\"op\":\"letter\""), std::string::npos) << json;
  EXPECT_EQ(checklist(journal), "");
  RunJournal planned;
  planned.plan = {{"1", "Book"}, {"2", "Go"}};
  planned.summaries = {{"1", "room 7"}};
  EXPECT_TRUE(checklist(planned).ends_with("- [x] **1.** Book — room 7\n- [ ] **2.** Go")) << checklist(planned);
}

TEST_F(JournalTest, DetailSaysWhatARunWaitsForAndHowItEnded) {
  StoredDetail detail = store_.detail("trip").value();
  EXPECT_EQ(detail.waits_for, std::vector<std::string>{"letter"});
  EXPECT_FALSE(detail.is_in_doubt);
  EXPECT_EQ(detail.end_status, "");
  const StoredRunInfo parked = store_.find("trip").value().value();
  EXPECT_EQ(parked.state, StoredState::Parked);
  EXPECT_EQ(parked.facts, store_.journal("trip").value().facts);
  EXPECT_FALSE(parked.is_interrupted);
  ASSERT_TRUE(store_.resolve("trip", "letter", Value::of(true)));
  EXPECT_EQ(go_on(), StoredEnd::Ended);
  detail = store_.detail("trip").value();
  EXPECT_EQ(detail.end_status, "ok");
  EXPECT_TRUE(detail.waits_for.empty());
}

TEST_F(JournalTest, ALogGoesToAnotherStore) {
  Store other = Store::in_memory();
  const std::string lines = store_.log_json("trip").value();
  ASSERT_TRUE(other.import_log("trip", lines));
  EXPECT_EQ(other.log_json("trip").value(), lines);
  EXPECT_EQ(other.import_log("trip", lines).error().code, Errc::refused);
  ASSERT_TRUE(other.resolve("trip", "letter", Value::of(true)));
  const auto done = run_stored(engine_, other, tools_, kTrip, {.id = "trip"});
  ASSERT_EQ(done->end, StoredEnd::Ended);
  EXPECT_EQ(done->outcome.value.view().to_edn(), "[\"booked\" true]");
}

TEST_F(JournalTest, LinesThatAreNoLogAreRefusedByTheirNumber) {
  Store other = Store::in_memory();
  const std::string lines = store_.log_json("trip").value();
  const auto refused = [&](const std::string& text) {
    const auto done = other.import_log("trip", text);
    return done ? std::string("taken") : errc_name(done.error().code) + (": " + done.error().message);
  };
  EXPECT_TRUE(refused("{}").starts_with("invalid_value: line 1: ")) << refused("{}");
  EXPECT_TRUE(refused(lines + lines).starts_with("invalid_value: line ")) << refused(lines + lines);
  EXPECT_EQ(other.find("trip").value(), std::nullopt);
}

TEST_F(JournalTest, FactsAreVisitedLineByLine) {
  std::string joined;
  ASSERT_TRUE(store_.visit_log_json("trip", [&](std::string_view line) { joined.append(line) += '\n'; }));
  EXPECT_EQ(joined, store_.log_json("trip").value());
}

TEST_F(JournalTest, ATaskIsDoneAgainForAReason) {
  EXPECT_EQ(store_.reset_task("trip", "nothing", "why").error().detail, "no_task");
  EXPECT_EQ(store_.reset_task("trip", "room").error().detail, "needs_reason");
  EXPECT_EQ(store_.reset_task("trip", "room").error().code, Errc::refused);
  ASSERT_TRUE(store_.reset_task("trip", "room", "the room burnt down", "Ann"));
  EXPECT_TRUE(store_.journal("trip").value().tasks.empty());
}

TEST_F(JournalTest, AValueFromOutsideIsReplacedByNameOnly) {
  ASSERT_TRUE(store_.put("trip", "budget", Value::of(100), "Ann"));
  EXPECT_EQ(store_.put("trip", "budget", Value::of(200)).error().code, Errc::already_resolved);
  EXPECT_EQ(store_.put("trip", "budget", Value::of(200), "Bo", "150").error().code, Errc::already_resolved);
  EXPECT_EQ(store_.put("trip", "none", Value::of(1), "Bo", "2").error().code, Errc::already_resolved);
  ASSERT_TRUE(store_.put("trip", "budget", Value::of(200), "Bo", "100"));
  const RunJournal journal = store_.journal("trip").value();
  ASSERT_EQ(journal.tasks.size(), 2u);
  EXPECT_EQ(journal.tasks[1].value_edn + ' ' + journal.tasks[1].by, "200 Bo");
}

TEST_F(JournalTest, NothingIsInDoubtWhereEveryCallAnswered) { EXPECT_TRUE(store_.doubts("trip").value().empty()); }

}  // namespace
}  // namespace ptcvm
