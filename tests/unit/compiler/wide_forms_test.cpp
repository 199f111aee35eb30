// Programs that are wide instead of deep: refused or compiled, by a stack and in a time that do not grow with them.
#include <gtest/gtest.h>

#include <string>

#include "compiler/compile.h"

namespace ptc {
namespace {

constexpr int kTimes = 5'000;

std::string repeated(std::string_view begin, std::string_view part, std::string_view end) {
  std::string text(begin);
  for (int i = 0; i < kTimes; ++i) text += part;
  return text.append(end);
}

std::string outcome(const std::string& source) {
  const CompileResult result = compile(source, {});
  return result.program != nullptr ? "compiled" : result.error.message;
}

// Each clause of a for is inside of the one before.
TEST(WideForms, ClausesOfAForNest) {
  EXPECT_EQ(outcome(repeated("(for [", "x [1 2] ", "] x)")), "expression nested too deeply");
  EXPECT_EQ(outcome(repeated("(doseq [", "x [1 2] ", "] x)")), "expression nested too deeply");
  EXPECT_EQ(outcome(repeated("(for [x [1] ", ":when x ", "] x)")), "expression nested too deeply");
  EXPECT_EQ(outcome(repeated("(for [x [1] ", ":let [y x] ", "] x)")), "expression nested too deeply");
  EXPECT_EQ(outcome(repeated("(for [x [1] :let [", "y x ", "]] x)")), "expression nested too deeply");
}

TEST(WideForms, AreRefusedOrCompiled) {
  struct Wide {
    std::string_view begin, part, end, outcome;
  };
  constexpr std::string_view kTooLarge = "function is too large to compile", kTooDeep = "expression nested too deeply";
  for (const Wide& wide : std::initializer_list<Wide>{
           {"(do ", "(println 1) ", ")", "compiled"},
           {"[", "1 ", "]", "compiled"},
           {"(str ", "1 ", ")", kTooLarge},
           {"(pcalls ", "#(inc 1) ", ")", kTooLarge},
           {"(let [f inc] (f ", "1 ", "))", kTooLarge},
           {"(cond ", "false 1 ", ")", kTooDeep},
           {"(or ", "nil ", ")", kTooDeep},
           {"(-> 1 ", "inc ", ")", kTooDeep},
           {"(some-> 1 ", "inc ", ")", kTooDeep},
       }) {
    EXPECT_EQ(outcome(repeated(wide.begin, wide.part, wide.end)), wide.outcome) << wide.begin;
  }
}

}  // namespace
}  // namespace ptc
