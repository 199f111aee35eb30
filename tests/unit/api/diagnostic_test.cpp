// Diagnostics as text: the parts put together again, with colours, and excerpts of sources that the host has.
#include "run_fixture.h"

namespace ptcvm {
namespace {

using DiagnosticTest = ApiTest;

TEST_F(DiagnosticTest, TheTextIsMadeOfTheParts) {
  Run run = started("(def x 1)\n(+ x :a)");
  ASSERT_EQ(run.step(), RunState::Failed);
  const Diagnostic diagnostic = *run.diagnostic();
  EXPECT_EQ(diagnostic.excerpt, "(+ x :a)\n^~~~~~~~\n");
  EXPECT_EQ(diagnostic_text(diagnostic), diagnostic.text);
  std::string coloured = diagnostic_text(diagnostic, true);
  EXPECT_TRUE(coloured.starts_with("\x1b[1;31merror[type_error]\x1b[0m")) << coloured;
  for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, diagnostic.text);
}

TEST_F(DiagnosticTest, AnExcerptShowsAPlaceInAnySource) {
  Diagnostic place;
  place.line = 2;
  place.column = 2;
  place.begin = 4;
  place.end = 5;
  EXPECT_EQ(source_excerpt(place, "ab\n\tc\n"), "    c\n    ^\n");
  EXPECT_EQ(source_excerpt(place, ""), "");
  EXPECT_EQ(source_excerpt(Diagnostic(), "ab"), "");
}

TEST_F(DiagnosticTest, RefusedBytecodeSaysWhere) {
  const auto program = engine_.load({});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().diagnostic->kind, "bad_program");
  EXPECT_TRUE(program.error().diagnostic->text.starts_with("bad_program: ")) << program.error().diagnostic->text;
}

TEST_F(DiagnosticTest, UnreadableTextSaysWhatAndWhereApart) {
  const auto value = Value::from_json("[1,");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message, "JSON: " + value.error().diagnostic->message + " at byte " +
                                       std::to_string(value.error().diagnostic->begin + 1));
}

TEST_F(DiagnosticTest, ErrorsNameTheirKind) {
  const auto run = Run::restore(engine_, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::invalid_snapshot);
  EXPECT_FALSE(run.error().detail.empty());
  Run waits = started("(await-signal \"go\")");
  waits.step();
  EXPECT_EQ(waits.resolve("nobody", {}).error().detail, "unknown_operation");
}

TEST_F(DiagnosticTest, EdnTextBecomesJson) {
  EXPECT_EQ(json_of_edn("{:a [1 nil]}"), "{\"a\":[1,null]}");
  EXPECT_EQ(json_of_edn(""), "null");
  EXPECT_EQ(json_of_edn("{"), "\"{\"");
}

}  // namespace
}  // namespace ptcvm
