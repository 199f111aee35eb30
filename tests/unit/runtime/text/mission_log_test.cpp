#include "runtime/text/mission_log.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

TEST(MissionLog, ListsWhatWasCommittedInItsOrder) {
  const LoggedTask tasks[] = {{"dial_bob", "\"call_1\"", ""}, {"auth", "true", ""}, {"decision", "\"yes\"", "manager"}};
  EXPECT_EQ(render_mission_log(tasks),
            "## Mission Log (Completed Tasks)\n"
            "- [done] dial_bob: \"call_1\"\n"
            "- [done] auth: true\n"
            "- [done] decision: \"yes\" (from manager)");
  EXPECT_EQ(render_mission_log({}), "");
}

TEST(MissionLog, CutsLongValuesAtCharactersNotBytes) {
  const std::string umlauts = [] {
    std::string text;
    for (int k = 0; k < 201; ++k) text += "ü";
    return text;
  }();
  const LoggedTask tasks[] = {{"a", umlauts, ""}, {"b", umlauts.substr(2), ""}, {"c", "x\ny", ""}};
  const std::string text = render_mission_log(tasks);
  EXPECT_NE(text.find("- [done] a: " + umlauts.substr(2) + "...\n"), std::string::npos);
  EXPECT_NE(text.find("- [done] b: " + umlauts.substr(2) + "\n"), std::string::npos);
  EXPECT_NE(text.find("- [done] c: x y"), std::string::npos);
}

}  // namespace
}  // namespace ptc
