// Splits command lines into arguments, and quotes arguments.
#include "tools/ptcvm/text/shell_arguments.h"

#include <gtest/gtest.h>

namespace ptcvm::cli {
namespace {

using Arguments = std::vector<std::string>;

TEST(ShellArguments, splits_as_a_shell_would) {
  EXPECT_EQ(split_shell_arguments("  a  b\tc\n"), (Arguments{"a", "b", "c"}));
  EXPECT_EQ(split_shell_arguments("python3 -c 'print(\"x y\")'"), (Arguments{"python3", "-c", "print(\"x y\")"}));
  EXPECT_EQ(split_shell_arguments(R"(a\ b "c \"d\" \n" e'f'"g")"), (Arguments{"a b", R"(c "d" \n)", "efg"}));
  EXPECT_EQ(split_shell_arguments("'' \"\""), (Arguments{"", ""}));
  EXPECT_EQ(split_shell_arguments("$HOME *.txt"), (Arguments{"$HOME", "*.txt"}));
  EXPECT_EQ(split_shell_arguments(""), Arguments{});
}

TEST(ShellArguments, refuses_what_is_not_closed) {
  EXPECT_EQ(split_shell_arguments("'a"), std::nullopt);
  EXPECT_EQ(split_shell_arguments("\"a"), std::nullopt);
  EXPECT_EQ(split_shell_arguments("a\\"), std::nullopt);
}

TEST(ShellQuoted, IsTakenBackAsItWas) {
  for (const char* argument : {"plain", "a/b:c#0@2", "", "two words", "it's", "#x", "$HOME", "a\nb", "é"}) {
    const auto arguments = split_shell_arguments(shell_quoted(argument));
    ASSERT_TRUE(arguments) << argument;
    EXPECT_EQ(*arguments, std::vector<std::string>{argument});
  }
  EXPECT_EQ(shell_quoted("may/task:a#0"), "may/task:a#0");
}

}  // namespace
}  // namespace ptcvm::cli
