// Faults as text: positions, carets under the right character, long lines.
#include "runtime/engine/diagnostic_text.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

SourceSpan span_of(std::string_view source, std::string_view part, std::uint32_t line, std::uint32_t column) {
  const auto begin = static_cast<std::uint32_t>(source.find(part));
  return {begin, begin + static_cast<std::uint32_t>(part.size()), line, column};
}

TEST(DiagnosticText, shows_kind_position_line_and_hint) {
  const std::string_view source = "(def a 1)\n(+ a nil)\n";
  EXPECT_EQ(render_diagnostic({"type_error", "+: arg 2 expected number, got nil", "check for nil first", "sum.ptc",
                               source, span_of(source, "(+ a nil)", 2, 1)}),
            "error[type_error]: +: arg 2 expected number, got nil\n"
            "  --> sum.ptc:2:1\n"
            "   |\n"
            " 2 | (+ a nil)\n"
            "   | ^~~~~~~~~\n"
            "hint: check for nil first\n");
}

TEST(DiagnosticText, leaves_out_what_is_not_known) {
  EXPECT_EQ(render_diagnostic({"timeout", "too slow", {}, {}, {}, {}}), "error[timeout]: too slow\n");
  EXPECT_EQ(render_diagnostic({"k", "m", {}, {}, {}, {0, 1, 3, 4}}), "error[k]: m\n  --> <program>:3:4\n");
}

TEST(DiagnosticText, puts_the_caret_after_tabs_and_wide_characters) {
  const std::string_view tabs = "\t(f x)";
  EXPECT_EQ(source_excerpt(tabs, span_of(tabs, "x", 1, 5)), "    (f x)\n       ^\n");
  const std::string_view wide = "(str \"日本\" x)";
  EXPECT_EQ(source_excerpt(wide, span_of(wide, "x", 1, 11)), "(str \"日本\" x)\n            ^\n");
  EXPECT_EQ(source_excerpt(wide, span_of(wide, "日本", 1, 7)), "(str \"日本\" x)\n      ^~~~\n");
}

TEST(DiagnosticText, marks_the_end_of_the_text) {
  const std::string_view source = "(+ 1";
  EXPECT_EQ(source_excerpt(source, {4, 4, 1, 5}), "(+ 1\n    ^\n");
  EXPECT_EQ(source_excerpt("a\r\nb", {0, 1, 1, 1}), "a\n^\n");
}

TEST(DiagnosticText, marks_only_the_first_line_of_a_long_span) {
  const std::string_view source = "(a\n b)";
  EXPECT_EQ(source_excerpt(source, span_of(source, source, 1, 1)), "(a\n^~\n");
}

TEST(DiagnosticText, cuts_long_lines_around_the_caret) {
  const std::string source = std::string(5000, 'a') + " BAD " + std::string(5000, 'b');
  const std::string text = source_excerpt(source, span_of(source, "BAD", 1, 5002));
  const std::size_t newline = text.find('\n');
  EXPECT_LT(newline, 130u);
  EXPECT_EQ(text.find("…"), 0u);
  const std::size_t caret = text.find('^') - newline - 1;
  EXPECT_EQ(text.substr(caret + 2, 3), "BAD");        // the ellipsis has two bytes more than columns
}

TEST(DiagnosticText, survives_malformed_text) {
  const std::string source = "\xff\xfe(\xc3 x";
  EXPECT_FALSE(source_excerpt(source, {2, 3, 1, 3}).empty());
  EXPECT_FALSE(source_excerpt("x", {50, 60, 9, 9}).empty());
}

}  // namespace
}  // namespace ptc
