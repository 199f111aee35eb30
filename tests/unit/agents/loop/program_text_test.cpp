// The text that a model wrote becomes the text of a program.
#include "agents/loop/program_text.h"

#include <gtest/gtest.h>

namespace ptcvm::loop {
namespace {

TEST(ProgramText, drops_only_brackets_behind_the_last_form) {
  EXPECT_EQ(read_program_text("(def n 1)))").text, "(def n 1)");
  EXPECT_EQ(read_program_text("(def n 1)))").dropped_brackets, 2u);
  EXPECT_EQ(read_program_text("(a)) ; end\n]").text, "(a) ; end\n");
  EXPECT_EQ(read_program_text("(a)) (b)").dropped_brackets, 0u);
  EXPECT_EQ(read_program_text("(a").text, "(a");
}

TEST(ProgramText, counts_no_brackets_of_strings_characters_patterns_and_comments) {
  for (const std::string_view program :
       {R"p((str ")))" \) #")\""))p", "; ))\n", R"p((re-find #"\)" s))p", R"p([\( \)])p", R"p("a\")")p"}) {
    EXPECT_EQ(read_program_text(program).dropped_brackets, 0u) << program;
  }
}

TEST(ProgramText, straightens_quotes_outside_of_straight_strings) {
  EXPECT_EQ(read_program_text("(str “Ann”)").text, "(str \"Ann\")");
  EXPECT_EQ(read_program_text("(str \"say “hi”\")").text, "(str \"say “hi”\")");
  EXPECT_EQ(read_program_text("\uFEFF(a)\r\n(b\u200B)").text, "(a)\n(b)");
  EXPECT_EQ(read_program_text("(str “Ann”)").dropped_brackets, 0u);
}

TEST(ProgramText, writes_explanations_where_a_program_asks_for_them) {
  const auto answer = [](std::string_view form, std::string_view name) {
    return std::string(form) + " of " + std::string(name);
  };
  EXPECT_EQ(explain("(doc map)", answer).text, "(do (println \"doc of map\") \"doc of map\")");
  EXPECT_EQ(explain("(apropos \"x\")", answer).text, "(do (println \"apropos of x\") \"apropos of x\")");
  EXPECT_EQ(explain("(doc ->>)", answer).answer_bytes, 10u);
  for (const std::string_view other : {"(str \"(doc map)\")", "; (doc map)", "(doc)", "(doc a b)", "(docs map)"}) {
    EXPECT_EQ(explain(other, answer).text, other);
  }
}

TEST(ProgramText, splits_a_map_into_its_entries) {
  const auto entries =
      entries_of_map(R"m({:a 1, "b c" [1 {:x 2}] :f #ptc/closure {:src "(fn [] })"} :s #{1 2}})m");
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[1].first, "\"b c\"");
  EXPECT_EQ(entries[1].second, "[1 {:x 2}]");
  EXPECT_EQ(entries[2].second, "#ptc/closure {:src \"(fn [] })\"}");
  EXPECT_EQ(entries[3].second, "#{1 2}");
  EXPECT_TRUE(entries_of_map("{}").empty());
}

TEST(ProgramText, cuts_between_characters) {
  EXPECT_EQ(whole_characters("aé", 2), 1u);
  EXPECT_EQ(whole_characters("aé", 3), 3u);
}

}  // namespace
}  // namespace ptcvm::loop
