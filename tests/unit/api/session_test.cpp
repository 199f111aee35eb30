// What a session begins with, and how its results are shaped.
#include "run_fixture.h"

namespace ptcvm {
namespace {

class SessionTest : public ApiTest {
 protected:
  Session created(RunOptions options = {}) {
    auto session = Session::create(engine_, options);
    if (!session) ADD_FAILURE() << session.error().message;
    return std::move(*session);
  }
};

TEST_F(SessionTest, LoadsDefinitionsWithTheirFunctions) {
  Session before = created();
  ASSERT_FALSE(before.eval("(def n 20) (defn more [x] (+ x n))").diagnostic);
  Session session = created();
  ASSERT_TRUE(session.load_definitions(before.definitions_edn()));
  EXPECT_EQ(session.eval("(more 1)").value.to_edn(), "21");
}

TEST_F(SessionTest, LoadsAJournalAndAHistory) {
  Session session = created();
  ASSERT_TRUE(session.load_journal("{\"a\" 5}"));
  ASSERT_TRUE(session.load_history("[1 2]"));
  EXPECT_EQ(session.eval("[(task \"a\" 6) *1 *2]").value.to_edn(), "[5 2 1]");
}

TEST_F(SessionTest, ASnapshotBetweenTurnsHasTheLastResult) {
  Session session = created();
  session.eval("7");
  session.eval("5");
  const std::vector<std::byte> bytes = session.snapshot();
  EXPECT_EQ(Session::restore(engine_, bytes).value().eval("[*1 *2]").value.to_edn(), "[5 7]");
  const std::string face = session.run().snapshot_json();
  EXPECT_EQ(Session::restore(engine_, std::as_bytes(std::span(face))).value().eval("[*1 *2]").value.to_edn(), "[5 7]");
}

TEST_F(SessionTest, LoadsDataPieceByPiece) {
  Session session = created();
  ASSERT_TRUE(session.load_data("{\"a\" 1 \"b\" 2}"));
  ASSERT_TRUE(session.load_data_json("{\"b\": 3}"));
  ASSERT_TRUE(session.load_data_json("[4]", "c"));
  EXPECT_EQ(session.data_edn(), "{\"a\" 1 \"b\" 3 \"c\" [4]}");
  EXPECT_EQ(session.eval("[data/a data/b data/c]").value.to_edn(), "[1 3 [4]]");
}

TEST_F(SessionTest, SaysWhatItCannotLoad) {
  Session session = created();
  EXPECT_EQ(session.load_data("[1]").error().message, "the context must be a map");
  EXPECT_EQ(session.load_data_json("{").error().code, Errc::invalid_value);
  EXPECT_EQ(session.load_journal("[]").error().message, "the journal must be a map");
  EXPECT_EQ(session.load_history("{}").error().message, "the history must be a vector");
  EXPECT_EQ(session.load_budget("5").error().message, "the budget must be a map");
  EXPECT_EQ(session.load_definitions("{\"a\"").error().code, Errc::invalid_value);
  (void)session.eval("1");
  EXPECT_EQ(session.load_data("{}").error().code, Errc::wrong_state);
}

TEST_F(SessionTest, RoundsFloatsAndNamesTheSource) {
  Session session = created({.name = "book.ptc", .float_precision = 2});
  EXPECT_EQ(session.eval("1.23456").value.to_edn(), "1.23");
  EXPECT_EQ(session.eval("(+ 1 :a)").diagnostic->source_name, "book.ptc");
  EXPECT_EQ(Session::create(engine_, {.float_precision = 301}).error().code, Errc::invalid_value);
}

TEST_F(SessionTest, ChecksToolsAndTaskIdsAsAsked) {
  EXPECT_EQ(created().eval("(tool/nobody)").diagnostic->kind, "unknown_tool");
  EXPECT_TRUE(created({.check_tools = false}).begin("(if false (tool/nobody) 1)"));
  EXPECT_TRUE(created({.strict_task_ids = true}).eval("(task (str 1) 2)").diagnostic);
}

TEST_F(SessionTest, AProgramShowsItsInstructions) {
  const Program program = compiled("(+ data/a 1)");
  EXPECT_NE(program.disassembly().find("LoadData"), std::string::npos) << program.disassembly();
}

TEST_F(SessionTest, CompilingChecksToolsUnlessToldOtherwise) {
  EXPECT_EQ(engine_.compile("(tool/nobody)", {.tools = &tools_}).error().diagnostic->kind, "unknown_tool");
  EXPECT_TRUE(engine_.compile("(tool/nobody)", {.tools = &tools_, .check_tools = false}));
}

TEST_F(SessionTest, ACancelledTurnDoesNotEndTheNextOne) {
  Session session = created();
  ASSERT_TRUE(session.begin("1"));
  session.run().cancel();
  EXPECT_EQ(session.run().step(), RunState::Failed);
  EXPECT_EQ(session.eval("2").value.to_edn(), "2");
}

TEST_F(SessionTest, AnUnreadableSignatureHasADiagnostic) {
  const auto session = Session::create(engine_, {.signature = "{name"});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, Errc::invalid_signature);
  EXPECT_EQ(session.error().diagnostic->kind, "parse_error");
}

TEST_F(SessionTest, TheResultOfTheLastTurnGoesElsewhere) {
  Session session = Session::create(engine_, {}).value();
  for (const char* const source : {"1", "2", "3", "4", "(fail 5)"}) session.eval(source);
  Session elsewhere = Session::restore(engine_, session.snapshot()).value();
  EXPECT_EQ(elsewhere.eval("[*1 *2 *3]").value.to_edn(), session.eval("[*1 *2 *3]").value.to_edn());
  EXPECT_EQ(elsewhere.eval("*1").value.to_edn(), "[4 3 2]");
}

// Each turn compiles its source, so two turns of one source have two programs with the same bytes.
TEST_F(SessionTest, FunctionsOfTheSameSourceInTwoTurnsGoElsewhere) {
  Session session = Session::create(engine_, {}).value();
  session.eval("(fn [x] (inc x))");
  session.eval("(fn [x] (inc x))");
  Session elsewhere = Session::restore(engine_, session.snapshot()).value();
  EXPECT_EQ(elsewhere.eval("[(*1 1) (*2 2)]").value.to_edn(), "[2 3]");
}

}  // namespace
}  // namespace ptcvm
