// Command lines split into words.
#include "tools/ptcvm/words.h"

#include <gtest/gtest.h>

namespace ptcvm::cli {
namespace {

using Words = std::vector<std::string>;

TEST(Words, splits_as_a_shell_would) {
  EXPECT_EQ(split_words("  a  b\tc\n"), (Words{"a", "b", "c"}));
  EXPECT_EQ(split_words("python3 -c 'print(\"x y\")'"), (Words{"python3", "-c", "print(\"x y\")"}));
  EXPECT_EQ(split_words(R"(a\ b "c \"d\" \n" e'f'"g")"), (Words{"a b", R"(c "d" \n)", "efg"}));
  EXPECT_EQ(split_words("'' \"\""), (Words{"", ""}));
  EXPECT_EQ(split_words("$HOME *.txt"), (Words{"$HOME", "*.txt"}));
  EXPECT_EQ(split_words(""), Words{});
}

TEST(Words, refuses_what_is_not_closed) {
  EXPECT_EQ(split_words("'a"), std::nullopt);
  EXPECT_EQ(split_words("\"a"), std::nullopt);
  EXPECT_EQ(split_words("a\\"), std::nullopt);
}

TEST(QuotedWord, IsTakenBackAsItWas) {
  for (const char* word : {"plain", "a/b:c#0@2", "", "two words", "it's", "#x", "$HOME", "a\nb", "é"}) {
    const auto words = split_words(quoted_word(word));
    ASSERT_TRUE(words) << word;
    EXPECT_EQ(*words, std::vector<std::string>{word});
  }
  EXPECT_EQ(quoted_word("may/task:a#0"), "may/task:a#0");
}

}  // namespace
}  // namespace ptcvm::cli
