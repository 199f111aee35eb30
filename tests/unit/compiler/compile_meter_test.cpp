// What compiling may take: memory for tables, time, and the sum of the regular expressions.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compiler/compile.h"
#include "compiler/program_check.h"

namespace ptc {
namespace {

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

CompileError refused(const std::string& source, const CompileOptions& options) {
  CompileResult result = compile(source, options);
  EXPECT_EQ(result.program, nullptr);
  return result.error;
}

TEST(CompileMeter, TablesOfManyPatternsAreRefusedWithTheirPlace) {
  CompileOptions options;
  options.most_bytes = 1 << 20;
  const std::string source = "(let [[" + repeated("a ", 50'000) + "] []] 1)";
  const CompileError error = refused(source, options);
  EXPECT_EQ(error.kind, FaultKind::MemoryExceeded);
  EXPECT_GT(error.span.begin, 0u);
  EXPECT_LT(error.span.begin, source.size());
}

TEST(CompileMeter, SmallProgramsCountNothing) {
  CompileOptions options;
  options.most_bytes = 1;
  EXPECT_NE(compile("(let [[a b] [1 2]] (+ a b))", options).program, nullptr);
}

TEST(CompileMeter, TheHostStopsTheCompiler) {
  CompileOptions options;
  int questions = 0;
  options.is_over = [&questions] { return ++questions > 3; };
  const std::string functions = "[" + repeated("(fn [[a b]] (if a b 1)) ", 20'000) + "]";
  EXPECT_EQ(refused(functions, options).kind, FaultKind::Cancelled);
  EXPECT_EQ(questions, 4);
}

TEST(CompileMeter, RegularExpressionsAreAddedUp) {
  static int compiled;
  compiled = 0;
  CompileOptions options;
  options.check_regex = [](std::string_view, std::string&, std::size_t&) -> std::uint32_t {
    ++compiled;
    return 10'000;
  };
  const std::string same = "[" + repeated("#\"\\pL{9}\" ", 1'000) + "]";
  EXPECT_NE(compile(same, options).program, nullptr) << "one expression, written often";
  EXPECT_EQ(compiled, 1);
  std::string distinct = "[";
  for (int i = 0; i < 1'000; ++i) distinct += "#\"\\\\pL" + std::to_string(i) + "\" ";
  const CompileError error = refused(distinct + "]", options);
  EXPECT_EQ(error.kind, FaultKind::RegexLimitExceeded);
  EXPECT_LT(compiled, 20);
  EXPECT_GT(error.span.begin, 0u);
}

std::string names(const std::string& before, int count, const std::string& after) {
  std::string all = before;
  for (int i = 0; i < count; ++i) all += "name" + std::to_string(i) + after;
  return all;
}

TEST(CheckMeter, TablesAreRefusedWithTheirPlace) {
  CompileOptions options;
  options.most_bytes = 1 << 20;
  const std::string source = "(let [[" + repeated("a ", 50'000) + "] []] 1)";
  const auto findings = check_program_text(source, options).findings;
  ASSERT_FALSE(findings.empty());
  const CompileError& error = findings.back().error;
  EXPECT_EQ(error.kind, FaultKind::MemoryExceeded);
  EXPECT_GT(error.span.begin, 0u);
  EXPECT_LE(error.span.begin, refused(source, options).span.begin) << "what is noted comes on top";
}

TEST(CheckMeter, NotesCount) {
  CompileOptions options;
  const std::string source = "(def f 1) [" + repeated("(f) ", 20'000) + "]";
  std::uint64_t little = 0, enough = std::uint64_t{256} << 20;
  while (enough - little > 1'000) {
    options.most_bytes = (little + enough) / 2;
    (compile(source, options).error.kind == FaultKind::MemoryExceeded ? little : enough) = options.most_bytes;
  }
  options.most_bytes = enough;
  EXPECT_EQ(check_program_text(source, options).findings.back().error.kind, FaultKind::MemoryExceeded)
      << "what is noted comes on top";
}

// Options that count how often a regular expression is compiled; each has a thousand instructions.
int compiled_regexes;
CompileOptions counting_regexes() {
  compiled_regexes = 0;
  CompileOptions options;
  options.check_regex = [](std::string_view, std::string&, std::size_t&) -> std::uint32_t {
    ++compiled_regexes;
    return 1'000;
  };
  return options;
}

// A program that needs many looks is looked at until the work of all looks is too much.
TEST(CheckMeter, WorkOfAllLooksIsBounded) {
  const CompileOptions options = counting_regexes();
  std::string source = "[";
  for (int i = 0; i < 100; ++i) source += "#\"a" + std::to_string(i) + "\" ";
  for (int i = 0; i < 150; ++i) source += "(unknown" + std::to_string(i) + ") ";
  const auto findings = check_program_text(source + "]", options).findings;
  EXPECT_GE(findings.size(), 2u);
  EXPECT_LT(compiled_regexes, 100 * 30);
}

TEST(CheckMeter, TooManyRegularExpressionsAreOneFinding) {
  const CompileOptions options = counting_regexes();
  std::string source = "[";
  for (int i = 0; i < 1'000; ++i) source += "#\"a" + std::to_string(i) + "\" ";
  const auto findings = check_program_text(source + "]", options).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].error.kind, FaultKind::RegexLimitExceeded);
  EXPECT_LT(compiled_regexes, 200);
}

TEST(CheckMeter, ManyFindingsAreCountedAndNotKept) {
  CompileOptions options;
  const auto findings = check_program_text(names("(let [", 3'000, " 1 ") + "] 1)", options).findings;
  ASSERT_EQ(findings.size(), kMostFindings + 1);
  EXPECT_EQ(findings.back().warning, "more_findings");
  EXPECT_EQ(findings.back().error.message, "2000 more findings are left out");
}

}  // namespace
std::string unbound_calls(int count) {
  std::string source;
  for (int i = 0; i < count; ++i) source += "(u" + std::to_string(i) + " 1)\n";
  return source;
}

TEST(CheckMeter, EveryErrorOfAUsualTextIsReported) {
  const auto findings = check_program_text(unbound_calls(250), {}).findings;
  EXPECT_EQ(std::ranges::count(findings, "", &Finding::warning), 250);
}

TEST(CheckMeter, ATextWithMoreErrorsSaysSo) {
  const auto findings = check_program_text(unbound_calls(3'000), {}).findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.back().warning, "more_findings");
}

}  // namespace ptc
