#include "agents/chain/check/verification.h"

#include <gtest/gtest.h>

namespace ptcvm::chain {
namespace {

CheckResult check(std::string_view criterion, std::string_view output) {
  return check_output(criterion, output, CheckMode::Grammar);
}

TEST(Verification, DecidesByItsGrammar) {
  const auto passes = [](std::string_view criterion, std::string_view output) {
    return check(criterion, output) == CheckResult::Passed;
  };
  EXPECT_TRUE(passes(" nonempty ", " x "));
  EXPECT_FALSE(passes("nonempty", " \n"));
  EXPECT_TRUE(passes("json", "Result: {\"a\": [1, \"}\"]}."));
  EXPECT_FALSE(passes("json", "Result: {\"a\": ["));
  EXPECT_TRUE(passes("path", "wrote /tmp/x"));
  EXPECT_FALSE(passes("path", "1/2 of it"));
  EXPECT_TRUE(passes("pointer:/a/1", "{\"a\": [1, null]}"));
  EXPECT_FALSE(passes("pointer:/a/2", "{\"a\": [1, null]}"));
  EXPECT_TRUE(passes("pointer:/a=\"b=c\"", "{\"a\": \"b=c\"}"));
  EXPECT_FALSE(passes("pointer:/a=7", "{\"a\": 8}"));
  EXPECT_FALSE(passes("pointer:/a=7", "no json"));
}

TEST(Verification, LeavesFreeTextPending) {
  EXPECT_EQ(check("the file looks right", "error"), CheckResult::Pending);
  EXPECT_EQ(check("  ", "error"), CheckResult::Passed);
  EXPECT_EQ(check_output("the file looks right", "error", CheckMode::Heuristic), CheckResult::Failed);
}

TEST(Verification, IsLinearInAHostilePattern) {
  const std::string output(100'000, 'a');
  EXPECT_EQ(check("regex:(a*)*b", output), CheckResult::Failed);
  EXPECT_EQ(check("regex:((a{1,100}){1,100}){1,100}", output), CheckResult::Failed);   // larger than its memory
}

TEST(Verification, TellsWhatIsUnmet) {
  const Verification result =
      verify_output({"contains:a", "contains:b", "looks right", "min_length:9"}, "a", CheckMode::Grammar);
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.pending, std::vector<std::string>{"looks right"});
  EXPECT_EQ(verification_message("s1", result, " a "),
            "Verification failed for s1. Unmet checks: \"contains:b\", \"min_length:9\". Output snippet: a");
  EXPECT_TRUE(verification_message("s1", result, "").ends_with("(empty output)"));
}

TEST(Verification, CutsTheSnippetBetweenCharacters) {
  std::string output(279, 'x');
  output += "é and more";
  const std::string message = verification_message("s", verify_output({"json"}, output, CheckMode::Grammar), output);
  EXPECT_TRUE(message.ends_with("xxx"));
}

}  // namespace
}  // namespace ptcvm::chain
