// What compiling may take: memory for tables, time, and the sum of the regular expressions.
#include <gtest/gtest.h>

#include <string>

#include "compiler/compile.h"

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

}  // namespace
}  // namespace ptc
